"""Pure functions that remove cards from sorted hands, or insert them; the game axis is the last.

A hand is a column of card ids in ascending order; NONE is larger than all of them. The functions
compare whole columns for all players and games at once, which is faster than sorting.
"""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Array, Uint8
from kododo_env.arrays.rows import column


def without_slot(hands: Uint8, slots: Array) -> tuple[Uint8, Uint8]:
    """Remove the card in a slot, (P, N), from each sorted hand, (P, H, N).

    Returns:
        The cards, (P, N), and the hands without them, (P, H - 1, N).
    """
    part = hands * (column(hands.shape[1]) <= slots[:, None]).view(np.uint8)  # 0 after the slot
    cards = np.maximum.reduce(part, axis=1)
    part ^= hands  # 0 up to the slot
    return cards, np.maximum(hands[:, :-1], part[:, 1:])


def with_card(hands: Uint8, cards: Uint8) -> Uint8:
    """Insert one card into each sorted hand: (P, H + 1, N) from (P, H, N) and (P, N)."""
    players, size, num = hands.shape
    larger = np.empty((players, size + 1, num), np.uint8)
    np.minimum(hands, cards[:, None], out=larger[:, :-1])
    larger[:, -1] = cards
    np.maximum(larger[:, 1:], hands, out=larger[:, 1:])
    return larger


def in_order(cards: Uint8) -> Uint8:
    """Sort hands, (P, H, N)."""
    hands = cards[:, :0]
    for slot in range(cards.shape[1]):
        hands = with_card(hands, cards[:, slot])
    return hands
