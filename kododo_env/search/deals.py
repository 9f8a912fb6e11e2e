"""Enumeration of all distinct deals of a small game, with their probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, factorial, prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import JointDeals


class Deck(NamedTuple):
    """A deck that represents all decks with the same deal.

    Attributes:
        cards: The card types, shape (D,).
        probability: The total probability of these decks.
    """

    cards: npt.NDArray[np.uint8]
    probability: float


def one_deck_is_enough(game: BatchGame) -> bool:
    """Return whether a deck determines all randomness of a game."""
    return game.sample_decks(1, np.random.default_rng(0)).ndim == 2


def distinct_decks(game: BatchGame) -> Iterator[Deck]:
    """Yield a deck for each distinct deal, with the probability of the deal.

    Decks have the same deal if they differ only by cards of the same type, or by the order of cards
    that are dealt together (``JointDeals``). The yielded deck has these cards in ascending order.
    """
    groups = _groups(game)
    deck = np.zeros(len(game.cards), np.uint8)
    every = _every_way(groups)
    for ways in _deal_groups(deck, groups, np.bincount(game.cards).tolist()):
        yield Deck(deck.copy(), ways / every)


def least_decks(game: BatchGame) -> int:
    """Return a lower bound on the number of distinct decks, without counting them."""
    permutations = prod(factorial(copies) for copies in np.bincount(game.cards).tolist())
    return _every_way(_groups(game)) // permutations


def _groups(game: BatchGame) -> list[npt.NDArray[np.intp]]:
    """Return the deck positions of each group of cards that are dealt together."""
    together = np.arange(len(game.cards))
    if isinstance(game, JointDeals):
        together = np.asarray(game.dealt_together)
    return [np.flatnonzero(together == group) for group in dict.fromkeys(together.tolist())]


def _every_way(groups: list[npt.NDArray[np.intp]]) -> int:
    """Return the number of ways to deal cards that are all different to the groups."""
    sizes = [len(places) for places in groups]
    return prod(comb(sum(sizes[index:]), size) for index, size in enumerate(sizes))


def _deal_groups(
    deck: npt.NDArray[np.uint8], groups: list[npt.NDArray[np.intp]], counts: list[int]
) -> Iterator[int]:
    """Write each way to deal cards to the groups into the deck, and yield its weight."""
    if not groups:
        yield 1
        return
    places, *later_groups = groups
    for cards in _combinations(counts, 0, len(places)):
        deck[places] = cards
        group_counts = np.bincount(np.array(cards, np.intp), minlength=len(counts)).tolist()
        pairs = list(zip(counts, group_counts, strict=True))
        later_counts = [count - group_count for count, group_count in pairs]
        ways = prod(comb(count, group_count) for count, group_count in pairs)
        for later_ways in _deal_groups(deck, later_groups, later_counts):
            yield ways * later_ways


def _combinations(counts: list[int], first: int, size: int) -> Iterator[tuple[int, ...]]:
    """Yield all ascending choices of ``size`` cards, of each type no more than its count."""
    if size == 0:
        yield ()
        return
    for card in range(first, len(counts)):
        if counts[card]:
            later_counts = [*counts[:card], counts[card] - 1, *counts[card + 1 :]]
            for later_cards in _combinations(later_counts, card, size - 1):
                yield (card, *later_cards)
