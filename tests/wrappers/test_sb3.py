"""The stable-baselines3 VecEnv of every game: against a plain loop over the batch, and training."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from kododo_env import kododo_v0, registry
from kododo_env.core import BatchGame, RandomAgent, View
from kododo_env.rendering.pixels import pixels
from tests.doors import ALL_ALIKE, EXTREMES, GAMES, forced_deck
from tests.helpers import differences, random_actions

sb3_contrib = pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor  # noqa: E402

from kododo_env.wrappers.sb3 import BatchVecEnv  # noqa: E402


class Lowest:
    """Plays the first legal action and remembers how it was asked."""

    name = "lowest"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        assert isinstance(view, View)
        self.asked.append(view.player)
        return view.legal_action_mask.argmax(axis=1)


def batch(game: str, num_envs: int, players: int, **rules: Any) -> BatchGame:
    return registry.batch_game(game, num_envs, num_players=players, **rules)


def long_batch(num_envs: int) -> BatchGame:
    """Kododo's long variant with so low a target that games end at different times."""
    return kododo_v0.batch_game(num_envs, 3, "long", target_score=18)


def start(venv: BatchVecEnv | VecMonitor, seed: int) -> np.ndarray:
    venv.seed(seed)
    observations = venv.reset()
    assert isinstance(observations, np.ndarray)
    return observations


def check_against_batch(venv: BatchVecEnv, batch: BatchGame, episodes: int) -> None:
    """Play both alike, the batch by its own contract, until this many episodes are over."""
    size, players = batch.layout.size, batch.num_players
    observations, rng = start(venv, 5), np.random.default_rng(0)
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
        ended, last = batch.just_terminated.copy(), batch.observe()
        batch.restart_finished()
        for slot, info in enumerate(infos):
            game, player = divmod(slot, players)
            assert dones[slot] == ended[game]
            assert set(info) == ({"terminal_observation"} if ended[game] else set())
            if ended[game]:
                assert np.array_equal(info["terminal_observation"], last[game, player])
        episodes -= int(ended.sum())


@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_whole_episodes_as_the_batch_plays_them(game: str, players: int) -> None:
    venv = BatchVecEnv(batch(game, 3, players))
    check_against_batch(venv, batch(game, 3, players), episodes=7)


@pytest.mark.parametrize("num_envs", [2, 6])
def test_long_variant_as_the_batch_plays_it(num_envs: int) -> None:
    check_against_batch(BatchVecEnv(long_batch(num_envs)), long_batch(num_envs), episodes=40)


def test_a_game_that_waits_is_done_once() -> None:
    venv = BatchVecEnv(long_batch(8))
    start(venv, 0)
    rng = np.random.default_rng(0)
    waited = 0
    for _ in range(200):
        waiting = venv.game.terminated.repeat(3)
        masks = venv.env_method("action_masks")
        assert (masks[waiting].sum(axis=1) == 1).all()
        assert masks[waiting, venv.game.no_op].all()
        _, rewards, dones, _ = venv.step(random_actions(venv.game, rng).reshape(-1))
        assert not dones[waiting].any()
        assert not rewards[waiting].any()
        waited += waiting.sum()
    assert waited > 100


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("num_envs", [1, 4])
def test_what_is_given_out(game: str, num_envs: int) -> None:
    core = batch(game, num_envs, 4)
    venv = BatchVecEnv(core)
    space = venv.observation_space
    assert space.dtype == core.layout.dtype
    assert np.array_equal(space.high, core.layout.maxima)
    assert not space.low.any()
    assert venv.action_space.n == core.num_actions
    observations = start(venv, 0)
    rng = np.random.default_rng(0)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(40):
        step = venv.step(random_actions(core, rng).reshape(-1))
        observations, rewards, dones, infos = step
        assert observations.shape == (4 * num_envs, core.layout.size)
        assert observations.dtype == core.layout.dtype
        assert observations.flags.c_contiguous
        assert all(space.contains(row) for row in observations)
        assert (rewards.shape, rewards.dtype) == ((4 * num_envs,), np.dtype(np.float32))
        assert (dones.shape, dones.dtype) == ((4 * num_envs,), np.dtype(np.bool_))
        assert len({id(info) for info in infos}) == len(infos) == 4 * num_envs
        masks = venv.env_method("action_masks")
        kept += [(each, each.copy()) for each in (*step[:3], masks)]
        assert all(each.flags.writeable for each, _ in kept)
    # What has been given out stays as it was, over the ends of games as well.
    assert all(np.array_equal(given, then) for given, then in kept)


