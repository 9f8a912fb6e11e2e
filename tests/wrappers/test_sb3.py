"""The stable-baselines3 VecEnv of every game: slots, episode after episode, and training."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

from kododo_env import kododo_v0, registry
from kododo_env.core import BatchGame, RandomAgent
from kododo_env.registry import picture_of
from tests.game_tables import EXTREMES, GAMES
from tests.helpers import random_actions

sb3_contrib = pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402
from stable_baselines3.common.vec_env import (  # noqa: E402
    DummyVecEnv,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)

from kododo_env.wrappers.sb3 import BatchVecEnv  # noqa: E402


def batch(game: str, num_envs: int, players: int, **rules: Any) -> BatchGame:
    return registry.batch_game(game, num_envs, num_players=players, **rules)


def long_batch(num_envs: int) -> BatchGame:
    """Kododo's long variant with a low target score, so that games end at different times."""
    return kododo_v0.batch_game(num_envs, 3, "long", target_score=18)


def start(venv: BatchVecEnv | VecMonitor, seed: int) -> np.ndarray:
    venv.seed(seed)
    observations = venv.reset()
    assert isinstance(observations, np.ndarray)
    return observations


@pytest.mark.parametrize(
    "dealt",
    [
        *(partial(batch, game, 3, players) for game, players in EXTREMES),
        partial(long_batch, 2), partial(long_batch, 6),
    ],
)  # fmt: skip
def test_many_episodes_as_the_batch_plays_them(dealt: Any) -> None:
    """The batch by its own contract, which deals finished games again as soon as possible."""
    venv = BatchVecEnv(dealt())
    batch = dealt()
    episodes = 20
    size = batch.layout.size
    players = batch.num_players
    observations = start(venv, 5)
    rng = np.random.default_rng(0)
    batch.reset(seed=5)
    while episodes > 0:
        assert np.array_equal(observations.reshape(-1, players, size), batch.observe())
        masks = venv.env_method("action_masks")
        assert np.array_equal(masks.reshape(-1, players, batch.num_actions),
                              batch.legal_action_mask())  # fmt: skip
        actions = random_actions(batch, rng)
        batch.step(actions)
        observations, rewards, dones, infos = venv.step(actions.reshape(-1))
        assert rewards.tolist() == batch.rewards.ravel().tolist()
        ended = batch.just_terminated.copy()
        last = batch.observe()
        batch.restart_finished()
        for slot, info in enumerate(infos):
            game, player = divmod(slot, players)
            assert dones[slot] == ended[game]
            assert set(info) == ({"terminal_observation"} if ended[game] else set())
            if ended[game]:
                assert np.array_equal(info["terminal_observation"], last[game, player])
        episodes -= int(ended.sum())


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("num_envs", [1, 4])
def test_arrays_that_are_given_out_are_the_callers_own(game: str, num_envs: int) -> None:
    core = batch(game, num_envs, 4)
    venv = BatchVecEnv(core)
    start(venv, 0)
    rng = np.random.default_rng(0)
    snapshots: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(40):
        step = venv.step(random_actions(core, rng).reshape(-1))
        observations, rewards, dones, infos = step
        assert observations.flags.c_contiguous
        assert rewards.shape == dones.shape == (4 * num_envs,)
        assert dones.dtype == np.bool_
        assert len({id(info) for info in infos}) == len(infos) == 4 * num_envs
        masks = venv.env_method("action_masks")
        snapshots += [(array, array.copy()) for array in (*step[:3], masks)]
        assert all(array.flags.writeable for array, _ in snapshots)
    # Returned arrays must not change later, not even when games end.
    assert all(np.array_equal(array, snapshot) for array, snapshot in snapshots)


def test_masks_as_sb3_contrib_asks_for_them() -> None:
    venv = BatchVecEnv(batch("combi_combo", 3, 4), opponents=[None, RandomAgent(), None, None])
    start(venv, 0)
    expected = venv.game.legal_action_mask()[:, [0, 2, 3]].reshape(9, -1)
    assert len(set(map(bytes, expected))) > 5
    for env in (venv, VecMonitor(venv)):
        assert is_masking_supported(env)
        masks = get_action_masks(env)
        assert masks.dtype == np.bool_
        assert masks.flags.c_contiguous
        assert np.array_equal(masks, expected)
        for indices in ([4, 1], [4]):
            assert np.array_equal(
                env.env_method("action_masks", indices=indices), expected[indices]
            )
        assert np.array_equal(env.env_method("action_masks", indices=4), expected[[4]])
    masks[:] = False
    assert get_action_masks(venv).any()
    assert np.array_equal([method() for method in venv.get_attr("action_masks")], expected)
    single = gymnasium.make(f"kododo_env:{registry.environment_module('kododo').GYMNASIUM_ID}")
    observation, _ = single.reset(seed=0)
    assert is_masking_supported(single)
    assert get_action_masks(single).dtype == np.bool_
    assert np.array_equal(get_action_masks(single), observation["action_mask"])


