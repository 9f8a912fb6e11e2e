"""The chance nodes at the beginning of a game: which deck it is dealt from."""

from __future__ import annotations

from itertools import islice

from kododo_env.core.batch_game import BatchGame
from kododo_env.search.deals import Deck, distinct_decks, least_decks, one_deck_is_enough

MOST_DECKS = 2_000
SEED_NODES = 4
SEED_OUTCOMES = 256

Outcomes = list[tuple[int, float]]


class DeckDealer:
    """One chance node over all decks that differ.

    Attributes:
        nodes: How many chance nodes there are, one after the other.
        remembered: How many positions are worth remembering, since play comes by again.
        outcomes: The outcomes of each node, with their chances.
    """

    nodes = 1
    remembered = 1 << 14  # of some 8 kB each

    def __init__(self, game: BatchGame, decks: list[Deck]) -> None:
        self._game = game
        self._decks = decks
        self.outcomes: Outcomes = [(number, deck.chance) for number, deck in enumerate(decks)]

    def deal(self, dealt: tuple[int, ...]) -> BatchGame:
        """A batch of one game, dealt by the outcomes of all nodes: by that deck."""
        game = self._game.fresh(1, 0)
        game.reset(decks=self._decks[dealt[0]].cards[None])
        return game

    def describe(self, outcome: int) -> str:
        """The cards of that deck."""
        return f"deal {' '.join(map(str, self._decks[outcome].cards.tolist()))}"


class SeedDealer:
    """A few chance nodes that make up the seed of all shuffling; see ``DeckDealer``.

    Any deck can come, all as good as equally likely, and the history says which.
    """

    nodes = SEED_NODES
    remembered = 1 << 6

    def __init__(self, game: BatchGame) -> None:
        self._game = game
        self.outcomes: Outcomes = [(byte, 1 / SEED_OUTCOMES) for byte in range(SEED_OUTCOMES)]

    def deal(self, dealt: tuple[int, ...]) -> BatchGame:
        """The game of that seed."""
        return self._game.fresh(1, int.from_bytes(dealt))

    def describe(self, outcome: int) -> str:
        """A byte of the seed."""
        return f"seed {outcome:02x}"


def dealer(game: BatchGame) -> DeckDealer | SeedDealer:
    """A dealer over all decks if they are few and only one is needed, else by seeds."""
    if not one_deck_is_enough(game) or least_decks(game) > MOST_DECKS:
        return SeedDealer(game)
    decks = list(islice(distinct_decks(game), MOST_DECKS + 1))
    return DeckDealer(game, decks) if len(decks) <= MOST_DECKS else SeedDealer(game)
