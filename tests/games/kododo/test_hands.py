"""Operations on sorted hands, compared with Python lists."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env.core.deck import NONE
from kododo_env.games.kododo.hands import in_order, with_card, without_slot


def some_hands(held: int) -> np.ndarray:
    """Return unsorted cards of two players in 50 games, with duplicates and empty slots."""
    cards = np.random.default_rng(held).integers(0, 8, (2, held, 50)).astype(np.uint8)
    return np.where(cards == 7, np.uint8(NONE), cards)


@pytest.mark.parametrize("held", [1, 2, 5, 20])
def test_a_card_is_taken_out_and_put_in_and_the_hand_stays_sorted(held: int) -> None:
    hands = in_order(some_hands(held))
    assert (hands == np.sort(some_hands(held), axis=1)).all()
    slots = np.random.default_rng(0).integers(0, held, (2, 50))
    drawn = some_hands(1)[:, 0]
    cards, remaining = without_slot(hands, slots)
    filled = with_card(remaining, drawn)
    for player, game in np.ndindex(2, 50):
        hand = hands[player, :, game].tolist()
        assert cards[player, game] == hand.pop(slots[player, game])
        assert remaining[player, :, game].tolist() == hand
        assert filled[player, :, game].tolist() == sorted([*hand, drawn[player, game]])