# --- stable-baselines3's own ----------------------------------------------------------------


def test_attributes_of_slots() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2))
    assert venv.get_attr("render_mode") == [None] * 4
    assert not venv.has_attr("nonsense")
    with pytest.raises(AttributeError, match="nonsense"):
        venv.get_attr("nonsense")
    venv.set_attr("nonsense", 3, indices=[1, 2])
    assert venv.get_attr("nonsense", [2, 1]) == [3, 3]
    assert not venv.has_attr("nonsense")
    venv.set_attr("nonsense", 4)
    assert venv.get_attr("nonsense") == [4] * 4
    assert venv.env_is_wrapped(VecMonitor) == [False] * 4
    assert venv.env_is_wrapped(VecMonitor, indices=0) == [False]
    with pytest.raises(AttributeError, match="dance"):
        venv.env_method("dance")
    venv.close()


def test_opponents_are_set_as_stable_baselines3_sets_attributes() -> None:
    """Regression: a league that swapped opponents went on training against the old ones."""
    venv = BatchVecEnv(batch("kado", 2, 3), opponents=["random", None, None])
    for env in (venv, VecMonitor(venv)):
        for value, name in (("first", "first"), (["heuristic", None, None], "heuristic")):
            env.set_attr("opponents", value)
            assert [agents[0].name for agents in env.get_attr("opponents")] == [name] * 4
            assert venv.opponents[0].name == name
            assert venv.opponents[1:] == (None, None)
    env.set_attr("opponents", "random", indices=range(4))
    assert venv.opponents[0].name == "random"
    with pytest.raises(ValueError, match=r"all games .* without indices"):
        env.set_attr("opponents", "first", indices=[0, 1])
    with pytest.raises(ValueError, match=r"learners' seats.* 1, 2"):
        env.set_attr("opponents", [None, "first", "first"])


@pytest.mark.parametrize(
    "name",
    ["game", "seat", "seats", "reward", "illegal_action", "action_masks", "render_mode", "num_envs",
     "observation_space", "normalize"],
)  # fmt: skip
def test_attributes_that_the_environment_uses_are_refused(name: str) -> None:
    """Regression: they were stored without effect."""
    vector_env = gymnasium.make_vec(
        f"kododo_env:{registry.environment_module('kado').GYMNASIUM_ID}", num_envs=2
    )
    for env in (BatchVecEnv(batch("kado", 2, 2)), vector_env):
        with pytest.raises(AttributeError, match=rf"^cannot change {name};"):
            env.set_attr(name, 1)


def swapping(envs: Any) -> None:
    """Act as a league: set other opponents, then play a game."""
    envs.set_attr("opponents", "first")
    reset_twice(envs)


def reset_twice(envs: Any) -> None:
    envs.reset()
    envs.reset()


def test_opponents_that_were_set_on_a_wrapper_are_told() -> None:
    """``DummyVecEnv`` sets attributes on the outermost wrapper, where ``get_attr`` finds them."""
    id = f"kododo_env:{registry.environment_module('kado').GYMNASIUM_ID}"
    envs = make_vec_env(id, n_envs=1)
    with pytest.warns(UserWarning, match="opponents were set on the wrapper Monitor") as warned:
        swapping(envs)
    assert len(warned) == 1
    envs = make_vec_env(id, n_envs=2)
    envs.env_method("set_wrapper_attr", "opponents", "first")
    swapped = [env.unwrapped.opponents[0].name for env in envs.envs]
    assert swapped == ["first"] * 2
    swapping(DummyVecEnv([lambda: gymnasium.make(id).unwrapped]))


@pytest.mark.parametrize("action_mask", ["both", "rllib"])
@pytest.mark.parametrize("batched", [True, False])
def test_a_scaled_mask_is_told(batched: bool, action_mask: Any) -> None:
    """Regression: the mask was scaled to 0 to .00125."""

    def envs() -> Any:
        if batched:
            return VecMonitor(BatchVecEnv(batch("kado", 2, 3), action_mask=action_mask))
        id = f"kododo_env:{registry.environment_module('kado').GYMNASIUM_ID}"
        return make_vec_env(id, env_kwargs={"action_mask": action_mask})

    name = "observations" if action_mask == "rllib" else "observation"
    for wrapped in (VecNormalize(envs()), VecFrameStack(VecNormalize(envs()), 2)):
        message = rf"VecNormalize scales the action masks.*norm_obs_keys=\['{name}'\]"
        with pytest.warns(UserWarning, match=message) as warned:
            reset_twice(wrapped)
        assert len(warned) == 1
    VecNormalize(envs(), norm_obs_keys=[name]).reset()
    VecNormalize(envs(), norm_obs=False).reset()


