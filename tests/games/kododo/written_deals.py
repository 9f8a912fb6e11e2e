"""Scripted games of Kododo: decks constructed from the cards to lay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.games.kododo import KododoGame, Rules

COLOURS = "BGYOV"
SINGLES = [(0,), (1,), (2,), (3,), (4,)]
PAIRS = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
SLOTS: list[tuple[int, ...]] = [*SINGLES, *PAIRS]
"""The slots that the actions 0 to 14 lay, written out."""
TURNS = [slice(0, 2), slice(2, 3), slice(3, 4)]
"""Which of a player's four cards of a round are laid in which turn."""

Round = Sequence[str]
"""The four cards of each player, such as ["B1 B2 G3 G3", "V1 V2 Y5 Y6"] for two players."""


def card(name: str) -> int:
    """Return the id of a card by name: B3 is the blue three."""
    return COLOURS.index(name[0]) * 6 + int(name[1]) - 1


def cards(names: str) -> list[int]:
    return [card(name) for name in names.split()]


def written_deck(rounds: Sequence[Round], rules: Rules, spares: str | None = None) -> list[int]:
    """Return a deck with which the players can lay the cards of these rounds.

    Each player is dealt their cards of the first round and one spare card, which they keep
    to the end; in every turn they draw what they will lay in that turn of the next round. All
    other cards follow by their ids, so the removed ones are the highest of those.

    Args:
        rounds: The first rounds of the deal; the deck says nothing about later ones.
        rules: The rules, with the real cards and hands.
        spares: One card for each player; by default the first ones that nobody lays.
    """
    remaining = Counter(rules.cards.tolist())
    remaining.subtract(card for script in rounds for names in script for card in cards(names))
    spare_cards = cards(spares) if spares else sorted(remaining.elements())[: rules.num_players]
    deck: list[int] = []
    for player, spare in enumerate(spare_cards):
        deck += [*cards(rounds[0][player]), spare]
    for later in rounds[1:]:
        laid = [cards(names) for names in later]
        for turn in TURNS:
            for names in laid:
                deck += names[turn]
    remaining = Counter(rules.cards.tolist())
    remaining.subtract(deck)
    assert min(remaining.values()) >= 0, "the script has a card more often than the deck"
    return deck + sorted(remaining.elements())


def start(rules: Rules, *deals: Sequence[Round], spares: str | None = None) -> KododoGame:
    """Return one game with a given deck for each deal (one deal in the standard game)."""
    game = KododoGame(1, rules, seed=0)
    decks = [written_deck(rounds, rules, spares) for rounds in deals]
    game.reset(decks=np.array(decks if rules.variant == "standard" else [decks]))
    return game


def action_for(hand: Sequence[int], laid: Sequence[int]) -> int:
    """Return the action that lays these cards from this hand; 0 for a finished game."""
    if not laid:
        return 0
    singles = combinations(range(len(hand)), 1)
    pairs = combinations(range(len(hand)), 2)
    for action, slots in enumerate([*singles, *pairs]):
        if sorted(hand[slot] for slot in slots) == sorted(laid):
            return action
    raise AssertionError(f"{laid} cannot be laid from {hand}")


def lay(game: KododoGame, *laid: Sequence[Sequence[int]]) -> None:
    """Play one turn, given the cards of each player for each game of the batch."""
    game.step(
        [
            [
                action_for(hand, cards_to_lay)
                for hand, cards_to_lay in zip(hands, plays, strict=True)
            ]
            for hands, plays in zip(game.hands.tolist(), laid, strict=True)
        ]
    )


def play_round(game: KododoGame, *scripts: Round) -> npt.NDArray[np.float32]:
    """Play three turns, one script for each game; return the points of the round, (N, P)."""
    for turn in TURNS:
        lay(game, *([cards(names)[turn] for names in script] for script in scripts))
    return game.rewards


def table_of(colours: str) -> list[str]:
    """Return a whole table of cards with these colours, four for each player in this order.

    The cards of a colour are its lowest ones from 2 up: no Kododo cards.
    """
    values = dict.fromkeys(COLOURS, "2222223333344")
    names = []
    for colour in colours:
        names.append(colour + values[colour][0])
        values[colour] = values[colour][1:]
    return [" ".join(names[first : first + 4]) for first in range(0, len(names), 4)]


def short_rules(num_players: int, rounds: int, **changes: Any) -> Rules:
    """Return the real game with cards removed, so that a deal has only a few rounds."""
    removed = 100 - 5 * num_players - 4 * num_players * (rounds - 1)
    return Rules(num_players=num_players, removed_cards=removed, **changes)
