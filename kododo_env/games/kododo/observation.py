"""The knowledge of a player of Kododo, as pieces of an observation, and the actions."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kododo_env.arrays.dtypes import Array, Intp, Uint8
from kododo_env.arrays.rows import any_true, for_all, read_only
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.state import KododoState
from kododo_env.layouts.actions import ActionLayout, SlotPiece
from kododo_env.layouts.observation import (
    Knowledge,
    ObservationLayout,
    Symmetry,
    numbered,
    over_axes,
)


def observation_layout(rules: Rules) -> ObservationLayout:
    """Return the layout of an observation; seats are in turn order, the player's own first."""
    seats = rules.num_players
    cards = rules.round_cards
    kododos = min(seats * cards, rules.num_colours * max(rules.copies))
    missing = "Kododo cards missing to the Kododo number; 0 if reached or exceeded"
    pile = "cards in the score pile, the tie-break"
    lengths = {
        "seat": seats,
        "colour": rules.num_colours,
        "value": rules.num_values,
        "turn": rules.num_turns,
    }
    piece = partial(over_axes, lengths)
    pieces = (
        piece("hand", rules.hand_size, "own cards", "colour", "value"),
        piece("table_cards", cards, "cards laid this round", "seat", "colour"),
        piece("table_points", cards * rules.num_values, "their values added up", "seat", "colour"),
        piece("table_kododos", cards, "Kododo cards laid this round", "seat"),
        piece("colour_totals", seats * cards, "cards on the table", "colour"),
        piece("to_limit", rules.limit, "cards missing to the limit", "colour"),
        piece("kododo_total", kododos, "Kododo cards on the table"),
        piece("to_kododo_number", rules.kododo_number, missing),
        piece("scores", rules.max_score, "points so far", "seat"),
        piece("pile_sizes", rules.num_rounds * cards, pile, "seat"),
        piece("turn", 1, "which turn of the round it is (one-hot)", "turn"),
        piece("rounds_left", rules.num_rounds, "rounds of this deal that have not ended"),
        piece("draw_pile", rules.draw_pile, "cards left to draw"),
        piece("later_deal", 1, "1 in the second and later deals of the long variant"),
        piece(
            "seen", max(rules.copies), "cards revealed since the last shuffle", "colour", "value"
        ),
    )
    symmetry = Symmetry(("colour",), "permutations", ("colour_totals", "hand"))
    return ObservationLayout(pieces, symmetry, tied_axes=("seat", "colour"))


def action_layout(rules: Rules) -> ActionLayout:
    """Return the actions: one for each slot of the hand, then one for each pair of slots."""
    return ActionLayout(
        (
            SlotPiece("card", "hand", rules.hand_size, 1),
            SlotPiece("pair", "hand", rules.hand_size, 2),
        )
    )


class ObservationConstants(NamedTuple):
    """The part of an observation that follows from the rules."""

    rows: Intp  # the row that each number of an observation comes from, (P, F)
    targets: Uint8  # the limit, for each colour, and the Kododo number, (C + 1, 1)
    schedule: Array  # the numbers that depend only on round and turn; see ``schedules``


def observation_constants(rules: Rules) -> ObservationConstants:
    """Return the part of an observation that follows from the rules."""
    targets = np.array([[rules.limit]] * rules.num_colours + [[rules.kododo_number]], np.uint8)
    schedule = schedules(rules)
    rows = observation_rows(knowledge(KododoState.blank(rules, 1), rules, targets, schedule), rules)
    return ObservationConstants(read_only(rows), read_only(targets), read_only(schedule))


def knowledge(state: KododoState, rules: Rules, targets: Uint8, schedule: Array) -> Knowledge:
    """Return the players' knowledge, from which ``observation_rows`` takes the pieces.

    Args:
        state: N games.
        rules: Their rules.
        targets: See ``ObservationConstants``.
        schedule: Likewise.
    """
    total = state.counts[-1, : len(targets)]  # by colour, and Kododo cards
    return {
        "counts": state.counts,
        "missing": np.maximum(total, targets) - total,
        "scores": state.scores,
        "pile_sizes": state.pile_sizes,
        "schedule": _schedule(state, rules, schedule),
        "later_deal": state.deals > 0 if rules.variant == "long" else state.deals,
    }


def observation_rows(knowledge: Knowledge, rules: Rules) -> Intp:
    """Return the row of the knowledge that each number of an observation comes from, (P, F)."""
    fields = rules.count_fields
    rows = numbered(knowledge)
    *players, everybody = rows["counts"]
    *turn, rounds_left, draw_pile = rows["schedule"]
    *to_limit, to_kododo_number = rows["missing"]
    pieces: dict[str, Any] = rows | {
        "hand": [counts[fields.by_type] for counts in players],
        "table_cards": [counts[fields.laid_by_colour] for counts in players],
        "table_points": [counts[fields.points] for counts in players],
        "table_kododos": [counts[fields.kododos] for counts in players],
        "colour_totals": everybody[fields.laid_by_colour],
        "to_limit": to_limit,
        "kododo_total": everybody[fields.kododos],
        "to_kododo_number": to_kododo_number,
        "turn": turn,
        "rounds_left": rounds_left,
        "draw_pile": draw_pile,
        "seen": everybody[fields.by_type],
    }
    return observation_layout(rules).rows(pieces, rules.num_players)


def _schedule(state: KododoState, rules: Rules, schedule: Array) -> Array:
    """The numbers of round and turn, (turns + 2, N); for a finished game, those of its end."""
    numbers = for_all(schedule[state.round_index, state.turn], len(state.terminated))
    if rules.variant == "long" and any_true(state.terminated):
        revealed = state.counts[-1, rules.count_fields.by_type][:, state.terminated]
        num_laid = revealed.sum(axis=0)
        rounds = num_laid // (rules.num_players * rules.round_cards)
        numbers = numbers.copy()
        numbers[:, state.terminated] = schedule[rounds, 0, :, 0].T
    return numbers


def schedules(rules: Rules) -> Array:
    """Return the numbers that depend only on round and turn, (rounds + 1, turns, turns + 2, 1).

    These are the turn (one-hot), the rounds left and the cards left to draw.
    """
    shape = (rules.num_rounds + 1, rules.num_turns, rules.num_turns + 2, 1)
    numbers = np.zeros(shape, observation_layout(rules).dtype)
    for round_index, of_round in enumerate(numbers):
        for turn, of_turn in enumerate(of_round):
            of_turn[turn] = 1
            pile = rules.drawn(rules.num_rounds, 0) - rules.drawn(round_index, turn)
            of_turn[-2:, 0] = rules.num_rounds - round_index, pile
    return numbers
