"""Shuffling many decks at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Array, Uint8
from kododo_env.arrays.rows import blocks
from kododo_env.checks.numbers import check_generator, whole_numbers

NONE = 255  # no card


def shuffled_rows(cards: Array, rng: np.random.Generator) -> Uint8:
    """Shuffle each row of an array of cards below 256, shape (num, D), independently.

    Raises:
        ValueError: ``rng`` is not a numpy generator.
    """
    check_generator(rng)
    # Sorting by random keys is faster than rng.permuted. The low byte of a key holds the card.
    # Equal keys (probability 2**-24 for each pair) are too rare to cause a bias.
    shuffled = np.empty(cards.shape, np.uint8)
    for rows in blocks(len(cards)):  # an even number of rows, since a random word is two keys
        num = cards[rows].size
        words = rng.integers(1 << 64, size=(num + 1) // 2, dtype=np.uint64)
        keys = words.view(np.uint32)[:num].reshape(cards[rows].shape)
        keys &= np.uint32(0xFFFF_FF00)
        keys |= cards[rows]
        keys.sort(axis=1)
        shuffled[rows] = keys  # the low byte
    return shuffled


def shuffled_decks(cards: Array, num: int, rng: np.random.Generator) -> Uint8:
    """Return ``num`` shuffled copies of ``cards`` (D,): shape (num, D)."""
    return shuffled_rows(np.broadcast_to(cards, (num, len(cards))), rng)


def shuffled_counts(counts: Array, length: int, rng: np.random.Generator) -> Uint8:
    """Shuffle cards that are counted by type.

    Args:
        counts: The number of cards of each type in each game, (T, N).
        length: The number of places in the result.
        rng: The source of randomness.

    Returns:
        The types of the cards in random order, (length, N), padded at the end with ``NONE``.
    """
    types, num = counts.shape
    kinds = np.tile(np.append(np.arange(types, dtype=np.uint8), np.uint8(NONE)), num)
    num_empty = length - counts.sum(axis=0)
    rows = np.repeat(kinds, np.vstack([counts, num_empty]).T.ravel()).reshape(num, length)
    order = np.argsort(rng.random(rows.shape) + (rows == NONE), axis=1)
    return np.take_along_axis(rows, order, axis=1).T


def check_decks(
    decks: npt.ArrayLike, cards: Array, num_envs: int, name: str, most_deals: int
) -> Uint8:
    """Check decks given by a caller and return them with shape (num_envs, K, D).

    Args:
        decks: Shape (num_envs, D), or (num_envs, K, D) for K deals.
        cards: The cards that every deck must have, (D,).
        num_envs: The number of games.
        name: The name of the game, for messages.
        most_deals: The largest K allowed.

    Raises:
        ValueError: ``decks`` has the wrong shape or dtype, too many deals, or different cards.
    """
    checked_decks = whole_numbers(decks, f"decks of {name}")
    if checked_decks.ndim == 2:
        checked_decks = checked_decks[:, None]
    fits = checked_decks.ndim == 3 and (checked_decks.shape[0], checked_decks.shape[2]) == (
        num_envs,
        len(cards),
    )
    if not fits or checked_decks.shape[1] == 0 or (checked_decks.shape[1] > 1 and most_deals == 1):
        raise ValueError(
            f"decks of {name} must have shape ({num_envs}, {len(cards)}), not {np.shape(decks)}"
        )
    if checked_decks.shape[1] > most_deals:
        raise ValueError(
            f"{name} accepts at most {most_deals} deals per game, not {checked_decks.shape[1]}"
        )
    wrong = (np.sort(checked_decks, axis=2) != np.sort(cards)).any(axis=2)
    if wrong.any():
        env, deal = np.argwhere(wrong)[0]
        countable = checked_decks[env, deal][
            (checked_decks[env, deal] >= 0) & (checked_decks[env, deal] < 256)
        ]
        have = np.bincount(countable, minlength=256)
        want = np.bincount(cards, minlength=256)
        card = int(np.argmax(have != want))
        raise ValueError(
            f"deck {env} does not have the cards of {name}: it has {have[card]} of card {card}, "
            f"expected {want[card]}"
        )
    return checked_decks.astype(np.uint8)
