"""The chance nodes at the beginning of a game: which deck it is dealt from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import comb, factorial, prod
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import DealsTogether

MOST_DECKS = 2_000
SEED_NODES, SEED_OUTCOMES = 4, 256

Outcomes = list[tuple[int, float]]


class Deck(NamedTuple):
    """A deck that stands for all that are dealt alike.

    Attributes:
        cards: The card types, shape (D,).
        chance: How likely one of them is.
    """

    cards: npt.NDArray[np.uint8]
    chance: float


class Dealer(Protocol):
    """What chance decides before a game.

    Attributes:
        nodes: How many chance nodes there are, one after the other.
        remembered: How many positions are worth remembering, since play comes by again.
        outcomes: The outcomes of each node, with their chances.
    """

    nodes: int
    remembered: int
    outcomes: Outcomes

    def deal(self, dealt: tuple[int, ...]) -> BatchGame:
        """A batch of one game, dealt by the outcomes of all nodes."""
        ...

    def describe(self, outcome: int) -> str:
        """An outcome in words."""
        ...


class DeckDealer:
    """One chance node over all decks that differ; see ``Dealer``."""

    nodes = 1
    remembered = 1 << 14  # of some 8 kB each

    def __init__(self, game: BatchGame, decks: list[Deck]) -> None:
        self._game, self._decks = game, decks
        self.outcomes = [(number, deck.chance) for number, deck in enumerate(decks)]

    def deal(self, dealt: tuple[int, ...]) -> BatchGame:
        """The game of that deck."""
        game = self._game.fresh(1, 0)
        game.reset(decks=self._decks[dealt[0]].cards[None])
        return game

    def describe(self, outcome: int) -> str:
        """The cards of that deck."""
        return f"deal {' '.join(map(str, self._decks[outcome].cards.tolist()))}"


class SeedDealer:
    """A few chance nodes that make up the seed of all shuffling; see ``Dealer``.

    Any deck can come, all as good as equally likely, and the history says which.
    """

    nodes = SEED_NODES
    remembered = 1 << 6

    def __init__(self, game: BatchGame) -> None:
        self._game = game
        self.outcomes = [(byte, 1 / SEED_OUTCOMES) for byte in range(SEED_OUTCOMES)]

    def deal(self, dealt: tuple[int, ...]) -> BatchGame:
        """The game of that seed."""
        return self._game.fresh(1, int.from_bytes(dealt))

    def describe(self, outcome: int) -> str:
        """A byte of the seed."""
        return f"seed {outcome:02x}"


def dealer(game: BatchGame) -> Dealer:
    """Who deals: over all decks if they are few and only one is needed, else by seeds."""
    one_deck = game.sample_decks(1, np.random.default_rng(0)).ndim == 2
    if not one_deck or _least_decks(game) > MOST_DECKS:
        return SeedDealer(game)
    decks = list(islice(distinct_decks(game), MOST_DECKS + 1))
    return DeckDealer(game, decks) if len(decks) <= MOST_DECKS else SeedDealer(game)


def distinct_decks(game: BatchGame) -> Iterator[Deck]:
    """All decks that are dealt differently, with their chances.

    Cards of the same type are alike, and so are orders of cards that are dealt together
    (``DealsTogether``); what stands for them has these cards in ascending order.
    """
    groups, deck = _groups(game), np.zeros(len(game.cards), np.uint8)
    every = _every_way(groups)
    for ways in _dealt(deck, groups, np.bincount(game.cards).tolist()):
        yield Deck(deck.copy(), ways / every)


def _groups(game: BatchGame) -> list[npt.NDArray[np.intp]]:
    """The places of the deck whose cards are dealt together, group by group."""
    together = np.arange(len(game.cards))
    if isinstance(game, DealsTogether):
        together = np.asarray(game.dealt_together)
    return [np.flatnonzero(together == group) for group in dict.fromkeys(together.tolist())]


def _every_way(groups: list[npt.NDArray[np.intp]]) -> int:
    """How many ways there are to deal cards that are all different to the groups."""
    sizes = [len(places) for places in groups]
    return prod(comb(sum(sizes[index:]), size) for index, size in enumerate(sizes))


def _least_decks(game: BatchGame) -> int:
    """So many decks differ at least; to count them all would take long where they are many."""
    alike = prod(factorial(copies) for copies in np.bincount(game.cards).tolist())
    return _every_way(_groups(game)) // alike


def _dealt(
    deck: npt.NDArray[np.uint8], groups: list[npt.NDArray[np.intp]], left: list[int]
) -> Iterator[int]:
    """Write each way to deal cards to the groups into the deck, and yield its weight."""
    if not groups:
        yield 1
        return
    places, *others = groups
    for cards in _combinations(left, 0, len(places)):
        deck[places] = cards
        taken = np.bincount(np.array(cards, np.intp), minlength=len(left)).tolist()
        after = [have - take for have, take in zip(left, taken, strict=True)]
        ways = prod(comb(have, take) for have, take in zip(left, taken, strict=True))
        for rest in _dealt(deck, others, after):
            yield ways * rest


def _combinations(left: list[int], first: int, size: int) -> Iterator[tuple[int, ...]]:
    """All ascending choices of so many cards, of each type no more than are left."""
    if size == 0:
        yield ()
        return
    for card in range(first, len(left)):
        if left[card]:
            fewer = [*left[:card], left[card] - 1, *left[card + 1 :]]
            for rest in _combinations(fewer, card, size - 1):
                yield (card, *rest)
