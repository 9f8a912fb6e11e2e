"""The cards of KADO's deck by their places: which they are, and which players have seen them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.core.arrays import Array, Intp, Uint8
from kododo_env.core.rows import column
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.state import KadoState
from kododo_env.games.kado.tables import Tables


def cards_at(state: KadoState, places: Array, games: Intp) -> Uint8:
    """The cards in places of the deck, (..., M) of M games; NONE in the place behind the last."""
    return state.deck.take(flat_index(state.deck, places, games))


def dealt_as(state: KadoState) -> Uint8:
    """Which card of this turn each player has, and the last put aside, from 1; (P + 1, N)."""
    order = state.held - (state.turn_start - 1)
    order *= state.held < len(state.seen)
    return order.astype(np.uint8)


def viewers_by_place(state: KadoState, rules: Rules, tables: Tables) -> Uint8:
    """Which players have seen the card in each place of the deck, bit by bit, (D, N)."""
    places = column(rules.num_cards, np.intp)
    return state.seen.take(where_seen(state, rules, tables, places, state.games))


def where_seen(state: KadoState, rules: Rules, tables: Tables, places: Array, games: Intp) -> Intp:
    """Where in ``seen``, flattened, the cards in places (..., M) of M games stand."""
    deck = state.deck
    card = cards_at(state, places, games)
    ranks = tables.first.take(card)
    if rules.max_copies > 1:
        copies = deck[:, games] == card[..., None, :]
        before = column(len(deck), np.intp) < places[..., None, :]
        ranks += np.add.reduce(copies & before, axis=-2, dtype=np.intp)
    return flat_index(state.seen, ranks, games)


def flat_index(array: Array, *index: Any) -> Intp:
    """Where elements lie in the flattened array, for ``take`` and for a single index.

    numpy looks elements up faster by one index than by several. The array is C-contiguous. Of
    the indices, one for each axis, those before the first array of intp are ints.
    """
    place = index[0]
    for size, step in zip(array.shape[1:], index[1:], strict=True):
        if size > 1:  # else the index is 0
            place = place * size + step
    flat: Intp = place
    return flat