def test_masks_as_sb3_contrib_asks_for_them() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(3, 2))
    start(venv, 0)
    for env in (venv, VecMonitor(venv)):
        assert is_masking_supported(env)
        masks = get_action_masks(env)
        assert masks.shape == (6, 15)
        assert masks.dtype == np.bool_
        assert masks.flags.c_contiguous
        assert env.env_method("action_masks", indices=[4, 1]).shape == (2, 15)
        assert env.env_method("action_masks", indices=4).shape == (1, 15)
    masks[:] = False
    assert get_action_masks(venv).any()
    assert venv.get_attr("action_masks", 3)[0]().shape == (15,)


def test_same_seed_gives_the_same_games() -> None:
    def run(seed: int) -> list[np.ndarray]:
        venv = BatchVecEnv(kododo_v0.batch_game(2), opponents=[None, RandomAgent(), None, None])
        rng, given = np.random.default_rng(0), [start(venv, seed)]
        for _ in range(50):
            masks = venv.env_method("action_masks")
            given += venv.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))[:3]
        return given

    runs = [run(3), run(3), run(4)]
    assert all(np.array_equal(one, two) for one, two in zip(runs[0], runs[1], strict=True))
    assert not all(np.array_equal(one, two) for one, two in zip(runs[0], runs[2], strict=True))


def test_the_seed_holds_for_one_reset() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2))
    assert venv.seed(1)[0] == 1
    first, second = venv.reset(), venv.reset()
    assert not np.array_equal(first, second)
    assert np.array_equal(start(venv, 1), first)


@pytest.mark.parametrize("reward", ["score", "margin", "win"])
def test_rewards_add_up_to_the_result(reward: str) -> None:
    venv, plain = BatchVecEnv(kododo_v0.batch_game(3), reward), kododo_v0.batch_game(3)
    start(venv, 0)
    plain.reset(seed=0)
    rng, returns = np.random.default_rng(0), np.zeros(12)
    while not plain.terminated.all():
        actions = random_actions(plain, rng)
        plain.step(actions)
        returns += venv.step(actions.reshape(-1))[1]
    scores = plain.scores.astype(float)
    final = {
        "score": scores,
        "margin": scores - (scores.sum(axis=1, keepdims=True) - scores) / 3,
        "win": plain.outcome() - 1 / 4,
    }
    assert returns == pytest.approx(final[reward].ravel(), abs=1e-4)


def test_a_reward_of_ones_own() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(3), lambda game: np.arange(12.0).reshape(3, 4))
    start(venv, 0)
    rewards = venv.step(np.full(12, 5))[1]
    assert rewards.tolist() == list(range(12))
    assert rewards.dtype == np.float32
    venv = BatchVecEnv(kododo_v0.batch_game(3), lambda game: game.rewards.T)
    start(venv, 0)
    with pytest.raises(ValueError, match=r"the shape \(3, 4\), not \(4, 3\)"):
        venv.step(np.full(12, 5))


# --- opponents ----------------------------------------------------------------------------


