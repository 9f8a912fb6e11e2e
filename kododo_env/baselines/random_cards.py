"""Random cards for players that simulate possible continuations."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kododo_env.arrays.dtypes import Array, Float32, Uint8


def drawn(weights: Array, cards: int, ways: int, seed: int, stick: float = 0.0) -> Uint8:
    """Sample how many cards of each kind all seats draw or lay together, (K, ..., ways, N).

    All games use the same random numbers, so that a choice based on the samples depends only on the
    position.

    Args:
        weights: The weight of each of K kinds for each of S seats, (S, K, ..., N).
        cards: The number of cards that each seat draws or lays.
        ways: The number of samples.
        seed: Seed of the random numbers.
        stick: The probability that a card is of the same kind as the seat's card before it.
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
    """Return random numbers for each card of a seat in each sample, (cards, ways), from a seed.

    The numbers of a card are spread evenly over 0 to 1.
    """
    rng = np.random.default_rng(seed)
    spread = np.tile((np.arange(ways) + 0.5) / ways, (cards, 1))
    spread = rng.permuted(spread, axis=1)
    sticks = rng.random(spread.shape) < stick
    for card in range(1, cards):
        spread[card] = np.where(sticks[card], spread[card - 1], spread[card])
    return spread.astype(np.float32)
