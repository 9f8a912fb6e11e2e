"""Determinization of KADO: shuffling the cards that one player has not seen.

All orders of the unseen cards that agree with the wrong guesses of this turn are equally likely.
The guesses restrict only the dealer's card, and for each possible dealer's card the other cards
have equally many orders. Therefore the dealer's card is drawn uniformly from the possible cards,
and then all other unseen cards are shuffled.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Uint8
from kododo_env.arrays.rows import column
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.deck import NONE, shuffled_rows
from kododo_env.games.kado.cards import viewers_by_place, where_seen
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.state import KadoState
from kododo_env.games.kado.tables import KadoTables


def deal_again(
    state: KadoState, rules: Rules, tables: KadoTables, player: int, rng: np.random.Generator
) -> None:
    """Deal everything hidden from a player again, in place."""
    viewers = viewers_by_place(state, rules, tables)
    free = (viewers >> player & 1) == 0
    # Sort first, so that the new cards depend only on the player's knowledge and the generator.
    _refill(state, free, lambda cards: np.sort(cards, axis=1))
    if state.ruled_out.any():
        _deal_dealer_card(state, rules, tables, free, rng)
    _refill(state, free, lambda cards: shuffled_rows(cards, rng))
    places = column(rules.num_cards, np.intp)
    state.viewers.reshape(-1)[where_seen(state, rules, tables, places, state.games)] = viewers


def _refill(state: KadoState, free: Bool, reorder: Callable[[Array], Uint8]) -> None:
    """Reorder the cards at the free places (D, N).

    ``reorder`` receives rows (N, D) with NONE at the other places; the cards fill the free places
    in the order in which it returns them.
    """
    cards = state.deck[:-1].T.copy()
    ordered = reorder(np.where(free.T, cards, np.uint8(NONE)))
    cards[free.T] = ordered[ordered != NONE]
    state.deck[:-1] = cards.T


def _deal_dealer_card(
    state: KadoState, rules: Rules, tables: KadoTables, free: Bool, rng: np.random.Generator
) -> None:
    """Draw the dealer's card, where it is free, among the possible cards, and mark it not free."""
    place = state.held[state.dealer]
    games = np.flatnonzero(free[place, state.games])
    place = place[games]
    deck = state.deck[:-1, games]
    gift, ribbon = (part[deck].astype(np.intp) for part in (tables.gift, tables.ribbon))
    not_gift, not_ribbon = np.split(state.ruled_out[:, games], [rules.num_gifts])
    ruled_out = np.take_along_axis(not_gift, gift, axis=0)
    ruled_out |= np.take_along_axis(not_ribbon, ribbon, axis=0)
    drawn = random_legal_actions((free[:, games] & ~ruled_out).T, rng)
    state.deck[drawn, games] = state.deck[place, games]
    state.deck[place, games] = deck[drawn, np.arange(len(games))]
    free[place, games] = False
