"""What somebody is told who does it wrong, word for word."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from kododo_env import kododo_v0, registry
from kododo_env.core import BatchGame, RandomAgent
from kododo_env.core.bounds import Bound, check_settings
from kododo_env.core.numbers import (
    SHOWN,
    finite_number,
    shown,
    whole_indices,
    whole_number,
    whole_numbers,
    whole_tuple,
)
from kododo_env.wrappers import AECGame, ParallelGame, SingleSeatEnv
from kododo_env.wrappers.opponents import one_for_each, seated


@dataclass(frozen=True)
class Bounds:
    """Rules of a game that there is not."""

    least: Annotated[Any, Bound(1, 5)] = 1
    most: Annotated[Any, Bound(5, 9)] = 9

    def __post_init__(self) -> None:
        check_settings(self)


class Truth:
    """A truth value of a library that lets it be counted with."""

    dtype = "library.bool"

    def __index__(self) -> int:
        return 1


def test_fields_of_rules_become_pythons_ints_within_their_bounds() -> None:
    for least, most in ((1, 5), (np.uint8(5), 9)):
        found = Bounds(least, most)
        assert (found.least, found.most) == (least, most)
        assert (type(found.least), type(found.most)) == (int, int)


def test_ends_of_a_range_and_one_sided_ranges() -> None:
    assert finite_number(5, "x", highest=5) == 5
    assert finite_number(-9.5, "x") == -9.5
    assert finite_number(2, "x", lowest=2) == 2
    assert finite_number(2.5, "x", 2, above=True) == 2.5
    assert finite_number(-1e300, "x", highest=0.0) == -1e300


NOT_IN_ONE_ROW = "games must be one or more of 0 to 2, not [[0]]"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: whole_number(0.5, "n"), "n must be a whole number, not 0.5"),
        (lambda: whole_number(Truth(), "n"), "n must be a whole number, not <"),
        (lambda: whole_indices([[0]], "games", 3), NOT_IN_ONE_ROW),
        (lambda: whole_tuple(5, "n"), "n must be a tuple of whole numbers, not 5"),
        (lambda: whole_numbers([[1], [1, 2]], "n"), "n must be an array of integers, not [[1], ["),
        (lambda: Bounds(least=0), "least must be 1 to 5, not 0"),
        (lambda: Bounds(least=6), "least must be 1 to 5, not 6"),
        (lambda: Bounds(most=4), "most must be 5 to 9, not 4"),
        (lambda: Bounds(most=10), "most must be 5 to 9, not 10"),
        (lambda: Bounds(most="9"), "most must be a whole number, not '9'"),
        (lambda: finite_number("1", "x"), "x must be a finite number, not '1'"),
        (lambda: finite_number(float("nan"), "x"), "x must be a finite number, not nan"),
        (lambda: finite_number(6, "x", highest=5), "x must be 5 or less, not 6.0"),
        (lambda: finite_number(6, "x", 7), "x must be 7 or more, not 6.0"),
        (lambda: finite_number(6, "x", 6, above=True), "x must be above 6, not 6.0"),
        (
            lambda: finite_number(9, "x", 6, 8, above=True),
            "x must be above 6 and at most 8, not 9.0",
        ),
        (lambda: finite_number(5, "x", 6, 8), "x must be 6 to 8, not 5.0"),
    ],
)
def test_numbers(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        call()
    assert str(error.value) == said or (said[-1] in "<[" and str(error.value).startswith(said))


def test_a_value_is_shown_whole_up_to_sixty_characters() -> None:
    assert shown("x" * (SHOWN - 2)) == repr("x" * (SHOWN - 2))
    assert shown("x" * (SHOWN - 1)) == "'" + "x" * (SHOWN - 1) + "…"


# --- wrappers -------------------------------------------------------------------------


def game(players: int = 4) -> BatchGame:
    return kododo_v0.batch_game(1, players)


def running(env: Any) -> Any:
    env.reset(seed=0)
    return env


class Silent(RandomAgent):
    """Plays one game where there are several."""

    name = "silent"

    def act(self, view: Any, rng: np.random.Generator) -> np.ndarray:
        return super().act(view, rng)[:0]


AGENT = "an agent (an object with a name and act(view, rng)), the name of one,"
HINT = "(does your library sample without masks? illegal_action='random' plays a legal one instead)"
PAIRS = {"player_0": 5, "player_1": 6, "player_2": 7}
LEGAL = "legal now: 5, 6, 7, 8, 9, 10, 11, 12, 13, 14"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: one_for_each(5, game()),
            f"opponents must be None, {AGENT} or a list of these, not 5",
        ),
        (
            lambda: one_for_each([RandomAgent()], game()),
            "there must be 3 opponents, one for each other seat, not 1",
        ),
        (
            lambda: seated(5, game(3)),
            f"opponents must be None, {AGENT} or a list with one of these or None for each seat, "
            "not 5",
        ),
        (
            lambda: seated([None], game(3)),
            "opponents must be 3, one for each seat, None for a learner; not 1",
        ),
        (
            lambda: seated([RandomAgent()] * 3, game(3)),
            "opponents play all seats; leave None where the learner sits",
        ),
        (
            lambda: ParallelGame(game(), render_mode="x"),
            "unknown render_mode 'x'; choose one of None, 'ansi', 'rgb_array'",
        ),
        (
            lambda: AECGame(game(), illegal_action="x"),
            "illegal_action must be 'raise' or 'random', not 'x'",
        ),
        (
            lambda: SingleSeatEnv(kododo_v0.batch_game(2)),
            "one game is wanted, not a batch of 2",
        ),
        (
            lambda: SingleSeatEnv(game(), render_mode="human"),
            "unknown render_mode 'human'; choose one of None, 'ansi', 'rgb_array'",
        ),
        (
            lambda: SingleSeatEnv(game(), seat=4),
            "a seat that is not 'random' must be 0 to 3, not 4",
        ),
        (
            lambda: running(ParallelGame(game())).reset(options={"deck": 0.5}),
            "the deck must be integers, not float64",
        ),
        (
            lambda: ParallelGame(game()).reset(options=5),  # type: ignore[arg-type]
            "options must be a dictionary or None, not 5",
        ),
        (
            lambda: running(ParallelGame(game(3))).step(5),
            "actions must be a dict from agent to action, not 5",
        ),
        (
            lambda: running(ParallelGame(game(3))).step({"player_1": 5}),
            "an action is missing of player_0, player_2; all agents act",
        ),
        (
            lambda: running(ParallelGame(game(3))).step({**PAIRS, "a": 1, "b": 2}),
            "no such agent: a, b; the agents are player_0, player_1, player_2",
        ),
        (
            lambda: running(ParallelGame(game(3))).step({**PAIRS, "player_2": 15}),
            "the action of player_2 must be 0 to 14, not 15",
        ),
        (
            lambda: running(AECGame(game(3))).step(1),
            f"illegal action of player_0: 1 (lay the card in slot 1); {LEGAL} {HINT}",
        ),
        (
            lambda: running(SingleSeatEnv(game(3), 2, illegal_action="raise")).step(2),
            f"illegal action of player 2: 2 (lay the card in slot 2); {LEGAL} {HINT}",
        ),
        (
            lambda: running(SingleSeatEnv(game(2), opponents=Silent())).step(5),
            "agent 'silent' must play 1 actions, one for each game, not an array of the shape (0,)",
        ),
    ],
)
def test_wrappers(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        call()
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("make", "name"), [(ParallelGame, "step"), (AECGame, "step"), (AECGame, "last")]
)
def test_calls_before_the_deal(make: Any, name: str) -> None:
    env = make(game(2))
    with pytest.raises(RuntimeError) as error:
        getattr(env, name)(*(({},) if name == "step" else ()))
    assert str(error.value) == "this game of kododo has not begun; call reset()"


def test_a_single_seat_that_is_not_dealt_or_over() -> None:
    with pytest.raises(RuntimeError) as error:
        SingleSeatEnv(game(2)).step(5)
    assert str(error.value) == "no game of kododo is running; call reset()"


def test_render_without_a_mode() -> None:
    said = "render\\(\\) draws nothing: the environment was made without a render_mode"
    with pytest.warns(UserWarning, match=said) as warned:
        assert running(ParallelGame(game(2))).render() is None
    assert len(warned) == 1
    assert "XX" not in str(warned[0].message)


# --- batches --------------------------------------------------------------------------


def test_batches_say_what_was_illegal_and_what_would_be_legal() -> None:
    batch = kododo_v0.batch_game(3, 2, seed=0)
    actions = np.full((3, 2), 5)
    actions[1, 1], actions[2, 0] = 3, 1
    with pytest.raises(ValueError) as error:  # noqa: PT011
        batch.step(actions)
    told = f"(lay the card in slot 3); {LEGAL}"
    assert str(error.value) == f"illegal action in kododo: game 1, player 1, action 3 {told}"
    for number in (-1, 15):
        actions[1, 1] = number
        with pytest.raises(ValueError) as error:  # noqa: PT011
            batch.step(actions)
        told = f"(no such action); {LEGAL}"
        said = f"illegal action in kododo: game 1, player 1, action {number} {told}"
        assert str(error.value) == said


def test_a_view_says_that_it_is_not_copied() -> None:
    view = kododo_v0.batch_game(1, 2).view(0)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError) as error:
            copied(view)
        said = "a view is not copied or pickled; keep what it shows, or another view"
        assert str(error.value) == said


def test_more_decks_than_none_are_asked_for() -> None:
    for variant in ("standard", "long"):
        batch = kododo_v0.batch_game(1, 2, variant)
        with pytest.raises(ValueError) as error:  # noqa: PT011
            batch.sample_decks(0, np.random.default_rng(0))
        assert str(error.value) == "num must be 1 or more, not 0"


def test_a_view_of_an_earlier_turn_says_so() -> None:
    batch = kododo_v0.batch_game(1, 2)
    view = batch.view(0)
    batch.step([[5, 5]])
    with pytest.raises(RuntimeError) as error:
        _ = view.observation
    assert str(error.value) == "this view is of an earlier turn; ask the game for a new one"


def test_a_state_says_what_is_wrong_with_it() -> None:
    batch = kododo_v0.batch_game(1, 2)
    for given, said in (
        (5, "not a state of kododo, a dictionary, but 5"),
        ({**batch.state(), "_x": 1}, "not a state of kododo: ['_x'] differ"),
        (
            {**batch.state(), "_scores": "x"},
            "not a state: _scores must be an array, not 'x'",
        ),
        ({**batch.state(), "rng": "x"}, "rng must be a state of numpy's PCG64, not 'x'"),
    ):
        with pytest.raises(ValueError) as error:  # noqa: PT011
            batch.load_state(given)
        assert str(error.value) == said


def test_a_state_says_which_of_its_numbers_are_wrong() -> None:
    batch = kododo_v0.batch_game(1, 2)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        batch.load_state({**batch.state(), "_just": np.ones(1, np.bool_)})
    assert str(error.value) == "not a state of kododo: _just must be among _terminated"
    for wrong in (0.5, np.inf, -np.inf, np.nan):
        rewards = np.array([[0], [wrong]], np.float32)
        with pytest.raises(ValueError) as error:  # noqa: PT011
            batch.load_state({**batch.state(), "_rewards": rewards})
        assert str(error.value) == "not a state of kododo: _rewards must be points"


def test_a_batch_shows_its_kind_its_size_and_its_rules() -> None:
    batch = kododo_v0.batch_game(3, 2)
    assert repr(batch) == f"<KododoGame num_envs=3 {batch.rules}>"


@pytest.mark.parametrize("name", ["kododo", "combi_combo", "kado"])
def test_batches_say_how_an_array_should_look(name: str) -> None:
    batch = registry.batch_game(name, 3, 0, num_players=4)
    size, wide = batch.layout.size, np.zeros((3, 5), int)
    for call, said in (
        (lambda: batch.step(wide), f"actions of {name} must have the shape (3, 4): (3, 5)"),
        (
            lambda: batch.observe(out=np.zeros((3, 4, 1))),
            f"out must be an array of the shape (3, 4, {size}), not (3, 4, 1)",
        ),
        (
            lambda: batch.observe(out=[1]),
            f"out must be an array of the shape (3, 4, {size}), not [1]",
        ),
    ):
        with pytest.raises(ValueError) as error:  # noqa: PT011
            call()
        assert str(error.value) == said
