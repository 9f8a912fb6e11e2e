"""Every wrapper of every game, compared with the batch."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import cloudpickle
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

from kododo_env import kododo_v0, registry
from kododo_env.core import BatchGame, RandomAgent, View
from kododo_env.core.rewards import REWARDS, reward_function
from kododo_env.policy import onnx_validation
from kododo_env.policy.numpy_session import NumpySession
from kododo_env.registry import picture_of
from kododo_env.rendering.pixels import RenderingUnavailable, font_files, pixels
from kododo_env.wrappers import AECGame, ParallelGame, SingleSeatEnv
from tests.game_tables import ALL_ALIKE, EXTREMES, GAMES, TABLES, forced_deck
from tests.helpers import differences, random_actions
from tests.wrappers.interfaces import (
    AEC,
    EVERY_MODE,
    KINDS,
    SB3,
    Disabled,
    FirstActionAgent,
    Interface,
    Parallel,
    SameStep,
    Single,
    SlotLog,
    Vector,
    earned,
    play,
)

# With four cards in hand, the last card of the game is a forced choice.
LAST_CARD = {"hand_size": 4, "removed_cards": 4}
CASES: tuple[tuple[Any, ...], ...] = (
    *((game, players, {}, {}) for game, players in TABLES),
    ("kododo", 2, LAST_CARD, {}),
    # Any action may be forced.
    ("combi_combo", 4, ALL_ALIKE, {"deck": forced_deck(1)}),
)
FOR_EACH_SEAT = (Parallel, AEC, SB3)
FOR_EACH_OTHER = (Single, Vector)
all_kinds = pytest.mark.parametrize("kind", KINDS)
dealt_by_reset = pytest.mark.parametrize("kind", [kind for kind in EVERY_MODE if kind is not SB3])


def legal(table: Interface, reply: SlotLog, rng: np.random.Generator) -> list[int]:
    masks = table.masks(reply)
    return (rng.random(masks.shape) * (masks > 0)).argmax(axis=1).tolist()


def equal_episodes(first: Any, second: Any) -> bool:
    return data_equivalence([vars(reply) for reply in first], [vars(reply) for reply in second])


# --- playing --------------------------------------------------------------------------


def follow(
    table: Interface, reset: dict[str, Any], reward: Any, **rules: Any
) -> tuple[np.ndarray, list[int], BatchGame]:
    """Play a whole game beside the batch; all opponents play their first legal action.

    Returns:
        The reward of each slot, the seats whose opponents had to be called, and the batch.
    """
    game = table.game.name
    players = table.game.num_players
    seats = table.seats
    plain = registry.batch_game(game, table.num_envs, num_players=players, **rules)
    plain.reset(5, [reset["deck"]] * plain.num_envs if reset else None)
    reply = table.reset(5, **reset)
    rng = np.random.default_rng(0)
    opponent_seats = []
    gained = np.zeros((plain.num_envs, len(seats)))
    returns = 0
    turn_order = [(table.first + seat) % players for seat in range(players)]

    def step(actions: np.ndarray) -> np.ndarray:
        deciding = plain.deciding().any(axis=0)
        opponent_seats.extend(seat for seat in turn_order if deciding[seat] and seat not in seats)
        plain.step(actions)
        return reward_function(reward)(plain)[:, seats]

    while True:
        while table.passes_forced_steps and not (
            plain.terminated.all() or plain.deciding()[:, seats].any()
        ):
            gained += step(plain.legal_action_mask().argmax(axis=2))
        over = plain.terminated.all()
        assert reply.over == [over] * len(reply.observations)
        expected = plain.observe()[:, seats].reshape(len(reply.observations), -1)
        assert np.array_equal(
            [observation["observation"] for observation in reply.observations], expected
        )
        assert all(table.space.contains(observation) for observation in reply.observations)
        assert all(
            array.flags.c_contiguous
            for observation in reply.observations
            for array in observation.values()
        )
        assert {name for info in reply.infos for name in info} <= {"action_mask"}
        if not (over and isinstance(table, SB3)):  # SB3 has dealt again
            masks = plain.legal_action_mask()[:, seats].reshape(len(expected), -1)
            assert np.array_equal(
                [observation["action_mask"] for observation in reply.observations], masks
            )
            assert np.array_equal(table.masks(reply), masks)
        if reply.rewards is not None:
            assert {type(number) for number in reply.rewards} == {table.number}
            assert reply.rewards == pytest.approx(gained.ravel().tolist(), abs=1e-4)
            returns = returns + np.array(reply.rewards)
            gained = np.zeros_like(gained)
        if over:
            return returns, opponent_seats, plain
        actions = plain.legal_action_mask().argmax(axis=2)
        actions[:, seats] = random_actions(plain, rng)[:, seats]
        gained += step(actions)
        reply = table.step(actions[:, seats].ravel().tolist())


def lined_up(kind: Any, players: int, opponent: FirstActionAgent) -> dict[str, Any]:
    """Return options that give the opponent all seats but the second and, if allowed, fourth."""
    learners = [1] if kind.one_learner else range(1, players, 2)
    return kind.lineup([None if seat in learners else opponent for seat in range(players)])


@pytest.mark.parametrize("kind", EVERY_MODE)
@pytest.mark.parametrize(("game", "players", "rules", "reset"), CASES)
def test_a_wrapper_plays_as_the_batch_does(
    game: str, players: int, rules: dict[str, Any], reset: dict[str, Any], kind: Any
) -> None:
    """Players with one legal action are not called, and each opponent plays its own seat."""
    first = FirstActionAgent()
    options = {"action_mask": "both", **lined_up(kind, players, first), **rules}
    _, expected_seats, _ = follow(kind(game, players, **options), reset, "score", **rules)
    assert first.acted_seats == expected_seats or kind is SameStep  # SameStep is in the next game
    if not kind.one_learner:
        follow(kind(game, players, action_mask="both", **rules), reset, "score", **rules)


@pytest.mark.parametrize("reward", [*REWARDS, lambda game: game.rewards * 2 + 1])
@pytest.mark.parametrize("kind", EVERY_MODE)
@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_rewards_add_up_to_the_result(game: str, players: int, kind: Any, reward: Any) -> None:
    options = {
        "action_mask": "both",
        "reward": reward,
        **lined_up(kind, players, FirstActionAgent()),
    }
    table = kind(game, players, **options)
    returns, _, plain = follow(table, {}, reward)
    if reward in REWARDS:
        final = earned(reward, plain.scores.astype(float), plain.outcome() - 1 / players)
        assert returns == pytest.approx(final[:, table.seats].ravel(), abs=1e-4)


@all_kinds
@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_the_same_seed_gives_the_same_episodes(game: str, players: int, kind: Any) -> None:
    """Cards, random opponents, random seats and replaced actions follow from the seed."""
    options = {"seat": "random"} if kind.one_learner else {}
    if players > 2 or kind.one_learner:
        options["opponents"] = "random"

    def run(*seeds: int | None) -> list[SlotLog]:
        table = kind(game, players, illegal_action="random", **options)
        return play(table, np.random.default_rng(0), *seeds)

    assert equal_episodes(run(7, None, None), run(7, None, None))
    dealt = set()
    for seeds in ((7, None, 8, None), (None,)):
        table = kind(game, players, **options)
        for seed in seeds:
            table.reset(seed)
            dealt.add(table.game.decks.tobytes())
    assert len(dealt) == 5


@all_kinds
def test_other_draws_do_not_change_the_next_deal(kind: Any) -> None:
    """Opponents, seats and replaced actions use the wrapper's own generator."""
    dealt: list[np.ndarray] = []
    for options in (
        {"seat": "random", "opponents": "random"},
        {"seat": 0, "opponents": FirstActionAgent()},
    ):
        if not kind.one_learner:
            del options["seat"]
        table = kind(players=3, illegal_action="random", **options)
        reply = table.reset(4)
        while not all(reply.over):
            masks = table.masks(reply)
            reply = table.step(masks.argmax(axis=1) if dealt else np.zeros(len(masks), int))
        table.reset()
        dealt.append(table.game.decks)
    assert np.array_equal(*dealt)


