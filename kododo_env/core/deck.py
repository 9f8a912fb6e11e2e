"""Shuffling many decks at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kododo_env.core.arrays import Array, Uint8
from kododo_env.core.numbers import whole_numbers
from kododo_env.core.rows import blocks

NONE = 255  # no card


def shuffled_rows(cards: Array, rng: np.random.Generator) -> Uint8:
    """Shuffle each row of cards by itself.

    Args:
        cards: Shape (num, D), each below 256.
        rng: The source of randomness.

    Returns:
        Shape (num, D): the same cards row by row, each row in a random order.
    """
    # Sorting by random keys is 4 to 7 times as fast as rng.permuted, from 64 decks on. A key's
    # low byte carries the card; equal keys (2**-24 a pair) are too rare to bias anything.
    shuffled = np.empty(cards.shape, np.uint8)
    for rows in blocks(len(cards)):  # an even number at a time, since a word is two keys
        num = cards[rows].size
        words = rng.integers(1 << 64, size=(num + 1) // 2, dtype=np.uint64)
        keys = words.view(np.uint32)[:num].reshape(cards[rows].shape)
        keys &= np.uint32(0xFFFF_FF00)
        keys |= cards[rows]
        keys.sort(axis=1)
        shuffled[rows] = keys  # the low byte
    return shuffled


def shuffled_decks(cards: Array, num: int, rng: np.random.Generator) -> Uint8:
    """Shuffle the same cards many times over: shape (num, D) from ``cards`` (D,)."""
    return shuffled_rows(np.broadcast_to(cards, (num, len(cards))), rng)


def shuffled_counts(counts: Array, length: int, rng: np.random.Generator) -> Uint8:
    """Cards given by their numbers, each game's in a random order.

    Args:
        counts: How many cards of each type there are, shape (T, N), in a game ``length`` at most.
        length: How many places a game has.
        rng: The source of randomness.

    Returns:
        Shape (length, N): the types; behind them, where cards are lacking, ``NONE``.
    """
    types, num = counts.shape
    kinds = np.tile(np.append(np.arange(types, dtype=np.uint8), np.uint8(NONE)), num)
    lacking = length - counts.sum(axis=0)
    rows = np.repeat(kinds, np.vstack([counts, lacking]).T.ravel()).reshape(num, length)
    order = np.argsort(rng.random(rows.shape) + (rows == NONE), axis=1)
    shuffled: Uint8 = np.take_along_axis(rows, order, axis=1).T
    return shuffled


def check_decks(
    decks: npt.ArrayLike, cards: Array, num_envs: int, name: str, most_deals: int
) -> Uint8:
    """Check decks that somebody gave: one order of the game's own cards for each game.

    Args:
        decks: Shape (num_envs, D), integers; (num_envs, K, D) for K deals.
        cards: The game's cards, shape (D,).
        num_envs: How many games need a deck.
        name: The game's name, for the message.
        most_deals: How many deals the game may take.

    Returns:
        Shape (num_envs, K, D).

    Raises:
        ValueError: Wrong shape or dtype, too many deals, or cards that are not the game's.
    """
    given = whole_numbers(decks, f"decks of {name}")
    if given.ndim == 2:
        given = given[:, None]
    fits = given.ndim == 3 and (given.shape[0], given.shape[2]) == (num_envs, len(cards))
    if not fits or given.shape[1] == 0 or (given.shape[1] > 1 and most_deals == 1):
        raise ValueError(
            f"decks of {name} must have the shape ({num_envs}, {len(cards)}), not {np.shape(decks)}"
        )
    if given.shape[1] > most_deals:
        raise ValueError(f"a game of {name} takes at most {most_deals} deals, not {given.shape[1]}")
    wrong = (np.sort(given, axis=2) != np.sort(cards)).any(axis=2)
    if wrong.any():
        env, deal = np.argwhere(wrong)[0]
        known = given[env, deal][(given[env, deal] >= 0) & (given[env, deal] < 256)]
        have = np.bincount(known, minlength=256)
        want = np.bincount(cards, minlength=256)
        card = int(np.argmax(have != want))
        raise ValueError(
            f"deck {env} is not the deck of {name}: it has {have[card]} of card {card}, "
            f"the game {want[card]}"
        )
    return given.astype(np.uint8)
