"""The Gymnasium VectorEnv of every game, compared with the environment of one game."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from kododo_env import kododo_v0, registry
from kododo_env.core import View
from kododo_env.core.rewards import REWARDS
from kododo_env.wrappers import BatchVectorEnv, OpponentPool
from kododo_env.wrappers.base import drawing_metadata
from kododo_env.wrappers.spaces import ObservationFormat, row_of
from tests.game_tables import EXTREMES, GAMES, TABLES
from tests.helpers import differences
from tests.wrappers.interfaces import FirstActionAgent, Single, Vector, play

NEXT, SAME, DISABLED = AutoresetMode


class Last(FirstActionAgent):
    """Plays the last legal action."""

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        return view.num_actions - 1 - view.legal_action_mask[:, ::-1].argmax(axis=1)


def make(game: str, num_envs: int, players: int, **options: Any) -> BatchVectorEnv:
    env_id = f"kododo_env:{registry.environment_module(game).GYMNASIUM_ID}"
    env = gymnasium.make_vec(env_id, num_envs=num_envs, num_players=players, **options)
    assert isinstance(env, BatchVectorEnv)
    return env


def legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a legal action in each game."""
    return (rng.random(masks.shape) * (masks > 0)).argmax(axis=1)


def games_of_some_deals(num_envs: int) -> Any:
    """Return Kododo's long variant, in which games end at different times."""
    return kododo_v0.batch_game(num_envs, 2, "long", target_score=60)


class SingleGameVector(Vector):
    """A batch of one game."""

    num_envs = 1


@pytest.mark.parametrize(
    "options",
    [{"seat": 1}, {"seat": "random"}, {"opponents": OpponentPool(["random", "heuristic"])}],
)
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_a_batch_of_one_is_the_environment_of_one_game(
    game: str, players: int, options: dict[str, Any]
) -> None:
    """The same seed and actions give exactly the same episodes."""
    single, batch = (
        play(kind(game, players, **options), np.random.default_rng(0), 5, None)
        for kind in (Single, SingleGameVector)
    )
    assert data_equivalence(
        *([reply.observations for reply in replies] for replies in (single, batch))
    )
    assert [reply.rewards for reply in single] == [reply.rewards for reply in batch]
    assert [reply.over for reply in single] == [reply.over for reply in batch]
    assert len(single) == len(batch)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_games_that_are_over_are_dealt_again(mode: AutoresetMode) -> None:
    """In the next step, which ignores actions; in the same step; or by reset."""
    env = make("kododo", 3, 4, autoreset_mode=mode.value)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    ends = np.zeros(3, np.bool_)
    for _ in range(env.game.rules.num_rounds * 3):
        assert not ends.any()
        observations, _, ends, _, info = env.step(legal(env.action_masks(), rng))
    assert ends.all()
    assert env.game.terminated.all() == (mode != SAME)
    if mode == NEXT:
        observations, rewards, ends, _, info = env.step(np.full(3, 999))
        assert not np.concatenate([rewards, ends]).any()
    if mode == DISABLED:
        for wrong in (np.zeros(3, np.bool_), np.ones(2, np.bool_), np.ones(3)):
            with pytest.raises(ValueError, match="reset_mask must be 3 booleans"):
                env.reset(options={"reset_mask": wrong})
        observations, info = env.reset(options={"reset_mask": ends})
        with pytest.raises(ValueError, match=r"reset_mask must .*are over"):
            env.reset(options={"reset_mask": np.array([True, False, False])})
    assert not env.game.terminated.any()
    assert np.array_equal(observations["observation"], env.game.observe()[:, 0])
    assert info["action_mask"].sum(axis=1).tolist() == [10, 10, 10]
    assert info["_action_mask"].dtype == np.bool_


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_games_that_end_at_different_times(mode: AutoresetMode) -> None:
    """Each ends once, with rewards that sum to its score, and waits without reward."""
    env = BatchVectorEnv(games_of_some_deals(40), autoreset_mode=mode)
    rng = np.random.default_rng(0)
    gained = np.zeros(40)
    waiting = np.zeros(40, np.bool_)
    env.reset(seed=0)
    episodes = waited = 0
    while episodes < 80:
        scores = env.game.scores[:, 0].astype(float)
        # The actions of waiting games are ignored.
        actions = np.where(waiting, 999, legal(env.action_masks(), rng))
        _, rewards, ends, _, info = env.step(actions)
        assert "illegal_action" not in info
        assert not rewards[waiting].any()
        assert not ends[waiting].any()
        gained += rewards
        if mode != SAME:
            assert gained[ends].tolist() == env.game.scores[ends, 0].tolist()
        elif ends.any():
            assert [observation is None for observation in info["final_obs"]] == (~ends).tolist()
        assert (gained[ends] >= scores[ends]).all()
        gained[ends] = 0
        episodes += int(ends.sum())
        if mode == DISABLED and env.game.terminated.all():
            env.reset()
        waiting = np.array(env.game.terminated)
        waited += int(waiting.sum())
        assert (env.action_masks()[waiting].argmax(axis=1) == env.game.no_op).all()
    assert waited


