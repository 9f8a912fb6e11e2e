"""Dealing again all that one player of KADO cannot know: the places of the deck they have not seen.

All orders of the unseen cards in these places are equally likely as long as they respect the
wrong guesses of this turn. These say something about one place only, the dealer's card's:
whichever of the possible cards lies there, the others can lie in equally many orders. So that
card is drawn first, each possible one with the same chance, and then the others in any order:
every order has the same chance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kododo_env.core.agent import random_legal_actions
from kododo_env.core.arrays import Array, Bool, Uint8
from kododo_env.core.deck import NONE, shuffled_rows
from kododo_env.core.rows import column
from kododo_env.games.kado.cards import viewers_by_place, where_seen
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.state import KadoState
from kododo_env.games.kado.tables import Tables


def deal_again(
    state: KadoState, rules: Rules, tables: Tables, player: int, rng: np.random.Generator
) -> None:
    """Replace all that a player cannot know, in place."""
    viewers = viewers_by_place(state, rules, tables)
    free = (viewers >> player & 1) == 0
    # Sorted first, so that the cards dealt follow from the knowledge and the rng alone.
    _refill(state, free, lambda cards: np.sort(cards, axis=1))
    if state.ruled_out.any():
        _deal_dealer_card(state, rules, tables, free, rng)
    _refill(state, free, lambda cards: shuffled_rows(cards, rng))
    places = column(rules.num_cards, np.intp)
    state.seen.reshape(-1)[where_seen(state, rules, tables, places, state.games)] = viewers


def _refill(state: KadoState, free: Bool, reorder: Callable[[Array], Uint8]) -> None:
    """Put the cards of the free places (D, N) back as ``reorder`` puts rows (N, D) in order.

    They keep the order in which they then come, wherever in their row that leaves them.
    """
    cards = state.deck[:-1].T.copy()
    ordered = reorder(np.where(free.T, cards, np.uint8(NONE)))
    cards[free.T] = ordered[ordered != NONE]
    state.deck[:-1] = cards.T


def _deal_dealer_card(
    state: KadoState, rules: Rules, tables: Tables, free: Bool, rng: np.random.Generator
) -> None:
    """Draw the dealer's card, where it is free, among the possible ones; not free then."""
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