class ReadOnly:
    """Pickle that restores read-only arrays, as Ray does."""

    @staticmethod
    def dumps(content: Any) -> tuple[bytes, list[bytes]]:
        buffers: list[pickle.PickleBuffer] = []
        text = pickle.dumps(content, 5, buffer_callback=buffers.append)
        return text, [bytes(buffer) for buffer in buffers]

    @staticmethod
    def loads(pickled: tuple[bytes, list[bytes]]) -> Any:
        return pickle.loads(pickled[0], buffers=pickled[1])


@pytest.mark.parametrize("way", [pickle, cloudpickle, copy, ReadOnly])
@pytest.mark.parametrize("kind", [Parallel, AEC, Single, Vector])
@pytest.mark.parametrize("game", GAMES)
def test_copies_play_on_alike(game: str, kind: Any, way: Any) -> None:
    table = kind(game, opponents="random", illegal_action="random")
    table.reset(0)
    table.step(table.game.legal_action_mask()[:, table.seats[0]].argmax(axis=1))
    assert_a_copy_plays_on_alike(table, way)


def assert_a_copy_plays_on_alike(table: Interface, way: Any) -> None:
    twin = copy.copy(table)
    twin.env = copy.deepcopy(table.env) if way is copy else way.loads(way.dumps(table.env))
    episodes = [play(candidate, np.random.default_rng(1), None) for candidate in (table, twin)]
    assert equal_episodes(*episodes)