def test_some_games_are_dealt_by_hand_with_the_others_next_deal() -> None:
    env = BatchVectorEnv(games_of_some_deals(40), autoreset_mode=DISABLED)
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def before_a_deal() -> bool:
        return env.game.turn == env.game.round_index == 0

    def play_on() -> None:
        env.step(legal(env.action_masks(), rng))
        while not before_a_deal():
            if env.game.terminated.any():
                with pytest.raises(ValueError, match=r"finished games .*next deal"):
                    env.reset(options={"reset_mask": np.array(env.game.terminated)})
            env.step(legal(env.action_masks(), rng))

    play_on()
    play_on()
    over = np.array(env.game.terminated)
    assert 0 < over.sum() < 40
    env.reset(options={"reset_mask": over})
    assert not env.game.terminated.any()
    with pytest.raises(ValueError, match=r"seed .* reset_mask"):
        env.reset(seed=1, options={"reset_mask": np.arange(40) == 0})


def test_every_game_may_have_the_learner_in_another_seat() -> None:
    env = make(
        "kododo",
        60,
        4,
        seat="random",
        opponents=[FirstActionAgent("a"), Last("b"), FirstActionAgent("c")],
    )
    env.reset(seed=0)
    assert set(env.seats.tolist()) == {0, 1, 2, 3}
    before = env.game.legal_action_mask()
    plain = env.game.clone()
    seats = env.seats
    games = np.arange(60)
    assert np.array_equal(
        env.step(np.full(60, 7))[0]["observation"], env.game.observe()[games, seats]
    )
    everybody = before.argmax(axis=2)
    everybody[games, (seats + 2) % 4] = 14
    everybody[games, seats] = 7
    plain.step(everybody)
    assert np.array_equal(plain.observe(), env.game.observe())
    env.reset()
    assert not np.array_equal(env.seats, seats)


@pytest.mark.parametrize("game", GAMES)
def test_spaces_hold_what_is_given(game: str) -> None:
    for options in ({}, {"action_mask": "info", "normalize": True}):
        env = make(game, 3, 4, **options)
        observations, info = env.reset(seed=0)
        assert env.observation_space.contains(observations)
        assert info["action_mask"].dtype == np.int8
        truncated = env.step(info["action_mask"].argmax(axis=1))[3]
        assert (truncated.dtype, truncated.any()) == (np.dtype(np.bool_), False)
        assert env.action_space.contains(env.action_space.sample())
    single = gymnasium.make(f"kododo_env:{registry.environment_module(game).GYMNASIUM_ID}")
    assert single.reset(seed=0)[1]["action_mask"].dtype == np.int8


def test_what_is_replaced_and_what_has_ended_are_told_together() -> None:
    env = make("kododo", 3, 4, autoreset_mode=SAME, illegal_action="random")
    env.reset(seed=0)
    ends = np.zeros(3, np.bool_)
    while not ends.any():
        ends, _, info = env.step(env.action_masks().argmin(axis=1))[2:]
    names = {"illegal_action", "final_obs", "final_info", "action_mask"}
    assert names | {f"_{name}" for name in names} == {*info}
    assert info["final_obs"].dtype == object


