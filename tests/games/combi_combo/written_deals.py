"""Scripted games of Combi-Combo: decks constructed from the final hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kododo_env.games.combi_combo import CombiComboGame, Rules

COLOURS = "BGYOVR"


def card(name: str) -> int:
    """Return the type of a card by name: B3 is the blue three."""
    return COLOURS.index(name[0]) * 4 + int(name[1]) - 1


def cards(names: str) -> list[int]:
    return [card(name) for name in names.split()]


def counted(names: str) -> list[int]:
    """Count cards by type, as the core stores them."""
    count = Counter(cards(names))
    return [count[card_type] for card_type in range(4 * len(COLOURS))]


def deck_of(piles: Sequence[str], central: str = "", rules: Rules | None = None) -> list[int]:
    """Return a deck in which the piles, including the central one, begin with these cards.

    What is not named are the other cards by type, the lowest first.
    """
    rules = rules or Rules(num_players=len(piles))
    named = [*(cards(names) for names in piles), cards(central)]
    remaining = Counter(rules.cards.tolist())
    for pile in named:
        remaining.subtract(pile)
    assert min(remaining.values()) >= 0, "the script has a card more often than the deck"
    spare = sorted(remaining.elements())
    sizes = [rules.pile_size] * rules.num_players + [rules.central_pile]
    deck: list[int] = []
    for pile, size in zip(named, sizes, strict=True):
        assert len(pile) <= size
        missing = size - len(pile)
        deck += pile + spare[:missing]
        spare = spare[missing:]
    return deck


def start(piles: Sequence[str], central: str = "", rules: Rules | None = None) -> CombiComboGame:
    """Return one game dealt from such a deck."""
    rules = rules or Rules(num_players=len(piles))
    game = CombiComboGame(1, rules, seed=0)
    game.reset(decks=np.array([deck_of(piles, central, rules)]))
    return game


def give(game: CombiComboGame, names: str) -> None:
    """Play one turn of a batch of one: each player passes the named card."""
    game.step(np.array([cards(names)]))


def final_hands(hands: Sequence[str]) -> CombiComboGame:
    """Return a finished game in which the players hold these cards, filled up to twelve.

    In each turn all players pass the next card of their pile, so that each hand ends up with
    the first eight cards of the right neighbour's pile and the last four of its own.
    """
    num_players = len(hands)
    rules = Rules(num_players=num_players)
    whole = np.array(deck_of(hands, rules=rules)[: 12 * num_players]).reshape(num_players, 12)
    piles = whole.copy()
    piles[:, :8] = np.roll(whole[:, :8], -1, axis=0)
    remaining = Counter(rules.cards.tolist())
    remaining.subtract(piles.ravel().tolist())
    deck = [*piles.ravel().tolist(), *sorted(remaining.elements())]
    game = CombiComboGame(1, rules, seed=0)
    game.reset(decks=np.array([deck]))
    for turn in range(8):
        game.step(piles[None, :, turn])
    assert game.terminated.all()
    return game


def hand_array(names: str) -> npt.NDArray[np.uint8]:
    """Return a hand as an array for scoring, (C, 4)."""
    return np.array(counted(names), np.uint8).reshape(6, 4)
