"""The knowledge of a player of KADO, as pieces of an observation."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from kododo_env.arrays.dtypes import Intp, Uint8
from kododo_env.arrays.rows import column, for_all, read_only
from kododo_env.core.deck import NONE
from kododo_env.games.kado.cards import cards_at, dealt_as
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.scoring import parted
from kododo_env.games.kado.state import KadoState, Phase
from kododo_env.games.kado.tables import KadoTables, tables
from kododo_env.layouts.observation import (
    Knowledge,
    ObservationLayout,
    Symmetry,
    from_own_seat,
    numbered,
    over_axes,
)


def observation_layout(rules: Rules) -> ObservationLayout:
    """Return the layout of an observation; seats are in turn order, the player's own first.

    It has tableaus as scoring sees them: the order of the cards in a row does not matter.
    """
    values = rules.num_values
    turns = rules.num_turns
    dealt = rules.num_players + rules.max_discards
    lengths = {
        "seat": rules.num_players,
        "row": rules.board_rows,
        "column": rules.board_columns,
        "gift": rules.num_gifts,
        "ribbon": rules.num_ribbons,
        "value": values,
        "phase": len(Phase),
    }
    piece = partial(over_axes, lengths)
    one_hot = "its ribbon (one-hot)"
    cards_seen = "cards seen so far: revealed, dealt or put aside by oneself, placed by anybody"
    ruled_out = "1 where a wrong guess has ruled it out for the dealer's card"
    pieces = (
        piece(
            "row_points",
            rules.num_columns * values,
            "values of the cards in a row",
            "seat",
            "row",
            "gift",
        ),
        piece("column_ribbons", rules.num_rows, "cards in a column", "seat", "column", "ribbon"),
        piece("column_best", values, "highest value in a column", "seat", "column"),
        piece("filled", 1, "1 where a card lies", "seat", "row", "column"),
        piece("open", 1, "1 where the next card may go", "seat", "row", "column"),
        piece("scores", rules.max_score, "points so far: rows, full columns, perfects", "seat"),
        piece("perfects", turns, "perfects so far", "seat"),
        piece("turns_left", turns, "turns that have not ended"),
        piece("phase", 1, "dealing, challenge or placing (one-hot)", "phase"),
        piece("dealer", 1, "who deals (one-hot)", "seat"),
        piece("challenger", 1, "who may challenge now (one-hot)", "seat"),
        piece(
            "dealt_as", dealt, "position of the player's card in this turn's deal, from 1", "seat"
        ),
        piece("put_aside", dealt, "position of the card put aside in this turn's deal, from 1"),
        piece(
            "card_gift",
            1,
            "gift of the player's card, if seat 0 has seen it (one-hot)",
            "seat",
            "gift",
        ),
        piece("card_ribbon", 1, one_hot, "seat", "ribbon"),
        piece("card_value", values, "its value", "seat"),
        piece("offered_gift", 1, "gift of the card that the dealer looks at (one-hot)", "gift"),
        piece("offered_ribbon", 1, one_hot, "ribbon"),
        piece("offered_value", values, "its value"),
        piece("not_gift", 1, ruled_out, "gift"),
        piece("not_ribbon", 1, ruled_out, "ribbon"),
        # Totals of the player's tableau, as keys for gifts and ribbons.
        piece("own_gifts", turns * values, "values of the cards in the own tableau", "gift"),
        piece("own_ribbons", turns, "cards in the own tableau", "ribbon"),
        piece("seen", rules.max_copies, cards_seen, "gift", "ribbon", "value"),
    )
    interchangeable = ("seat", "row", "column")
    if not rules.rotates:
        return ObservationLayout(pieces, tied_axes=interchangeable)
    # The gift of the card to be placed or dealt comes first in the canonical order. Therefore a
    # network always finds the rows and columns that this card fits at the same indices.
    keys = ("card_gift", "offered_gift", "own_gifts", "own_ribbons")
    symmetry = Symmetry(("gift", "ribbon"), "rotations", keys)
    return ObservationLayout(pieces, symmetry, tied_axes=interchangeable)


class ObservationConstants(NamedTuple):
    """The part of an observation that follows from the rules."""

    # The row that each number of an observation comes from, by dealer and stage of the turn, which
    # determine who sees which card, except for the cards revealed by a swap; P times P + 2 times
    # an array (P, F).
    rows: list[list[Intp]]
    schedule: Uint8  # turns left; 0 and 1, for one-hot numbers: (turns + 1, 3, 1)


@cache
def observation_constants(rules: Rules) -> ObservationConstants:
    """Return the part of an observation that follows from the rules, shared by all games."""
    turns_left = np.arange(rules.num_turns, -1, -1, dtype=np.uint8)[:, None]
    schedule = np.stack([turns_left, np.zeros_like(turns_left), np.ones_like(turns_left)], axis=1)
    layout = observation_layout(rules)
    blank = KadoState.blank(rules, 1)
    sources = numbered(knowledge(blank, rules, tables(rules), schedule, layout.dtype))
    pieces = _pieces(sources, rules)
    players = rules.num_players
    rows = [
        [
            read_only(layout.rows(pieces | _staged(rules, sources, dealer, at), players))
            for at in range(players + 2)
        ]
        for dealer in range(players)
    ]
    return ObservationConstants(rows, read_only(schedule))


def knowledge(
    state: KadoState, rules: Rules, tables: KadoTables, schedule: Uint8, dtype: np.dtype[Any]
) -> Knowledge:
    """Return the players' knowledge, from which ``observation_constants`` takes the pieces.

    Args:
        state: N games.
        rules: Their rules.
        tables: The tables of the rules.
        schedule: See ``ObservationConstants``.
        dtype: The dtype of observations.
    """
    row_points, column_ribbons, _ = parted(state.sums, rules)
    cards_seen = state.viewers >> column(rules.num_players)[:, :, None]
    cards_seen &= 1
    if rules.max_copies > 1:
        cards_seen = np.add.reduceat(cards_seen, tables.kinds, axis=1, dtype=np.uint8)
    places = np.concatenate([state.held, state.drawn[None]])
    parts = tables.parts.take(cards_at(state, places, state.games), axis=1)
    return {
        "sums": state.sums,
        "filled": state.tableau != NONE,
        "open": state.open,
        # In the dtype of observations, because a tableau may exceed the dtype of a row.
        "own_gifts": np.add.reduce(row_points, axis=1, dtype=dtype),
        "own_ribbons": np.add.reduce(column_ribbons, axis=1, dtype=np.uint8),
        "scores": state.scores,
        "perfects": state.perfects,
        "seen": cards_seen,
        "dealt_as": dealt_as(state),
        "parts": parts,
        "public_parts": parts[:, : rules.num_players] * state.public,
        "ruled_out": state.ruled_out,
        "schedule": for_all(schedule[state.turn], len(state.terminated)),
    }


def stage(state: KadoState, rules: Rules) -> int:
    """Return the stage of the turn, the same in all games: dealing, challenges, placing, over."""
    if state.is_over(rules):
        return rules.num_players + 1
    return (0, 1 + state.phase_step, rules.num_players)[state.phase]


def _pieces(sources: dict[str, Intp], rules: Rules) -> dict[str, Any]:
    """Return the rows of the pieces that are the same for all dealers and stages."""
    row_points, column_ribbons, column_best = parted(sources["sums"], rules)
    turns_left, zero, _ = sources["schedule"]
    cards_seen = np.full((rules.num_players, rules.num_card_types), zero)
    cards_seen[:, np.unique(rules.cards)] = sources["seen"]
    *dealt, put_aside = sources["dealt_as"]
    not_gift, not_ribbon = np.split(sources["ruled_out"], [rules.num_gifts])
    return sources | {
        "row_points": row_points,
        "column_ribbons": column_ribbons,
        "column_best": column_best,
        "turns_left": turns_left,
        "dealt_as": dealt,
        "put_aside": put_aside,
        "not_gift": not_gift,
        "not_ribbon": not_ribbon,
        "seen": cards_seen,
    }


def _staged(rules: Rules, sources: dict[str, Intp], dealer: int, at: int) -> dict[str, Any]:
    """Return the rows of the pieces that depend on dealer and stage."""
    players = rules.num_players
    gifts = rules.num_gifts
    seats = from_own_seat(players)
    _, zero_row, one_row = sources["schedule"]
    parts = sources["parts"].T
    placing = at == players
    over = at > players
    whole = column(players) == dealer  # who sees all cards of the turn
    whole = whole | (placing & (np.arange(players) == 0))
    card = np.where(whole[:, :, None], parts[seats], sources["public_parts"].T[seats])
    offered = np.full((players, rules.num_parts + 1), zero_row)
    if at == 0:
        offered[dealer] = parts[-1]
    phase = Phase.PLACING if placing else Phase(min(at, 1))
    flags = {
        "phase": (np.arange(len(Phase)) == phase) & (not over),
        "dealer": (seats == dealer) & (not over),
        "challenger": (seats == (dealer + at) % players) & (0 < at < players),
    }
    staged: dict[str, Any] = {
        name: np.where(flag, one_row, zero_row) for name, flag in flags.items()
    }
    for name, part in (("gift", slice(gifts)), ("ribbon", slice(gifts, -1)), ("value", -1)):
        staged |= {f"card_{name}": card[..., part], f"offered_{name}": offered[:, part]}
    return staged