def test_opponents_play_their_seats() -> None:
    one, other = Lowest(), Lowest()
    venv = BatchVecEnv(kododo_v0.batch_game(5), opponents=[one, None, other, None])
    assert venv.seats == [1, 3]
    assert venv.num_envs == 10
    plain = kododo_v0.batch_game(5)
    plain.reset(seed=2)
    observations, rng = start(venv, 2), np.random.default_rng(0)
    for _ in range(60):
        assert np.array_equal(observations.reshape(5, 2, -1), plain.observe()[:, [1, 3]])
        assert np.array_equal(venv.env_method("action_masks").reshape(5, 2, -1),
                              plain.legal_action_mask()[:, [1, 3]])  # fmt: skip
        actions = random_actions(plain, rng)
        actions[:, [0, 2]] = plain.legal_action_mask()[:, [0, 2]].argmax(axis=2)
        plain.step(actions)
        rewards_then = plain.rewards[:, [1, 3]].ravel()
        observations, rewards, dones, _ = venv.step(actions[:, [1, 3]].ravel())
        assert np.array_equal(rewards, rewards_then)
        assert dones.all() == plain.restart_finished().all()
    assert one.asked == [0] * 60
    assert other.asked == [2] * 60
    assert [venv.get_attr("player", slot)[0] for slot in range(4)] == [1, 3, 1, 3]
    assert [venv.get_attr("index", slot)[0] for slot in range(4)] == [0, 0, 1, 1]


def test_opponents_are_not_asked_for_forced_moves() -> None:
    # With four cards in hand the last card of the game is the only one that can be laid.
    opponent = Lowest()
    game = kododo_v0.batch_game(2, 2, hand_size=4, removed_cards=4)
    venv = BatchVecEnv(game, opponents=[None, opponent])
    start(venv, 0)
    steps, dones = 0, np.zeros(2, np.bool_)
    while not dones.any():
        dones = venv.step(venv.env_method("action_masks").argmax(axis=1))[2]
        steps += 1
    assert len(opponent.asked) == steps - 1


def test_what_is_forced_may_be_any_action_and_another_one_in_each_game() -> None:
    opponents = [None, Lowest(), Lowest(), Lowest()]
    venv = BatchVecEnv(batch("combi_combo", 2, 4, **ALL_ALIKE), opponents=opponents)
    start(venv, 0)
    venv.game.reset(decks=[forced_deck(1), forced_deck(2)])
    venv.step(venv.action_masks().argmax(axis=1))
    assert venv.game.passed.argmax(axis=2).tolist() == [[1, 2, 3, 0], [2, 3, 0, 1]]
    assert [each.asked for each in opponents[1:]] == [[], [], []]
    venv.step(venv.action_masks().argmax(axis=1))
    assert [each.asked for each in opponents[1:]] == [[1], [2], [3]]


class Wrong(Lowest):
    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        return super().act(view, rng).astype(float)


def test_an_opponent_that_does_not_play() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2), opponents=[None, Wrong()])
    start(venv, 0)
    with pytest.raises(ValueError, match="what agent 'lowest' plays must be integers, not float64"):
        venv.step(np.full(2, 5))


@pytest.mark.parametrize(
    ("opponents", "message"),
    [
        ([None, None, None], "opponents must be 4, one for each seat, None for a learner; not 3"),
        ([RandomAgent()] * 4, "leave None where the learner sits"),
        ([None, None, None, "nobody"], "unknown agent 'nobody'; kododo has random, greedy"),
        ([None, None, None, RandomAgent], "opponents must be None, an agent"),
        ("kododo-3p", "kododo-3p"),
        (5, "opponents must be None, an agent"),
    ],
)
def test_bad_opponents(opponents: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BatchVecEnv(kododo_v0.batch_game(2), opponents=opponents)


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


def test_they_show_what_stable_baselines3s_own_do() -> None:
    id = f"kododo_env:{registry.door('kado').GYMNASIUM_ID}"
    own = DummyVecEnv([lambda: gymnasium.make(id, num_players=2, seat=1, render_mode="ansi")])
    game, opponents = batch("kado", 1, 2), [RandomAgent(), None]
    venv = BatchVecEnv(game, opponents=opponents, action_mask="both", render_mode="ansi")
    names = {name for name in dir(own) if not name.startswith(("_", "buf_"))}
    assert names - {*dir(venv)} <= {"envs", "keys"}
    assert (venv.metadata, venv.render_mode) == (own.metadata, own.render_mode)
    shown = ("metadata", "render_mode", "seat", "observation_space", "action_space")
    assert [venv.get_attr(name) for name in shown] == [own.get_attr(name) for name in shown]


def test_each_slot_has_its_own_masks() -> None:
    venv = BatchVecEnv(batch("combi_combo", 3, 4), opponents=[None, RandomAgent(), None, None])
    start(venv, 0)
    masks = venv.game.legal_action_mask()[:, [0, 2, 3]].reshape(9, -1)
    assert len(set(map(bytes, masks))) > 5
    for slot, method in enumerate(venv.get_attr("action_masks")):
        assert np.array_equal(method(), masks[slot])
        assert np.array_equal(venv.env_method("action_masks", indices=slot)[0], masks[slot])


def test_methods_of_slots_are_called_with_what_is_given() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2))
    for slot in range(4):
        venv.set_attr("told", lambda *words, slot=slot, **more: (slot, words, more), slot)
    assert venv.env_method("told", 1, 2, indices=[3, 0], more=5) == [
        (3, (1, 2), {"more": 5}),
        (0, (1, 2), {"more": 5}),
    ]
    assert [each[0] for each in venv.env_method("told")] == [0, 1, 2, 3]


