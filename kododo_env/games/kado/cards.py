"""The cards at places of KADO's deck, and the players who have seen them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Array, Intp, Uint8
from kododo_env.arrays.rows import column
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.state import KadoState
from kododo_env.games.kado.tables import KadoTables


def cards_at(state: KadoState, places: Array, games: Intp) -> Uint8:
    """Return the cards at places (..., M) in the decks of M games; NONE after the last card."""
    return state.deck.take(flat_index(state.deck, places, games))


def dealt_as(state: KadoState) -> Uint8:
    """Return the order, from 1, in which this turn's cards were dealt, shape (P + 1, N).

    The last row is the card put aside; 0 means that there is no card.
    """
    order = state.held - (state.turn_start - 1)
    order *= state.held < len(state.viewers)
    return order.astype(np.uint8)


def viewers_by_place(state: KadoState, rules: Rules, tables: KadoTables) -> Uint8:
    """Return the bit mask of players who have seen the card at each place of the deck, (D, N)."""
    places = column(rules.num_cards, np.intp)
    return state.viewers.take(where_seen(state, rules, tables, places, state.games))


def where_seen(
    state: KadoState, rules: Rules, tables: KadoTables, places: Array, games: Intp
) -> Intp:
    """Return the indices in the flattened ``viewers`` of cards at places (..., M) of M games."""
    deck = state.deck
    card = cards_at(state, places, games)
    ranks = tables.first.take(card)
    if rules.max_copies > 1:
        copies = deck[:, games] == card[..., None, :]
        before = column(len(deck), np.intp) < places[..., None, :]
        ranks += np.add.reduce(copies & before, axis=-2, dtype=np.intp)
    return flat_index(state.viewers, ranks, games)


def add_up(state: KadoState, tables: KadoTables, cell: Array, card: Array, games: Intp) -> None:
    """Add the cards placed in cells, (P, M), to the sums used for scoring."""
    sum_places = tables.sums_of_cell.take(cell, axis=1) + tables.sums_of_card.take(card, axis=1)
    players = column(len(cell), np.intp)
    sums = state.sums.reshape(-1)
    flat_places = flat_index(state.sums, players, sum_places, games)
    totals = sums.take(flat_places) + tables.gains.take(card, axis=1)
    sums[flat_places] = np.maximum(totals, tables.minimum.take(card, axis=1))


def flat_index(array: Array, *index: Any) -> Intp:
    """Return indices into a flattened array, which is faster than indexing with several arrays.

    The array must be C-contiguous. There is an index for each axis, an int or an intp array; ints
    come first.
    """
    place = index[0]
    for size, step in zip(array.shape[1:], index[1:], strict=True):
        if size > 1:  # otherwise the index is 0
            place = place * size + step
    return place
