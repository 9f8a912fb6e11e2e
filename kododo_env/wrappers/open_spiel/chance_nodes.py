"""The chance nodes at the beginning of a game, which determine its deck."""

from __future__ import annotations

from itertools import islice

from kododo_env.core.batch_game import BatchGame
from kododo_env.search.deals import Deck, distinct_decks, least_decks, one_deck_is_enough

MOST_DECKS = 2_000
SEED_NODES = 4
SEED_OUTCOMES = 256

Outcomes = list[tuple[int, float]]


class DeckDealer:
    """A single chance node whose outcomes are all distinct decks.

    Attributes:
        nodes: The number of successive chance nodes.
        remembered: The number of positions to cache.
        outcomes: Pairs of an outcome and its probability, the same for each node.
    """

    nodes = 1
    remembered = 1 << 14  # about 8 kB each

    def __init__(self, game: BatchGame, decks: list[Deck]) -> None:
        self._game = game
        self._decks = decks
        self.outcomes: Outcomes = [(number, deck.probability) for number, deck in enumerate(decks)]

    def deal(self, dealt: tuple[int, ...]) -> BatchGame:
        """Return a batch of one game, dealt according to the outcomes of all nodes."""
        game = self._game.fresh(1, 0)
        game.reset(decks=self._decks[dealt[0]].cards[None])
        return game

    def describe(self, outcome: int) -> str:
        """Return the cards of an outcome's deck as text."""
        return f"deal {' '.join(map(str, self._decks[outcome].cards.tolist()))}"


class SeedDealer:
    """Four chance nodes, each of which draws a byte of the seed; see ``DeckDealer``.

    All shuffling follows from the seed, so the history identifies the deck. The decks are almost
    equally likely.
    """

    nodes = SEED_NODES
    remembered = 1 << 6

    def __init__(self, game: BatchGame) -> None:
        self._game = game
        self.outcomes: Outcomes = [(byte, 1 / SEED_OUTCOMES) for byte in range(SEED_OUTCOMES)]

    def deal(self, dealt: tuple[int, ...]) -> BatchGame:
        """Return a batch of one game, dealt with the seed that has these bytes."""
        return self._game.fresh(1, int.from_bytes(dealt))

    def describe(self, outcome: int) -> str:
        """Return a byte of the seed as text."""
        return f"seed {outcome:02x}"


def dealer(game: BatchGame) -> DeckDealer | SeedDealer:
    """Return a ``DeckDealer`` if an episode needs one deck of few possible ones, else by seeds."""
    if not one_deck_is_enough(game) or least_decks(game) > MOST_DECKS:
        return SeedDealer(game)
    decks = list(islice(distinct_decks(game), MOST_DECKS + 1))
    return DeckDealer(game, decks) if len(decks) <= MOST_DECKS else SeedDealer(game)