def test_they_show_what_stable_baselines3s_own_do() -> None:
    id = f"kododo_env:{registry.environment_module('kado').GYMNASIUM_ID}"
    dummy_env = DummyVecEnv([lambda: gymnasium.make(id, num_players=2, seat=1, render_mode="ansi")])
    game = batch("kado", 1, 2)
    opponents = [RandomAgent(), None]
    venv = BatchVecEnv(game, opponents=opponents, action_mask="both", render_mode="ansi")
    names = {name for name in dir(dummy_env) if not name.startswith(("_", "buf_"))}
    assert names - {*dir(venv)} <= {"envs", "keys"}
    assert (
        venv.metadata["render_modes"] == dummy_env.metadata["render_modes"][1:]
    )  # without "human"
    assert venv.render_mode == dummy_env.render_mode
    attributes = ("render_mode", "seat", "observation_space", "action_space")
    assert [venv.get_attr(name) for name in attributes] == [
        dummy_env.get_attr(name) for name in attributes
    ]


def test_methods_of_slots_are_called_with_what_is_given() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2))
    for slot in range(4):
        venv.set_attr("told", lambda *words, slot=slot, **options: (slot, words, options), slot)
    assert venv.env_method("told", 1, 2, indices=[3, 0], more=5) == [
        (3, (1, 2), {"more": 5}),
        (0, (1, 2), {"more": 5}),
    ]
    assert [reply[0] for reply in venv.env_method("told")] == [0, 1, 2, 3]


def test_every_slot_has_infos_of_the_reset_of_its_own() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2))
    venv.reset_infos = [{"old": 1}] * 4
    venv.reset()
    assert venv.reset_infos == [{}, {}, {}, {}]
    assert len({id(info) for info in venv.reset_infos}) == 4


def test_an_environment_is_no_batch() -> None:
    env = kododo_v0.parallel_env()
    with pytest.raises(ValueError, match=r"expected a batch of games, .* got <Parallel"):
        BatchVecEnv(env)  # type: ignore[arg-type]


def test_a_deck_by_options_is_refused() -> None:
    """Regression: it was silently ignored."""
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2))
    venv.set_options({"deck": [0], "theirs": 1})
    with pytest.raises(ValueError, match=r"reset does not support deck or reset_mask, got {'deck'"):
        venv.reset()
    venv.set_options({"theirs": 1})
    assert venv.reset().shape[0] == 4


def test_a_reward_has_a_number_for_each_seat() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(3), lambda game: game.rewards.T)
    with pytest.raises(ValueError, match=r"shape \(3, 4\), not \(4, 3\)"):
        venv.step(np.full(12, 5))


def test_a_batch_that_was_not_reset_is_played_as_it_was_dealt() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2), opponents=[None, RandomAgent()])
    hands = venv.game.hands[:, 0].copy()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="step_async"):
            venv.step_wait()
        venv.step(venv.action_masks().argmax(axis=1))
    assert np.array_equal(venv.game.table[:, 0, :2], hands[:, :2])
    assert (venv.game.table[:, 1, :2] >= 0).all()


def train(game: str) -> tuple[MaskablePPO, list[np.ndarray]]:
    venv = VecMonitor(BatchVecEnv(batch(game, 4, 4), opponents=[None, None, None, RandomAgent()]))
    model = MaskablePPO("MlpPolicy", venv, n_steps=64, batch_size=256, n_epochs=1, seed=1)
    model.learn(2 * 64 * 12)
    weights = [value.numpy().copy() for value in model.policy.state_dict().values()]
    return model, weights


@pytest.mark.parametrize("game", GAMES)
def test_maskable_ppo_trains_and_repeats_itself(game: str) -> None:
    model, weights = train(game)
    _, repeated_weights = train(game)
    assert all(np.array_equal(*pair) for pair in zip(weights, repeated_weights, strict=True))
    assert np.isfinite(weights[0]).all()
    mean, spread = evaluate_policy(model, model.get_env(), n_eval_episodes=6)
    assert np.isfinite([mean, spread]).all()
    assert model.ep_info_buffer


def test_no_more_pictures_than_can_be_looked_at() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(5, 4), render_mode="ansi")
    start(venv, 0)
    seats = [(game, seat) for game in range(4) for seat in range(4)]
    assert venv.get_images() == [picture_of(venv.game).text(*place) for place in seats]
    assert venv.env_method("render", indices=19) == [picture_of(venv.game).text(4, 3)]


def test_numbers_are_of_the_types_that_the_library_has_and_each_slot_is_named() -> None:
    venv = BatchVecEnv(batch("kododo", 2, 4), illegal_action="raise", action_mask="both")
    observations = venv.reset()
    assert isinstance(observations, dict)
    assert observations["action_mask"].dtype == np.int8
    rewards = venv.step(observations["action_mask"].argmax(axis=1))[1]
    assert rewards.dtype == np.float32
    with pytest.raises(ValueError, match=r"^actions must be 8 integers, one for each slot, not an"):
        venv.step(np.zeros(3, np.int64))
    assert venv.get_attr("metadata", 0)[0]["render_modes"][0] == "ansi"
    assert venv.action_space == venv.get_attr("action_space", 0)[0]