def test_of_games_that_go_on_there_is_no_final_info() -> None:
    env = make("kododo", 40, 2, autoreset_mode=SAME, variant="long", target_score=60)
    env.reset(seed=0)
    ends = np.zeros(40, np.bool_)
    while not ends.any():
        ends, _, info = env.step(env.action_masks().argmax(axis=1))[2:]
    assert not ends.all()
    assert info["final_info"]["_action_mask"].tolist() == info["_final_info"].tolist()
    assert info["_final_info"].tolist() == ends.tolist()
    assert info["_action_mask"].all()


def test_a_seed_and_some_games_do_not_go_together() -> None:
    env = make("kododo", 3, 4)
    mask = {"reset_mask": np.array([True, False, False])}
    for seed in (1, [1, 2, 3], [1, None, None]):
        with pytest.raises(ValueError, match="seed cannot be combined with reset_mask"):
            env.reset(seed=seed, options=mask)
    decks = env.game.sample_decks(3, np.random.default_rng(0))
    with pytest.raises(ValueError, match="deck cannot be combined with reset_mask"):
        env.reset(options=mask | {"deck": decks})
    env.reset(seed=5)
    assert env.np_random_seed == 5


def test_values_that_are_no_option_are_shown() -> None:
    env = make("kododo", 3, 4)
    with pytest.raises(ValueError, match="at least one True, not 'all'"):
        env.reset(options={"reset_mask": "all"})
    with pytest.raises(ValueError, match=r"^autoreset_mode must be one of .*, not 'never'$"):
        BatchVectorEnv(registry.batch_game("kododo", 3), autoreset_mode="never")
    game = registry.batch_game("kododo", 2)
    with pytest.raises(ValueError, match=r"^action_mask must be one of .*, not 'no'$"):
        ObservationFormat(game, action_mask="no")
    with pytest.raises(ValueError, match=r"a dtype such as 'float32', not 'no'$"):
        ObservationFormat(game, "no")


def test_opponents_by_name_in_each_seat_and_a_level() -> None:
    names = ["follow", "greedy", "random"]
    for opponents in (names, "level-1"):
        env = make("kododo", 2, 4, opponents=opponents)
        env.reset(seed=0)
        env.step(env.action_masks().argmax(axis=1))
    named = [agent.name for agent in make("kododo", 2, 4, opponents=names).opponents]
    assert named == names


def test_an_observation_is_in_counts_with_its_mask_twice_if_nothing_else_is_said() -> None:
    game = registry.batch_game("kododo", 2, 0)
    form = ObservationFormat(game)
    rows = game.observe()[:, 0]
    assert (form.normalize, form.in_observation, form.in_info) == (False, True, True)
    assert np.array_equal(form.of_rows(rows), rows)
    with pytest.raises(ValueError, match=r"130 numbers, .*129"):
        form.of_rows(rows[:, 1:])
    shares = ObservationFormat(game, normalize=True).of_rows(rows)
    assert shares.dtype == np.float32
    assert np.allclose(shares, rows / game.layout.maxima)
    assert ObservationFormat(game, normalize=True).box.high.max() == 1


def test_gymnasiums_own_wrappers() -> None:
    env = RecordEpisodeStatistics(make("kododo", 3, 4, opponents="follow"))
    env.reset(seed=0)
    info: dict[str, Any] = {}
    while "episode" not in info:
        info = env.step(env.action_space.sample())[4]
    assert info["episode"]["l"].tolist() == [18] * 3
    listed = DictInfoToList(make("kododo", 3, 4))
    infos = listed.reset(seed=0)[1]
    assert [game_info["action_mask"].sum() for game_info in infos] == [10] * 3


# --- truncation ---------------------------------------------------------------------------

LIMIT = 4