def test_every_slot_has_infos_of_the_reset_of_its_own() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2))
    venv.reset_infos = [{"old": 1}] * 4
    venv.reset()
    assert venv.reset_infos == [{}, {}, {}, {}]
    assert len({id(each) for each in venv.reset_infos}) == 4


@pytest.mark.parametrize(
    "actions", [np.full(3, 5), np.full((2, 2), 5), np.full(4, 5.0), [5, 5, 5, None]]
)
def test_bad_actions(actions: Any) -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2))
    start(venv, 0)
    with pytest.raises(ValueError, match=r"actions must be (4 )?integers"):
        venv.step(actions)
    with pytest.raises(ValueError, match="illegal action in kododo: game 0, player 1, action 3"):
        venv.step(np.array([5, 3, 5, 5]))
    venv.step(np.full(4, 5))


def test_a_batch_that_was_not_reset_is_played_as_it_was_dealt() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2), opponents=[None, RandomAgent()])
    hands = venv.game.hands[:, 0].copy()
    with pytest.raises(RuntimeError, match="step_async"):
        venv.step_wait()
    venv.step(np.full(2, 5))
    assert np.array_equal(venv.game.table[:, 0, :2], hands[:, :2])
    assert (venv.game.table[:, 1, :2] >= 0).all()


def test_a_step_needs_actions() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2))
    start(venv, 0)
    with pytest.raises(RuntimeError) as error:
        venv.step_wait()
    assert str(error.value) == "step_wait() needs step_async(actions) first"
    venv.step(np.full(4, 5))
    with pytest.raises(RuntimeError, match="step_async"):
        venv.step_wait()


def test_nothing_is_an_action_that_was_given() -> None:
    """None was taken for a step that nobody had asked for."""
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2))
    start(venv, 0)
    with pytest.raises(ValueError, match="actions must be integers"):
        venv.step(None)  # type: ignore[arg-type]


def test_opponents_choose_as_if_a_refused_step_had_not_been_asked_for() -> None:
    """They had chosen before the refusal, and chose otherwise the next time."""
    one, other = (
        BatchVecEnv(kododo_v0.batch_game(4, 3), opponents=[None, *[RandomAgent()] * 2])
        for _ in range(2)
    )
    for venv in (one, other):
        start(venv, 0)
    for _ in range(5):
        with pytest.raises(ValueError, match="illegal action"):
            one.step(np.array([5, 5, 5, 99]))
        legal = other.action_masks().argmax(axis=1)
        for mine, theirs in zip(one.step(legal), other.step(legal), strict=True):
            np.testing.assert_equal(mine, theirs)


def test_monitor_sees_whole_episodes() -> None:
    venv = VecMonitor(BatchVecEnv(kododo_v0.batch_game(2, 3)))
    start(venv, 0)
    game = kododo_v0.batch_game(2, 3)
    game.reset(seed=0)
    rng = np.random.default_rng(0)
    while not game.terminated.all():
        actions = random_actions(game, rng)
        game.step(actions)
        infos = venv.step(actions.reshape(-1))[3]
    assert [info["episode"]["r"] for info in infos] == game.scores.ravel().tolist()
    assert {info["episode"]["l"] for info in infos} == {21}


