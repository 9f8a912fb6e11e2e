"""The state of a batch: its fields are created, copied and loaded from their metadata."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core.capabilities import RoundPlay, UndoSupport
from kododo_env.core.state import BatchState, of_batch, per_game
from tests.game_tables import GAMES
from tests.games.reachable_objects import arrays
from tests.helpers import differences


class Rules(NamedTuple):
    num_players: int = 2
    hand_size: int = 3
    num_cards: int = 9


class Stage(IntEnum):
    FIRST = 1
    LAST = 2


@dataclass(slots=True, eq=False)
class SmallState(BatchState):
    turn: int = of_batch()
    stage: Stage = of_batch(Stage.FIRST)
    hands: np.ndarray = per_game("num_players", "hand_size", fill=255)
    drawn: np.ndarray = per_game(dtype=np.intp, fill="num_cards")
    later: np.ndarray = per_game("num_cards", any_number=True)


def small() -> SmallState:
    """Four games with different numbers."""
    state = SmallState.blank(Rules(), 4)
    state.turn = 5
    state.stage = Stage.LAST
    state.scores[:] = np.arange(4)
    state.later = np.arange(2 * 9 * 4, dtype=np.uint8).reshape(2, 9, 4)
    return state


def test_a_blank_state_is_what_its_fields_say() -> None:
    state = SmallState.blank(Rules(), 4)
    shapes = {name: (array.shape, str(array.dtype)) for name, array in state.arrays().items()}
    assert shapes == {
        "scores": ((2, 4), "int16"), "rewards": ((2, 4), "float32"),
        "terminated": ((4,), "bool"), "just": ((4,), "bool"),
        "hands": ((2, 3, 4), "uint8"), "drawn": ((4,), "int64"), "later": ((0, 9, 4), "uint8"),
    }  # fmt: skip
    assert (state.steps_played, state.turn, state.stage) == (0, 0, Stage.FIRST)
    assert (state.hands == 255).all()
    assert (state.drawn == 9).all()
    assert not any(array.any() for array in (state.scores, state.rewards, state.terminated))
    assert not hasattr(state, "__dict__")


def test_the_keys_are_the_names_and_of_arrays_have_an_underscore() -> None:
    state = small()
    entries = state.as_dict()
    assert state.keys() == set(entries) == {
        "steps_played", "turn", "stage",
        "_scores", "_rewards", "_terminated", "_just", "_hands", "_drawn", "_later",
    }  # fmt: skip
    entries["_scores"][:] = 7
    assert state.scores.tolist() == [[0, 1, 2, 3]] * 2


def test_games_are_taken_in_the_order_given_and_put_back() -> None:
    state = small()
    taken_games = state.take(np.array([3, 1, 1]))
    assert (taken_games.turn, taken_games.stage) == (5, Stage.LAST)
    assert taken_games.scores.tolist() == [[3, 1, 1]] * 2
    assert taken_games.later.shape == (2, 9, 3)
    taken_games.scores[:] = 9
    assert state.scores.tolist() == [[0, 1, 2, 3]] * 2
    state.replace_games(np.array([0, 2]), {"scores": taken_games.scores[:, :2]})
    assert state.scores.tolist() == [[9, 1, 9, 3]] * 2


@pytest.mark.parametrize("kept_games", [[], [1, 3], [0, 1, 2, 3]])
def test_games_that_are_kept_stay_in_arrays_old_and_new(kept_games: list[int]) -> None:
    state = small()
    is_kept = np.isin(np.arange(4), kept_games)
    before = state.as_dict()
    with state.unchanged(is_kept):
        state.scores += 10
        state.hands = np.zeros_like(state.hands)
        state.turn += 1
    assert state.turn == 6
    assert (state.scores[:, is_kept] == before["_scores"][:, is_kept]).all()
    assert (state.scores[:, ~is_kept] == before["_scores"][:, ~is_kept] + 10).all()
    assert (state.hands[..., is_kept] == 255).all()
    assert not state.hands[..., ~is_kept].any()


def test_a_states_own_entries_are_taken_in_its_own_types() -> None:
    state = small()
    loaded = SmallState.blank(Rules(), 4).like({**state.as_dict(), "stage": 2})
    assert loaded.stage is Stage.LAST
    assert differences(loaded.as_dict(), state.as_dict()) == []


@pytest.mark.parametrize(
    ("key", "entry", "message"),
    [
        ("_later", np.zeros((2, 8, 4), np.uint8), "_later.*shape"),
        ("_hands", np.zeros((1, 3, 4), np.uint8), "_hands.*shape"),
        ("_drawn", np.zeros(4, np.int16), "_drawn.*int64.*int16"),
        ("stage", 0, "stage.*Stage.*0$"),
        ("turn", -1, "turn.*at least 0.*-1"),
    ],
)
def test_entries_of_no_state_are_refused(key: str, entry: object, message: str) -> None:
    state = small()
    with pytest.raises(ValueError, match=message):
        state.like({**state.as_dict(), key: entry})


@pytest.mark.parametrize("game", GAMES)
def test_the_tables_of_some_rules_are_shared_and_read_only(game: str) -> None:
    """Regression: writing into a mask's base changed the legal actions of all games."""
    first_game, second_game = (registry.batch_game(game, 1, seed) for seed in (1, 2))
    tables = getattr(first_game, "_tables", ())
    assert tables is getattr(second_game, "_tables", ())
    assert not any(array.flags.writeable for _, array in arrays(tables, "tables"))


@pytest.mark.parametrize("game", GAMES)
def test_a_games_capabilities_stand_among_its_bases(game: str) -> None:
    played = registry.batch_game(game, 1)
    for capability in (RoundPlay, UndoSupport):
        assert isinstance(played, capability) == (capability in type(played).__bases__)


@pytest.mark.parametrize("game", GAMES)
def test_a_state_that_is_refused_leaves_the_generator_where_it_was(game: str) -> None:
    """Regression: the generator was restored before the numbers were checked."""
    game_batch = registry.batch_game(game, 2, 0)
    wrong = game_batch.state() | {"rng": np.random.default_rng(99).bit_generator.state}
    wrong["_rewards"] = np.full_like(wrong["_rewards"], np.nan)
    before = game_batch.rng.bit_generator.state
    with pytest.raises(ValueError, match="_rewards"):
        game_batch.load_state(wrong)
    assert game_batch.rng.bit_generator.state == before