class Alone:
    """An episode of one game under Gymnasium's own limit, by the last legal action.

    Attributes:
        rewards: The reward of each decision.
        ended: Whether the last decision terminated the episode, and whether it was truncated.
        last: The last observation.
    """

    def __init__(self, deck: np.ndarray, **options: Any) -> None:
        env = gymnasium.make(**options)
        observation, _ = env.reset(options={"deck": deck})
        self.rewards: list[float] = []
        self.ended = False, False
        while not any(self.ended):
            observation, reward, terminated, truncated, _ = env.step(
                last_legal(observation["action_mask"])
            )
            self.rewards.append(float(reward))
            self.ended = terminated, truncated and not terminated
        self.last = observation


def last_legal(masks: np.ndarray) -> Any:
    return masks.shape[-1] - 1 - masks[..., ::-1].argmax(axis=-1)


class Together:
    """One episode in each game of a batch, by the last legal actions, with the fields of ``Alone``.

    Games that are over wait with only the no-op and without reward, and do not end again.
    """

    def __init__(self, env: BatchVectorEnv) -> None:
        self.count = env.num_envs
        self.same_step = env.autoreset_mode == SAME
        self.rewards: list[list[float]] = [[] for _ in range(self.count)]
        self.ended = [(False, False)] * self.count
        self.last: list[Any] = [None] * self.count
        self.over = self.waiting = np.zeros(self.count, np.bool_)
        self.early = np.zeros(self.count)  # rewards before the first decision
        while not self.over.all():
            self.step(env)

    def step(self, env: BatchVectorEnv) -> None:
        masks = env.action_masks()
        assert np.array_equal(env.call("action_masks"), masks)
        assert (masks[self.waiting].argmax(axis=1) == env.game.no_op).all()
        assert (masks[self.waiting].sum(axis=1) == 1).all()
        actions = np.where(self.over, 999, last_legal(masks))
        observations, gained, terminated, truncated, info = env.step(actions)
        ended = terminated | truncated
        assert not gained[self.over].any()
        assert not ended[self.over].any()
        for index in np.flatnonzero(~self.over).tolist():
            self.gain(index, float(gained[index]), decided=masks[index].sum() > 1)
            self.ended[index] = bool(terminated[index]), bool(truncated[index])
            if ended[index]:
                self.last[index] = (
                    info["final_obs"][index] if self.same_step else row_of(observations, index)
                )
        # A truncating step returns the position's mask, in SAME_STEP mode as final_obs.
        self.waiting = self.over | ended if self.same_step else self.over
        self.over = self.over | ended

    def gain(self, index: int, reward: float, decided: bool) -> None:
        rewards = self.rewards[index]
        if decided:
            rewards.append(reward + self.early[index])
            self.early[index] = 0
        elif rewards:
            rewards[-1] += reward
        else:
            self.early[index] += reward


@pytest.mark.parametrize(("reward", "limit"), [*zip(REWARDS, [1, LIMIT, 9, 500], strict=True)])
@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("game", GAMES)
def test_each_episode_is_cut_as_gymnasium_cuts_it(
    game: str, mode: AutoresetMode, limit: int, reward: str
) -> None:
    """Each game has its learner in another seat, so that they decide at different times in KADO."""
    players = registry.environment_module(game).batch_game(1).num_players
    options = {"reward": reward, "opponents": FirstActionAgent(), "max_episode_steps": limit}
    env = make(game, 12, players, seat="random", autoreset_mode=mode, **options)
    env.reset(seed=1)
    id = f"kododo_env:{registry.environment_module(game).GYMNASIUM_ID}"
    alone = [
        Alone(deck, id=id, num_players=players, seat=int(seat), **options)
        for deck, seat in zip(env.game.decks, env.seats, strict=True)
    ]
    together = Together(env)
    assert together.ended == [single.ended for single in alone]
    assert data_equivalence(together.last, [single.last for single in alone])
    for rewards, single in zip(together.rewards, alone, strict=True):
        assert rewards == pytest.approx(single.rewards, abs=1e-4)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("game", GAMES)
