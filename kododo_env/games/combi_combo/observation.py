"""What a player of Combi-Combo knows, as pieces of an observation, and what the actions are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.actions import ActionLayout, ActionPiece
from kododo_env.core.observation import ObservationLayout, Piece, Symmetry
from kododo_env.core.rows import column
from kododo_env.games.combi_combo.rules import VALUES, Rules

if TYPE_CHECKING:
    from kododo_env.games.combi_combo.game import CombiComboGame


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


def write_observation(game: CombiComboGame, into: dict[str, npt.NDArray[Any]]) -> None:
    """Fill the observation's pieces: each an array (P, \\*piece.shape, N)."""
    state, rules = game._state, game.rules
    hand, received = into["hand"], into["received"]
    passed = state.passed.reshape(hand.shape)
    hand[:] = state.hands.reshape(hand.shape)
    into["passed"][:] = passed
    received[1:] = passed[:-1]
    received[0] = passed[-1]
    if rules.central_pile:
        into["face_up"][:] = state.face_up.reshape(hand.shape[1:])
    some = (hand > 0).view(np.uint8)
    np.add.reduce(hand, axis=1, out=into["by_value"])
    np.add.reduce(some, axis=2, out=into["by_colour"])
    np.add.reduce(some[:, :, -1], axis=1, out=into["fours"])
    into["turn"][:] = (column(rules.num_turns) == state.turn).view(np.uint8)
    into["draw_pile"][:] = game.draw_pile_size
