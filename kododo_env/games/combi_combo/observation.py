"""The knowledge of a player of Combi-Combo, as pieces of an observation, and the actions."""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

import numpy as np

from kododo_env.arrays.dtypes import Intp, Uint8
from kododo_env.arrays.rows import for_all, read_only
from kododo_env.games.combi_combo.rules import VALUES, Rules
from kododo_env.games.combi_combo.state import CombiComboState
from kododo_env.layouts.actions import ActionLayout, ActionPiece
from kododo_env.layouts.observation import (
    Knowledge,
    ObservationLayout,
    Symmetry,
    numbered,
    over_axes,
)


def observation_layout(rules: Rules) -> ObservationLayout:
    """Return the layout of an observation; ``face_up`` exists only with a central pile."""
    copies = max(rules.copies)
    turns = rules.num_turns
    piece = partial(
        over_axes, {"colour": rules.num_colours, "value": VALUES, "turn": rules.num_turns}
    )
    passed = "cards passed to the left neighbour in all turns so far"
    pieces = [
        piece("hand", copies, "own cards", "colour", "value"),
        piece("passed", turns, passed, "colour", "value"),
        piece(
            "received", turns, "cards received from the right neighbour so far", "colour", "value"
        ),
        piece("by_value", rules.pile_size, "own cards of each value", "value"),
        piece("by_colour", VALUES, "different values held in a colour", "colour"),
        piece("fours", rules.num_colours, "different colours among the own 4s"),
        piece("turn", 1, "which turn it is (one-hot; all 0 after the end)", "turn"),
        piece("draw_pile", turns - 1, "cards left in the own draw pile"),
    ]
    if rules.central_pile:
        text = "cards out of play, face up in the middle"
        pieces.insert(3, piece("face_up", copies, text, "colour", "value"))
    keys = ("by_colour", "hand", "passed", "received", "face_up")
    names = [piece.name for piece in pieces]
    symmetry = Symmetry(("colour",), "permutations", tuple(k for k in keys if k in names))
    return ObservationLayout(tuple(pieces), symmetry, tied_axes=("colour",))


def action_layout(rules: Rules) -> ActionLayout:
    """Return the actions: one for each type of card to pass to the left."""
    shape = (rules.num_colours, VALUES)
    return ActionLayout((ActionPiece("pass_card", shape, ("colour", "value")),))


class ObservationConstants(NamedTuple):
    """The part of an observation that follows from the rules."""

    rows: Intp  # the source row of each number of an observation, (P, F)
    schedule: Uint8  # the numbers of each turn, (turns + 1, turns + 1, 1); see ``schedules``


@cache
def observation_constants(rules: Rules) -> ObservationConstants:
    """Return the part of an observation that follows from the rules, shared by all games."""
    schedule = read_only(schedules(rules))[:, :, None]
    sources = numbered(knowledge(CombiComboState.blank(rules, 1), rules, schedule))
    sources["received"] = np.roll(sources["passed"], 1, axis=0)
    sources["turn"], sources["draw_pile"] = np.split(sources["schedule"], [rules.num_turns])
    rows = observation_layout(rules).rows(sources, rules.num_players)
    return ObservationConstants(read_only(rows), schedule)


def knowledge(state: CombiComboState, rules: Rules, schedule: Uint8) -> Knowledge:
    """Return the players' knowledge: the pieces of an observation, ``received`` excepted.

    Args:
        state: N games.
        rules: Their rules.
        schedule: See ``ObservationConstants``; its numbers are the pieces of the turn.
    """
    hands = state.hands.reshape(rules.num_players, rules.num_colours, VALUES, -1)
    present = (hands > 0).view(np.uint8)
    return {
        "hand": state.hands,
        "passed": state.passed,
        "face_up": state.face_up,
        "by_value": np.add.reduce(hands, axis=1, dtype=np.uint8),
        "by_colour": np.add.reduce(present, axis=2, dtype=np.uint8),
        "fours": np.add.reduce(present[:, :, -1], axis=1, dtype=np.uint8),
        "schedule": for_all(schedule[state.turn], hands.shape[-1]),
    }


def schedules(rules: Rules) -> Uint8:
    """Return the numbers that depend only on the turn, (turns + 1, turns + 1).

    These are the turn (one-hot, all 0 at the end) and the number of cards left in each draw pile.
    """
    numbers = np.eye(rules.num_turns + 1, dtype=np.uint8)
    numbers[:, -1] = np.maximum(0, np.arange(rules.num_turns - 1, -2, -1))
    return numbers
