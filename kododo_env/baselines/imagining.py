"""Cards as they may fall, for players that imagine how a game may go on."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kododo_env.core.arrays import Array, Float32, Uint8


def drawn(weights: Array, cards: int, ways: int, seed: int, stick: float = 0.0) -> Uint8:
    """How many cards of each kind fall altogether, in each of some ways: (K, ..., ways, N).

    Each seat draws or lays ``cards`` cards, each kind as likely as its weight, (S, K, ..., N).
    With the chance ``stick`` a card is of the kind of the card before. The ways are the same for
    all games, so that a choice made by them follows from the position.
    """
    upto = np.cumsum(weights, axis=1, dtype=np.float32)
    below = (upto[:, :-1] / np.maximum(upto[:, -1:], np.float32(1e-9)))[..., None, :]
    fallen = np.zeros((*weights.shape[1:-1], ways, weights.shape[-1]), np.uint8)
    fallen[-1] = len(below) * cards
    for seat, shares in enumerate(below):
        for number in _numbers(seed + seat, cards, ways, stick):
            fallen[:-1] += number[:, None] < shares
    fallen[1:] -= fallen[:-1].copy()
    return fallen


@lru_cache
def _numbers(seed: int, cards: int, ways: int, stick: float) -> Float32:
    """Random numbers for each card of a seat in each way, (cards, ways), always the same.

    The numbers of a card are spread evenly over 0 to 1.
    """
    rng = np.random.default_rng(seed)
    spread = np.tile((np.arange(ways) + 0.5) / ways, (cards, 1))
    spread = rng.permuted(spread, axis=1)
    sticks = rng.random(spread.shape) < stick
    for card in range(1, cards):
        spread[card] = np.where(sticks[card], spread[card - 1], spread[card])
    return spread.astype(np.float32)