def test_games_that_were_cut_are_dealt_again(game: str, mode: AutoresetMode) -> None:
    """Like those that have ended."""
    env = make(game, 12, 4, seat="random", autoreset_mode=mode, max_episode_steps=LIMIT)
    env.reset(seed=1)
    for _ in range(2):
        before = env.game.decks
        assert Together(env).ended == [(False, True)] * 12
        if mode == NEXT:
            _, *outputs, _ = env.step(np.full(12, 999))
            assert not np.any(outputs)
        elif mode == DISABLED:
            with pytest.raises(RuntimeError, match=r"are over; call reset\(\)"):
                env.step(np.zeros(12, int))
            env.reset(options={"reset_mask": np.ones(12, np.bool_)})
        assert not np.array_equal(env.game.decks, before)
        assert (env.action_masks().sum(axis=1) > 1).any()


@pytest.mark.parametrize("mode", [NEXT, SAME])
def test_games_of_several_deals_are_cut_and_dealt_again(mode: AutoresetMode) -> None:
    """Some terminate and some are truncated, at different times; all begin again."""
    env = BatchVectorEnv(games_of_some_deals(40), autoreset_mode=mode, max_episode_steps=40)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    decisions = np.zeros(40, int)
    terminations = np.zeros(40, int)
    truncations = np.zeros(40, int)
    while (terminations + truncations).min() < 3:
        waiting = env._over()
        masks = env.action_masks()
        decisions[~waiting] += masks[~waiting].sum(axis=1) > 1
        _, gained, terminated, truncated, _ = env.step(legal(masks, rng))
        assert not gained[waiting].any()
        assert not (terminated | truncated)[waiting].any()
        assert (decisions[truncated] == 40).all()
        assert (decisions <= 40).all()
        terminations += terminated
        truncations += truncated
        decisions[terminated | truncated] = 0
    assert terminations.any()
    assert truncations.any()


def test_some_games_that_were_cut_cannot_be_dealt_without_the_others() -> None:
    """All games of a batch are at the same turn."""
    env = make("kado", 12, 3, seat="random", max_episode_steps=1, autoreset_mode=DISABLED)
    _, info = env.reset(seed=1)
    truncated = np.zeros(12, np.bool_)
    while not truncated.any():
        _, _, _, truncated, info = env.step(info["action_mask"].argmax(axis=1))
    assert not truncated.all()
    with pytest.raises(ValueError, match=r"truncated .* only when all"):
        env.reset(options={"reset_mask": truncated})
    while not truncated.all():
        truncated |= env.step(env.action_masks().argmax(axis=1))[3]
    env.reset(options={"reset_mask": truncated})


@pytest.mark.parametrize("limit", [None, -1])
def test_without_a_limit_nothing_is_truncated(limit: int | None) -> None:
    env = make("kododo", 3, 4, max_episode_steps=limit)
    assert env.max_episode_steps is None
    replies = play(Vector("kododo", 4, max_episode_steps=limit), np.random.default_rng(0), 5)
    assert len(replies) == 1 + env.game.rules.num_rounds * 3


def test_gymnasium_counts_the_steps_of_an_episode_that_is_cut() -> None:
    env = RecordEpisodeStatistics(make("kododo", 3, 4, max_episode_steps=LIMIT))
    env.reset(seed=0)
    info: dict[str, Any] = {}
    while "episode" not in info:
        info = env.step(env.action_space.sample())[4]
    assert info["episode"]["l"].tolist() == [LIMIT] * 3
    one_by_one = make_vec_of_single(max_episode_steps=LIMIT)
    one_by_one.reset(seed=0)
    ends = [one_by_one.step(np.full(2, 5))[3].tolist() for _ in range(LIMIT)]
    assert ends == [[False] * 2] * (LIMIT - 1) + [[True] * 2]


def make_vec_of_single(**options: Any) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """Create Gymnasium's own vector environment, with a limit around each game."""
    id = f"kododo_env:{registry.environment_module('kododo').GYMNASIUM_ID}"
    return gymnasium.make_vec(id, num_envs=2, vectorization_mode="sync", **options)


