"""What a player of Combi-Combo knows, as pieces of an observation, and what the actions are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.actions import ActionLayout, ActionPiece
from kododo_env.core.observation import (
    ObservationLayout,
    Piece,
    Rows,
    Symmetry,
    gathered,
    numbered,
    rows_of,
)
from kododo_env.core.rows import for_all
from kododo_env.core.state import Uint8
from kododo_env.games.combi_combo.rules import VALUES, Rules

if TYPE_CHECKING:
    from kododo_env.games.combi_combo.game import CombiComboGame

# Below so many games the number of numpy calls counts, above it the bytes: to count cards as one
# would for many takes a seventh longer with one game.
FEW = 8


def observation_layout(rules: Rules) -> ObservationLayout:
    """The pieces of an observation; ``face_up`` only where the rules leave a central pile."""
    colours, most = rules.num_colours, max(rules.copies)
    turns = rules.num_turns

    def by_type(name: str, maximum: int, text: str) -> Piece:
        return Piece(name, (colours, VALUES), maximum, text, ("colour", "value"))

    pieces = [
        by_type("hand", most, "own cards"),
        by_type("passed", turns, "cards passed to the left neighbour, as often as that happened"),
        by_type("received", turns, "cards received from the right neighbour, likewise"),
        Piece("by_value", (VALUES,), rules.pile_size, "own cards of each value", ("value",)),
        Piece("by_colour", (colours,), VALUES, "different values held in a colour", ("colour",)),
        Piece("fours", (), colours, "different colours among the own 4s"),
        Piece("turn", (turns,), 1, "which turn it is (one-hot; none when all is over)", ("turn",)),
        Piece("draw_pile", (), max(1, turns - 1), "cards left in the own draw pile"),
    ]
    if rules.central_pile:
        pieces.insert(3, by_type("face_up", most, "cards out of play, face up in the middle"))
    keys = ("by_colour", "hand", "passed", "received", "face_up")
    names = [piece.name for piece in pieces]
    symmetry = Symmetry(("colour",), "permutations", tuple(k for k in keys if k in names))
    return ObservationLayout(tuple(pieces), symmetry, alike=("colour",))


def action_layout(rules: Rules) -> ActionLayout:
    """One action for each type of card, the one passed to the left."""
    shape = (rules.num_colours, VALUES)
    return ActionLayout((ActionPiece("pass_card", shape, ("colour", "value")),))


def observation(game: CombiComboGame, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
    """What each player knows, (P, F, N), in ``out`` if given; in the order of ``known_rows``."""
    state, tables = game._state, game._tables
    some = (state.hands > 0).view(np.uint8)
    if game.num_envs < FEW:
        by_value, held = np.matmul(tables.by_value, state.hands), np.matmul(tables.held, some)
    else:
        by_value, held = _sums(state.hands, some, game.rules)
    schedule = for_all(tables.schedule[state.turn], game.num_envs)
    known = state.hands, state.passed, state.face_up, by_value, held, schedule
    return gathered(known, tables.known, game.layout.dtype, out)


def _sums(hands: Uint8, some: Uint8, rules: Rules) -> tuple[Uint8, Uint8]:
    """Cards by value, (P, 4, N), and the different ones by colour, then the 4s, (P, C + 1, N)."""
    shape = (len(hands), rules.num_colours, VALUES, -1)
    some = some.reshape(shape)
    held = np.empty((len(hands), rules.num_colours + 1, some.shape[-1]), np.uint8)
    np.add.reduce(some, axis=2, out=held[:, :-1])
    np.add.reduce(some[:, :, -1], axis=1, out=held[:, -1])
    return np.add.reduce(hands.reshape(shape), axis=1, dtype=np.uint8), held


def schedules(rules: Rules) -> npt.NDArray[np.uint8]:
    """What is known by the turn alone; (turns + 1, turns + 1).

    Which turn it is, one-hot, none when all is over, and the cards left in each draw pile.
    """
    numbers = np.eye(rules.num_turns + 1, dtype=np.uint8)
    numbers[:, -1] = np.maximum(0, np.arange(rules.num_turns - 1, -2, -1))
    return numbers


def known_rows(rules: Rules) -> Rows:
    """Where each number of an observation stands in all that is known."""
    players, types = rules.num_players, (rules.num_colours, VALUES)
    known = numbered(
        hand=(players, *types), passed=(players, *types), face_up=types,
        by_value=(players, VALUES), held=(players, rules.num_colours + 1),
        turn=(rules.num_turns,), draw_pile=(),
    )  # fmt: skip
    held, received = known["held"], np.roll(known["passed"], 1, axis=0)
    named = {"received": received, "by_colour": held[:, :-1], "fours": held[:, -1]}
    return rows_of(observation_layout(rules).filled(known | named, players), known)