@pytest.mark.parametrize("session", [onnx_validation.SESSION, NumpySession])
@pytest.mark.parametrize("way", [pickle, copy])
def test_copies_with_a_policy_play_on_alike(
    way: Any, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: ONNX sessions cannot be copied, so that environments with a policy could not."""
    monkeypatch.setattr(onnx_validation, "SESSION", session)
    table = Single(players=3, opponents="kododo-3p", illegal_action="random")
    table.reset(0)
    assert_a_copy_plays_on_alike(table, way)


# --- opponents ------------------------------------------------------------------------


@all_kinds
@pytest.mark.parametrize("name", [None, "heuristic", "kododo-3p", "search:heuristic:2"])
def test_one_opponent_has_all_seats_but_the_first(kind: Any, name: str | None) -> None:
    first = FirstActionAgent()
    table = kind(players=3, opponents=name or first)
    assert table.seats == [0]
    assert [agent.name for agent in table.env.opponents if agent] == [name or "first"] * 2
    table.step(table.masks(table.reset(0)).argmax(axis=1).tolist())
    assert name or first.acted_seats[:2] == [1, 2]


@pytest.mark.parametrize("kind", [Single, Vector])
def test_a_random_seat_changes(kind: Any) -> None:
    table = kind(players=3, seat="random")
    seats = set()
    for _ in range(30):
        reply = table.reset()
        current_seats = np.atleast_1d(table.env.seats if kind is Vector else table.env.seat)
        rows = table.game.observe()[np.arange(kind.num_envs), current_seats]
        assert np.array_equal(
            [observation["observation"] for observation in reply.observations], rows
        )
        seats.update(current_seats.tolist())
    assert seats == {0, 1, 2}


@all_kinds
@pytest.mark.parametrize("seat", [0, 2])
def test_each_seat_has_an_opponent_or_a_learner(kind: Any, seat: int) -> None:
    """Regression: ``make`` and ``make_vec`` needed P - 1 opponents, all others P with None."""
    lineup: list[Any] = [FirstActionAgent(f"of seat {number}") for number in range(4)]
    lineup[seat] = None
    table = kind(opponents=lineup)
    assert table.seats == [seat]
    table.step([5] * len(table.reset(0).observations))
    acted_seats = {agent.name: {*agent.acted_seats} for agent in lineup if agent}
    assert acted_seats == {f"of seat {number}": {number} for number in range(4) if number != seat}


@all_kinds
@pytest.mark.parametrize("during_a_game", [True, False])
def test_opponents_can_be_set(kind: Any, during_a_game: bool) -> None:
    """Regression: they were stored, but the old ones played on."""
    old = FirstActionAgent("old")
    new = FirstActionAgent("new")
    table = kind(**kind.lineup([old, None, old, old]))
    table.step([5] * len(table.reset(0).observations))
    table.env.opponents = [new, None, new, "first"]
    old.acted_seats.clear()
    if not during_a_game:
        table.reset(1)
    table.step(table.game.legal_action_mask()[:, 1].argmax(axis=1).tolist())
    assert old.acted_seats == []
    assert {*new.acted_seats} == {0, 2}
    assert sorted(agent.name for agent in table.env.opponents if agent) == ["first", "new", "new"]
    table.env.opponents = table.env.opponents
    table.env.opponents = "heuristic"
    assert [agent.name for agent in table.env.opponents if agent] == ["heuristic"] * 3


@all_kinds
def test_opponents_that_cannot_be_set_change_nothing(kind: Any) -> None:
    table = kind(**kind.lineup(["random", None, "random", "random"]))
    before = table.env.opponents
    for wrong in ("nobody", 5, [None, *["random"] * 3], ["random"] * 4, ["random"], "kododo-3p"):
        with pytest.raises(ValueError, match=r"opponents|unknown agent|3p"):
            table.env.opponents = wrong
    assert table.env.opponents == before


@pytest.mark.parametrize("kind", FOR_EACH_SEAT)
def test_where_all_learn_no_opponent_can_be_set(kind: Any) -> None:
    env = kind(players=3).env
    for wrong in ("random", [None, "random", None]):
        with pytest.raises(ValueError, match=r"learners' seats.* 0, 1, 2"):
            env.opponents = wrong
    env.opponents = None
    assert env.opponents == (None, None, None)


class Answers(FirstActionAgent):
    """Returns the same result in every position."""

    def __init__(self, answer: Any) -> None:
        super().__init__("answers")
        self.answer = answer

    def act(self, view: Any, rng: np.random.Generator) -> Any:
        return self.answer(view.num_envs)


@all_kinds
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda games: 5, "agent 'answers'.*actions, one for each game"),
        (lambda games: np.full(games, 5.0), "'answers' must be integers.*float64"),
        (lambda games: np.full(games + 1, 5), "agent 'answers'.*actions"),
        (lambda games: np.zeros(games, int), "player 1, action 0"),
    ],
)
def test_an_opponent_that_does_not_play(kind: Any, answer: Any, message: str) -> None:
    table = kind(players=2, opponents=Answers(answer))
    table.reset(0)
    with pytest.raises(ValueError, match=message):
        table.step([5] * kind.num_envs)


@all_kinds
@pytest.mark.parametrize("reward", [lambda game: game.rewards[0], lambda game: game.rewards[:, :1]])
def test_a_reward_of_another_shape_is_refused(kind: Any, reward: Any) -> None:
    table = kind(players=3, reward=reward)
    table.reset(0)
    with pytest.raises(ValueError, match=r"reward function.*shape \(\d, 3\)"):
        table.step([5] * len(table.seats) * kind.num_envs)


class Failing(RandomAgent):
    """Random play that can be made to fail."""

    fails = False

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        if self.fails:
            raise KeyError("it fails")
        return super().act(view, rng)


@pytest.mark.parametrize("kind", EVERY_MODE)
@pytest.mark.parametrize("game", GAMES)
def test_an_opponent_that_fails_ends_the_episode(game: str, kind: Any) -> None:
    """With its error. ``reset`` begins another one, in which nothing is left of the failure."""
    opponent = Failing()
    options = {"illegal_action": "random", **lined_up(kind, 4, opponent)}
    table = kind(game, **options)
    slots = len(table.reset(0).observations)
    goes_on = partial(table.env.step, 0) if kind is AEC else partial(table.step, [0] * slots)

    def fail(call: Callable[..., Any], *arguments: Any) -> None:
        opponent.fails = True
        with pytest.raises(KeyError):
            call(*arguments)
        opponent.fails = False
        if kind is not SB3:
            with pytest.raises(RuntimeError, match=r"call reset\(\)"):
                goes_on()

    fail(table.step, [0] * slots)
    episodes = [
        play(table, np.random.default_rng(0), 5),
        play(kind(game, **options), np.random.default_rng(0), 5),
    ]
    assert equal_episodes(*episodes)
    if game == "kado" and table.passes_forced_steps:  # player 0 chooses before the learner
        fail(table.reset)
        assert play(table, np.random.default_rng(0), 5)


# --- actions --------------------------------------------------------------------------


@all_kinds
@pytest.mark.parametrize("opponents", [None, "random"])
def test_illegal_actions_are_replaced_and_told(kind: Any, opponents: Any) -> None:
    table = kind(opponents=opponents, illegal_action="random", players=3)
    slots = len(table.reset(0).observations)
    chosen = ([0, 5, 1] * slots)[:slots]  # 0 and 1 lay single cards, but a pair must be laid
    actions = np.array(chosen)
    reply = table.step(actions)
    assert [info.get("illegal_action", False) for info in reply.infos] == [a != 5 for a in chosen]
    assert actions.tolist() == chosen
    assert ((table.game.table >= 0).sum(axis=2) == 2).all()
    reply = table.step([0] * slots)  # now a single card is legal
    assert not any("illegal_action" in info for info in reply.infos)


@all_kinds
def test_one_warning_tells_that_actions_are_replaced(kind: Any) -> None:
    """Regression: a policy without masks played many random actions without any warning."""
    table = kind(illegal_action="random")
    with pytest.warns(UserWarning, match="illegal action was replaced") as warned:
        play(table, np.random.default_rng(0), 1, 2)
    assert len(warned) == 1


@all_kinds
def test_actions_that_are_replaced_differ(kind: Any) -> None:
    table = kind(illegal_action="random")
    tables = set()
    for seed in range(20):
        slots = len(table.reset(0).observations)
        table.env._choices.seed(seed)
        table.step([0] * slots)
        tables.add(table.game.table.tobytes())
    assert len(tables) > 5


@all_kinds
@pytest.mark.parametrize("opponents", [None, "random"])
@pytest.mark.parametrize(
    ("illegal_action", "action"),
    [("raise", 2), *product(("raise", "random"), (15, -1, 5.0, None))],
)
def test_a_refused_step_changes_nothing(
    illegal_action: str, action: Any, opponents: Any, kind: Any
) -> None:
    """Regression: opponents chose before the error, and differently the next time.

    None was taken for a forced step.
    """
    table = kind(players=3, opponents=opponents, illegal_action=illegal_action)
    slots = len(table.reset(0).observations)
    before = table.game.state()
    drawn = table.env._choices.rng.bit_generator.state
    message = "must be" if illegal_action == "random" else "must be|no such action"
    if action == 2:
        last = table.seats[-1]
        message = rf"player[ _]{last}.* 2 .*legal now: 5, 6.*without masks.*illegal_action='random'"
    with pytest.raises(ValueError, match=message):
        table.step([5] * (slots - 1) + [action])
    assert differences(before, table.game.state()) == []
    assert table.env._choices.rng.bit_generator.state == drawn
    if kind is not AEC:
        table.step([5] * slots)


@pytest.mark.parametrize("kind", [Vector, SB3])
@pytest.mark.parametrize("actions", [[5, 5], [[5, 5], [5, 5]], 5, None, [5, 5, None]], ids=repr)
def test_there_is_an_action_for_each_slot(kind: Any, actions: Any) -> None:
    table = kind(opponents="random")
    table.reset(0)
    with pytest.raises(ValueError, match=r"actions must be (\d+ )?integers"):
        table.step(actions)


@dealt_by_reset
def test_calls_at_the_wrong_time(kind: Any) -> None:
    table = kind(players=2)
    with pytest.raises(RuntimeError, match=r"(ha(s|ve) not begun|is running); call reset\(\)"):
        table.step([5] * len(table.seats) * kind.num_envs)
    reply = table.reset(0)
    rng = np.random.default_rng(0)
    while not all(reply.over):
        reply = table.step(legal(table, reply, rng))
    if kind in (Parallel, Single, Disabled):
        with pytest.raises(RuntimeError, match=r"(is|are) (over|running); call reset\(\)"):
            table.step([0] * len(reply.observations))
    table.reset()
    table.step([5] * len(reply.observations))


@dealt_by_reset
@pytest.mark.parametrize(
    "options", [{"deck": [0]}, {"deck": 0}, {"decks": [0]}, {"Deck": [0]}, "deck", 5, ["deck"]]
)
def test_a_refused_reset_changes_nothing(options: Any, kind: Any) -> None:
    """Regression: Gymnasium's generator was seeded before the deck was checked."""
    table = kind()
    table.reset(1)

    def generators() -> list[Any]:
        rngs = [table.env._choices.rng, *([table.env.np_random] if kind.one_learner else [])]
        return [rng.bit_generator.state for rng in rngs]

    before = table.game.state()
    drawn = generators()
    message = r"^(options must be a dictionary|.*deck.* must |.* did you mean 'deck'\?)"
    with pytest.raises(ValueError, match=message):
        table.env.reset(seed=2, options=options)
    assert differences(before, table.game.state()) == []
    assert generators() == drawn


# --- observations and pictures --------------------------------------------------------


@all_kinds
@pytest.mark.parametrize("action_mask", ["both", "observation", "info", "rllib"])
@pytest.mark.parametrize(
    ("game", "dtype", "normalize", "expected_dtype"),
    [
        *((game, None, True, np.float32) for game in GAMES),
        ("kododo", None, False, None), ("kododo", "int32", False, np.int32),
        ("kododo", "float", False, np.float64), ("kododo", "float64", True, np.float64),
        ("kododo", ">f4", True, np.float32),
    ],
)  # fmt: skip
def test_observations_as_other_libraries_want_them(
    game: str, dtype: Any, normalize: bool, expected_dtype: Any, action_mask: str, kind: Any
) -> None:
    options = {"observation_dtype": dtype, "normalize": normalize, "action_mask": action_mask}
    table = kind(game, 4, **options)
    reply = table.reset(0)
    layout = table.game.layout
    rows = table.game.observe()[:, table.seats].reshape(len(reply.observations), -1)
    masks = table.game.legal_action_mask()[:, table.seats].reshape(len(rows), -1)
    for observation, info, row, mask in zip(
        reply.observations, reply.infos, rows, masks, strict=True
    ):
        assert table.space.contains(observation)
        assert isinstance(observation, dict) == (action_mask != "info")
        key = "observations" if action_mask == "rllib" else "observation"
        numbers = observation[key] if isinstance(observation, dict) else observation
        assert numbers.dtype == (expected_dtype or layout.dtype)
        assert np.allclose(numbers * (layout.maxima if normalize else 1), row, atol=1e-4)
        assert not isinstance(observation, dict) or np.array_equal(observation["action_mask"], mask)
        if isinstance(observation, dict):
            assert observation["action_mask"].dtype == (
                np.float32 if action_mask == "rllib" else np.int8
            )
        assert ("action_mask" in info) == (action_mask in ("info", "both") and kind is not SB3)
        assert "action_mask" not in info or np.array_equal(info["action_mask"], mask)


@all_kinds
@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_pictures_show_what_each_learner_may_know(mode: str, kind: Any) -> None:
    """PettingZoo's pictures are for all players together, and show everything."""
    if mode == "rgb_array":
        pytest.importorskip("resvg_py", reason="rendering pixels is an extra")
    table = kind(players=2, render_mode=mode, **({"seat": 1} if kind.one_learner else {}))
    table.reset(0)
    picture = picture_of(table.game)
    drawn = picture.text if mode == "ansi" else lambda *at: pixels(picture.svg(*at))
    expected = [drawn(*at) for at in table.views]
    assert len(expected) == len(table.pictures())
    assert all(map(np.array_equal, table.pictures(), expected))


@pytest.mark.parametrize("kind", [Parallel, AEC, Single])
def test_people_are_shown_each_turn_without_asking(
    kind: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Except for batches, whose output would be unreadable."""
    table = kind(render_mode="human")
    rng = np.random.default_rng(0)
    reply = table.reset(0)
    (view,) = table.views
    expected = [picture_of(table.game).text(*view)]
    while not all(reply.over):
        reply = table.step(legal(table, reply, rng))
        expected.append(picture_of(table.game).text(*view))
    assert capsys.readouterr().out == "".join(f"{text}\n\n" for text in expected)
    assert table.pictures() == [None]


@all_kinds
def test_an_environment_says_which_game_it_is_of(kind: Any) -> None:
    env = kind(players=2).env
    assert repr(env) == f"<{type(env).__name__} of {env.game!r}>"


@pytest.mark.parametrize("library", ["resvg_py", "matplotlib", "PIL"])
@all_kinds
def test_where_pixels_cannot_be_drawn_no_mode_promises_them(
    kind: Any, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: the mode was listed, but failed at the first picture."""
    kind()  # imports everything that the wrapper itself needs
    font_files.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    env = kind().env
    assert "rgb_array" not in env.metadata["render_modes"]
    with pytest.raises(RenderingUnavailable, match=r"pip install 'kododo-env\[render\]'"):
        kind(render_mode="rgb_array")
    if kind is Single:
        check_env(env)


# --- options --------------------------------------------------------------------------

NAMELESS = RandomAgent()
NAMELESS.name = 5  # type: ignore[assignment]
LEAVING_1 = ["random", None, "random", "random"]
OPTIONS: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    (KINDS, {"render_mode": "print"}, "unknown render_mode 'print'; choose from None, '"),
    ((Vector, SB3), {"render_mode": "human"}, "'human'; choose from None, 'ansi', 'rgb_array'"),
    (
        KINDS,
        {"illegal_action": "pass"},
        "must be one of 'raise', 'random', not 'pass'",
    ),
    (KINDS, {"reward": "glory"}, "unknown reward 'glory'"),
    (
        KINDS,
        {"action_mask": "nowhere"},
        "action_mask must be one of 'observation', 'info', 'both', 'rllib'",
    ),
    (KINDS, {"observation_dtype": "int3"}, "observation_dtype must be a dtype such as 'float32'"),
    (KINDS, {"observation_dtype": "bool"}, "observation_dtype must .* numbers of uint8"),
    (KINDS, {"observation_dtype": "int8"}, "observation_dtype must .* numbers of uint8"),
    (
        KINDS,
        {"observation_dtype": "int32", "normalize": True},
        "normalize=True needs a float dtype",
    ),
    (KINDS, {"normalize": 1}, "normalize must be True or False, not 1"),
    (KINDS, {"opponents": "nobody"}, "unknown agent 'nobody'"),
    (KINDS, {"opponents": "kododo-3p"}, "kododo-3p"),
    (KINDS, {"opponents": "combi_combo-4p"}, "combi_combo"),
    (KINDS, {"opponents": RandomAgent}, "opponents must be None, an agent"),
    (KINDS, {"opponents": 5}, "opponents must be None, an agent"),
    (KINDS, {"opponents": NAMELESS}, "name of a player.* 5"),
    (KINDS, {"opponents": [RandomAgent(), "random", RandomAgent]}, "opponents must be None, an a"),
    (KINDS, {"opponents": ["random"] * 4}, "all seats; .*None"),
    (FOR_EACH_SEAT, {"opponents": [None, "random"]}, "4 opponents, one for each seat"),
    (FOR_EACH_SEAT, {"opponents": [None, None, None, "nobody"]}, "unknown agent 'nobody'"),
    (FOR_EACH_OTHER, {"opponents": ["random", None, "random"]}, "opponents must be None, an agent"),
    (FOR_EACH_OTHER, {"opponents": ["random"] * 5}, "3 opponents, one for .* or 4 with None .* 5"),
    (FOR_EACH_OTHER, {"opponents": []}, "3 opponents, .* 4 .* got 0"),
    (FOR_EACH_OTHER, {"opponents": [None, "random", None, None]}, "one None, .*not 3"),
    (FOR_EACH_OTHER, {"seat": 0, "opponents": LEAVING_1}, "None in seat 1, but seat=0"),
    (
        FOR_EACH_OTHER,
        {"seat": "random", "opponents": LEAVING_1},
        "seat 1, but seat='random'",
    ),
    (FOR_EACH_OTHER, {"seat": 4}, r"seat \(if not 'random'\) must be 0 to 3, not 4"),
    (FOR_EACH_OTHER, {"seat": -1}, r"seat \(if not 'random'\) must be 0 to 3, not -1"),
    (FOR_EACH_OTHER, {"seat": "first"}, r"seat \(if not 'random'\) must be an? .*, not 'first'"),
    ((Vector,), {"autoreset_mode": "Never"}, "must be one of 'NextStep', 'SameStep', 'Disabled'"),
    *(
        (kinds, {name: limit}, f"^{name} must be .*, not ")
        for kinds, name in (((Parallel, AEC), "max_cycles"), ((Vector,), "max_episode_steps"))
        for limit in (0, -2, 1.5, True, "3", [3])
    ),
]


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [(kind, options, message) for kinds, options, message in OPTIONS for kind in kinds],
)
def test_an_option_that_is_none_is_refused(
    kind: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        kind(**options)


@pytest.mark.parametrize("wrapper", [ParallelGame, AECGame, SingleSeatEnv])
def test_one_game_is_no_batch(wrapper: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="one game, got 2"):
        wrapper(kododo_v0.batch_game(2))
