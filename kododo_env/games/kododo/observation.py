"""The knowledge of a player of Kododo, as pieces of an observation, and the actions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kododo_env.core.actions import ActionLayout, SlotPiece
from kododo_env.core.arrays import Array, Intp, Uint8
from kododo_env.core.observation import (
    Knowledge,
    ObservationLayout,
    Piece,
    Symmetry,
    from_own_seat,
    numbered,
)
from kododo_env.core.rows import any_true, for_all, read_only
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.state import Counts, KododoState


def observation_layout(rules: Rules) -> ObservationLayout:
    """Return the layout of an observation; seats are in turn order, the player's own first."""
    types = (rules.num_colours, rules.num_values)
    by_type = ("colour", "value")
    revealed = "cards revealed since the last shuffle"
    return ObservationLayout(
        (
            _piece("hand", rules.hand_size, "own cards", types, by_type),
            *_table_pieces(rules),
            *_deal_pieces(rules),
            _piece("seen", max(rules.copies), revealed, types, by_type),
        ),
        Symmetry(("colour",), "permutations", ("colour_totals", "hand")),
        tied_axes=("seat", "colour"),
    )


def _piece(
    name: str, maximum: int, text: str, shape: tuple[int, ...] = (), axes: tuple[str, ...] = ()
) -> Piece:
    return Piece(name, shape, max(1, maximum), text, axes)


def _table_pieces(rules: Rules) -> tuple[Piece, ...]:
    """The cards on the table, by player and in total."""
    seats = rules.num_players
    colours = rules.num_colours
    cards = rules.round_cards
    by_seat = ((seats,), ("seat",))
    by_colour = ((colours,), ("colour",))
    by_seat_and_colour = ((seats, colours), ("seat", "colour"))
    kododos = min(seats * cards, colours * max(rules.copies))
    missing = "Kododo cards missing to the Kododo number; 0 if reached or exceeded"
    return (
        _piece("table_cards", cards, "cards laid this round", *by_seat_and_colour),
        _piece(
            "table_points", cards * rules.num_values, "their values added up", *by_seat_and_colour
        ),
        _piece("table_kododos", cards, "Kododo cards laid this round", *by_seat),
        _piece("colour_totals", seats * cards, "cards on the table", *by_colour),
        _piece("to_limit", rules.limit, "cards missing to the limit", *by_colour),
        _piece("kododo_total", kododos, "Kododo cards on the table"),
        _piece("to_kododo_number", rules.kododo_number, missing),
    )


def _deal_pieces(rules: Rules) -> tuple[Piece, ...]:
    """Points and piles of all players, and the progress of the deal."""
    by_seat = ((rules.num_players,), ("seat",))
    by_turn = ((rules.num_turns,), ("turn",))
    pile = "cards in the score pile, the tie-break"
    return (
        _piece("scores", rules.max_score, "points so far", *by_seat),
        _piece("pile_sizes", rules.num_rounds * rules.round_cards, pile, *by_seat),
        _piece("turn", 1, "which turn of the round it is (one-hot)", *by_turn),
        _piece("rounds_left", rules.num_rounds, "rounds of this deal that have not ended"),
        _piece("draw_pile", rules.draw_pile, "cards left to draw"),
        _piece("later_deal", 1, "1 in the second and later deals of the long variant"),
    )


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

    rows: Intp  # the source row of each number of an observation, (P, F)
    targets: Uint8  # the limit, for each colour, and the Kododo number, (C + 1, 1)
    schedule: Array  # the numbers that depend only on round and turn; see ``schedules``


def observation_constants(rules: Rules) -> ObservationConstants:
    """Return the part of an observation that follows from the rules."""
    targets = np.array([rules.limit] * rules.num_colours + [rules.kododo_number], np.uint8)
    return ObservationConstants(
        observation_rows(rules), read_only(targets)[:, None], read_only(schedules(rules))
    )


def knowledge(state: KododoState, rules: Rules, constants: ObservationConstants) -> Knowledge:
    """Return the players' knowledge, in the order of ``observation_rows``."""
    total = state.counts[-1, : len(constants.targets)]  # as in ``Counts``
    rows = (
        state.counts, np.maximum(total, constants.targets) - total, state.scores, state.pile_sizes,
        _schedule(state, rules, constants),
        state.deals > 0 if rules.variant == "long" else state.deals,
    )  # fmt: skip
    return rows, constants.rows


def _schedule(state: KododoState, rules: Rules, constants: ObservationConstants) -> Array:
    """The numbers of round and turn, (turns + 2, N); for a finished game, those of its end."""
    numbers = for_all(constants.schedule[state.round_index, state.turn], len(state.terminated))
    if rules.variant == "long" and any_true(state.terminated):
        revealed = Counts.of(state.counts, rules).revealed[:, state.terminated]
        num_laid = np.add.reduce(revealed, axis=0, dtype=np.intp)
        rounds = num_laid // (rules.num_players * rules.round_cards)
        numbers = numbers.copy()
        numbers[:, state.terminated] = constants.schedule[rounds, 0, :, 0].T
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


def observation_rows(rules: Rules) -> Intp:
    """Return the source row of each number of an observation, (P, F)."""
    players = rules.num_players
    colours = rules.num_colours
    seats = from_own_seat(players)
    types = (-1, colours, rules.num_values)
    rows = numbered(
        counts=(rules.num_counters, rules.num_counted), missing=(colours + 1,), scores=(players,),
        pile_sizes=(players,), turn=(rules.num_turns,), rounds_left=(), draw_pile=(), later_deal=(),
    )  # fmt: skip
    counts, by_type = np.split(rows["counts"], [rules.num_counts], axis=1)
    laid = counts[seats]
    total = counts[-1, : colours + 1]
    missing = rows["missing"]
    *hands, revealed = by_type.reshape(types)
    named = rows | {
        "hand": np.array(hands), "seen": revealed,
        "table_cards": laid[..., :colours], "table_kododos": laid[..., colours],
        "table_points": laid[..., colours + 1 :],
        "colour_totals": total[:-1], "kododo_total": total[-1],
        "to_limit": missing[:-1], "to_kododo_number": missing[-1],
        "scores": rows["scores"][seats], "pile_sizes": rows["pile_sizes"][seats],
    }  # fmt: skip
    return read_only(observation_layout(rules).filled(named, players))