# --- what SyncVectorEnv has besides -----------------------------------------------------


def one_by_one(num_envs: int, **options: Any) -> SyncVectorEnv:
    """Create Gymnasium's own vector environment over single games of KADO."""
    id = f"kododo_env:{registry.environment_module('kado').GYMNASIUM_ID}"
    return SyncVectorEnv([lambda: gymnasium.make(id, **options)] * num_envs)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_it_has_what_gymnasiums_own_has(mode: AutoresetMode) -> None:
    """TorchRL's ``GymWrapper`` reads the attribute ``autoreset_mode``, not the metadata."""
    sync_env = one_by_one(2)
    env = make("kado", 2, 4, autoreset_mode=mode.value)
    of_single_environments = {"copy", "env_fns", "envs", "observation_mode"}
    names = {name for name in dir(sync_env) if not name.startswith("_")}
    assert names - {*dir(env)} <= of_single_environments
    assert env.autoreset_mode is env.metadata["autoreset_mode"] is mode


def test_each_game_shows_itself_as_gymnasiums_own_do() -> None:
    options = {"seat": 2, "render_mode": "ansi", "opponents": FirstActionAgent("first")}
    envs = [one_by_one(3, num_players=3, **options), make("kado", 3, 3, **options)]
    for env in envs:
        env.reset(seed=[4, 5, 4])
        env.set_attr("note", "same")
        env.set_attr("other", ["a", "b", "c"])
        env.set_attr("pair", [(1, 2)] * 3)
    assert np.array_equal(*(env.call("action_masks") for env in envs))
    attributes = (
        "seat",
        "render_mode",
        "observation_space",
        "action_space",
        "note",
        "other",
        "pair",
    )
    for name in attributes:
        expected, actual = (env.get_attr(name) for env in envs)
        assert type(expected) is type(actual)
        assert expected == actual
    assert envs[0].call("render") == envs[1].call("render") == envs[1].render()
    envs[1].set_attr("divided", divmod)
    assert envs[1].call("divided", 7, 2) == ((3, 1),) * 3
    envs[1].set_attr("made", dict)
    assert envs[1].call("made", a=1) == ({"a": 1},) * 3
    assert envs[1].metadata["render_modes"] == drawing_metadata(batch=True)["render_modes"]
    assert "human" not in envs[1].metadata["render_modes"]
    for env in envs:
        with pytest.raises(AttributeError, match="nonsense"):
            env.get_attr("nonsense")
        with pytest.raises(ValueError, match="environment"):
            env.set_attr("note", [1, 2])


@pytest.mark.parametrize(
    "make_envs", [one_by_one, lambda *arguments, **options: make("kado", *arguments, 3)]
)
@pytest.mark.parametrize(
    "value",
    [
        "first", ["first"] * 2, (None, "first", "first"), ["first"] * 5, [["first"] * 2] * 5,
        [(None, "first", "first")] * 5,
    ],
)  # fmt: skip
def test_opponents_are_set_for_all_games(make_envs: Any, value: Any) -> None:
    """Regression: ``get_attr`` returned the new ones, but the old ones played on."""
    envs = make_envs(5)
    if isinstance(envs, SyncVectorEnv) and isinstance(value, list | tuple) and len(value) < 5:
        value = [value] * 5  # here each game has its own, and a list has one per game
    envs.reset(seed=0)
    envs.set_attr("opponents", value)
    in_force = envs.get_attr("opponents")
    assert [[agent.name for agent in agents] for agents in in_force] == [["first"] * 2] * 5


def test_games_of_a_batch_have_the_same_opponents() -> None:
    envs = make("kado", 5, 3)
    with pytest.raises(ValueError, match="expected 2 opponents"):
        envs.set_attr("opponents", ["first", "first", "random", "first", "first"])
    with pytest.raises(ValueError, match="unknown agent"):
        envs.set_attr("opponents", "nobody")
    wrapped: Any = RecordEpisodeStatistics(envs)
    wrapped.unwrapped.set_attr("opponents", ["first", "random"])
    assert [agent.name for agent in envs.opponents] == ["first", "random"]
    wrapped.opponents = "first"
    with pytest.warns(UserWarning, match="opponents were set on the wrapper RecordEpisodeStat"):
        wrapped.reset()