def train(game: str) -> tuple[MaskablePPO, list[np.ndarray]]:
    venv = VecMonitor(BatchVecEnv(batch(game, 4, 4), opponents=[None, None, None, RandomAgent()]))
    model = MaskablePPO("MlpPolicy", venv, n_steps=64, batch_size=256, n_epochs=1, seed=1)
    model.learn(2 * 64 * 12)
    weights = [value.numpy().copy() for value in model.policy.state_dict().values()]
    return model, weights


@pytest.mark.parametrize("game", GAMES)
def test_maskable_ppo_trains_and_repeats_itself(game: str) -> None:
    (model, one), (_, other) = train(game), train(game)
    assert all(np.array_equal(*pair) for pair in zip(one, other, strict=True))
    assert np.isfinite(one[0]).all()
    mean, spread = evaluate_policy(model, model.get_env(), n_eval_episodes=6)
    assert np.isfinite([mean, spread]).all()
    assert model.ep_info_buffer


# --- options --------------------------------------------------------------------------


def test_one_opponent_has_all_seats_but_the_first() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 3), opponents="heuristic")
    assert venv.seats == [0]
    assert [agent and agent.name for agent in venv.opponents] == [None, "heuristic", "heuristic"]


def test_illegal_actions_are_replaced_and_told() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2), illegal_action="random")
    start(venv, 0)
    actions = np.array([0, 5, 1, 6])  # single cards, where a pair must be laid
    infos = venv.step(actions)[3]
    assert [info.get("illegal_action", False) for info in infos] == [True, False, True, False]
    assert actions.tolist() == [0, 5, 1, 6]
    assert (venv.game.table[:, :, 1] >= 0).all()


@pytest.mark.parametrize("actions", [np.full(4, 15), np.array([5, 5, -1, 5])])
def test_what_is_no_action_is_not_replaced(actions: Any) -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2), illegal_action="random")
    start(venv, 0)
    before = venv.game.state()
    with pytest.raises(ValueError, match=r"actions must be 0 to 14, not (15|-1)"):
        venv.step(actions)
    assert differences(before, venv.game.state()) == []


def test_the_message_names_the_option() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2))
    start(venv, 0)
    with pytest.raises(ValueError, match=r"without masks\? illegal_action='random' plays"):
        venv.step(np.zeros(4, int))


@pytest.mark.parametrize("action_mask", ["observation", "both"])
@pytest.mark.parametrize("game", GAMES)
def test_masks_in_the_observation(game: str, action_mask: str) -> None:
    venv = BatchVecEnv(batch(game, 2, 4), action_mask=action_mask, normalize=True)
    venv.seed(0)
    observations, rng, dones = venv.reset(), np.random.default_rng(0), np.zeros(8, np.bool_)
    assert isinstance(observations, dict)
    plain = venv.game.layout.maxima
    while not dones.any():
        assert observations["observation"].dtype == np.float32
        assert np.array_equal(observations["action_mask"], venv.action_masks())
        whole = venv.game.observe().reshape(8, -1)
        assert np.allclose(observations["observation"] * plain, whole, atol=1e-4)
        assert venv.observation_space.contains({k: v[3] for k, v in observations.items()})
        observations, _, dones, infos = venv.step(random_actions(venv.game, rng).reshape(-1))
    last = infos[3]["terminal_observation"]
    assert venv.observation_space.contains(last)


def test_pictures_show_what_each_learner_may_know() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(2, 2), render_mode="rgb_array")
    start(venv, 0)
    tiled, one = venv.render(), pixels(venv.game.svg(1, 0))
    assert tiled is not None
    assert tiled.shape == (2 * one.shape[0], 2 * one.shape[1], 3)
    assert np.array_equal(tiled[one.shape[0] :, : one.shape[1]], one)


def test_no_more_pictures_than_can_be_looked_at() -> None:
    venv = BatchVecEnv(kododo_v0.batch_game(5, 4), render_mode="ansi")
    start(venv, 0)
    seats = [(game, seat) for game in range(4) for seat in range(4)]
    assert venv.get_images() == [venv.game.text(*each) for each in seats]
    assert venv.env_method("render", indices=19) == [venv.game.text(4, 3)]