def test_the_learner_of_one_game_may_change_its_seat() -> None:
    """Regression: an invalid seat caused an IndexError later."""
    env = gymnasium.make(f"kododo_env:{registry.environment_module('kado').GYMNASIUM_ID}").unwrapped
    for wrong in (3, -1, None, "first"):
        with pytest.raises(ValueError, match=r"seat \(if not 'random'\)"):
            env.seat = wrong
    env.seat = 2
    env.reset(seed=0)
    assert env.get_wrapper_attr("seat") == 2
    env.seat = "random"
    seats = set()
    for _ in range(20):
        env.reset()
        seats.add(env.seat)
    assert seats == {0, 1, 2}


@pytest.mark.parametrize("kind", [list, tuple, np.array])
@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_a_seed_for_each_game(game: str, players: int, kind: Any) -> None:
    """Each game is dealt like a single game; the same seeds give the same games again."""
    seeds = kind([7, 3, 7])
    env = make(game, 3, players, opponents="random")
    first, _ = env.reset(seed=seeds)
    for index, seed in enumerate([7, 3, 7]):
        alone, _ = make(game, 1, players).reset(seed=seed)
        assert np.array_equal(first["observation"][index], alone["observation"][0])
    actions = env.call("action_masks")
    played = [env.step(np.argmax(actions, axis=1))[0]["observation"], env.reset()[0]]
    assert data_equivalence(env.reset(seed=seeds)[0], first)
    replayed = [env.step(np.argmax(actions, axis=1))[0]["observation"], env.reset()[0]]
    assert data_equivalence(played, replayed)


def test_a_seed_for_each_game_gives_all_of_its_deals() -> None:
    """Kododo's long variant deals several times."""
    env = BatchVectorEnv(games_of_some_deals(3))
    env.reset(seed=[5, 6, 7])
    for index, seed in enumerate([5, 6, 7]):
        together = env.game.clone()
        alone = env.game.fresh(1, seed)
        while not alone.terminated.all():
            assert np.array_equal(together.observe()[index], alone.observe()[0])
            for batch in (together, alone):
                batch.step(batch.legal_action_mask().argmax(axis=2))
        assert together.scores[index].tolist() == alone.scores[0].tolist()


def test_some_games_without_a_seed() -> None:
    """They continue the batch's generator, as all do without a seed."""
    env = make("kododo", 3, 4)
    twin = make("kododo", 3, 4)
    for vector_env in (env, twin):
        vector_env.reset(seed=0)
    first, second = (env.reset(seed=[1, None, None])[0]["observation"] for _ in range(2))
    assert np.array_equal(first, twin.reset(seed=[1, None, None])[0]["observation"])
    assert np.array_equal(first[0], second[0])
    assert not np.array_equal(first[1:], second[1:])
    assert not np.array_equal(first[1], first[2])


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ([1, 2], "seed must be .*3 integers, .*not of 2"),
        ([1, 2, -1], "seed must be .*, not -1"),
        ([1, 2, True], "seed must be .*, not True"),
        ([1, [2], 3], r"seed must be .*, not \[2\]"),
        ("abc", "seed must be .*, not 'abc'"),
        (np.array(1.5), "seed must be .*, not"),
        ({1, 2, 3}, "seed must be .*, not"),
    ],
)
def test_seeds_that_are_none(seed: Any, message: str) -> None:
    env = make("kododo", 3, 4)
    env.reset(seed=0)
    before = env.game.state()
    drawn = env._choices.rng.bit_generator.state
    with pytest.raises(ValueError, match=message):
        env.reset(seed=seed)
    assert differences(before, env.game.state()) == []
    assert env._choices.rng.bit_generator.state == drawn
