"""Scripted games of KADO: decks that begin with named cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kododo_env.games.kado import KadoGame, Rules

GIFTS = "SCPFH"
RIBBONS = "VOGBR"
GIVE = 0
GUESSES = 25
CELLS = 35
"""The first action, and how many guesses and cells of the board there are."""


def card(name: str) -> int:
    """Return the id of a card by name: PR3 is the plush with a red ribbon and the value 3."""
    return (GIFTS.index(name[0]) * 5 + RIBBONS.index(name[1])) * 5 + int(name[2]) - 1


def cards(names: str) -> list[int]:
    return [card(name) for name in names.split()]


def deck_of(names: str, rules: Rules) -> list[int]:
    """Return a deck that begins with the named cards; the others follow by id."""
    first = cards(names)
    remaining = Counter(rules.cards.tolist())
    remaining.subtract(first)
    assert min(remaining.values()) >= 0, "a card is named more often than the deck has it"
    return first + sorted(remaining.elements())


def start(names: str, rules: Rules) -> KadoGame:
    """Return one game whose deck begins with the named cards."""
    game = KadoGame(1, rules, seed=0)
    game.reset(decks=[deck_of(names, rules)])
    return game


# Actions by name, written out for the real deck and P players.


def give(steps: int) -> int:
    """Return the action that gives the card this many seats to the left; 0 keeps it."""
    return steps


def discard(num_players: int) -> int:
    return num_players


def no_challenge(num_players: int) -> int:
    return num_players + 1


def guess(num_players: int, kind: str) -> int:
    """Return the guess of a gift and a ribbon by their letters, such as PR."""
    return num_players + 2 + GIFTS.index(kind[0]) * 5 + RIBBONS.index(kind[1])


def place(num_players: int, row: int, column: int) -> int:
    """Return the placing this many rows below and columns to the right of the first card."""
    return num_players + 27 + (row + 2) * 7 + column + 3


def no_op(num_players: int) -> int:
    return num_players + 62


def act(game: KadoGame, **moves: int) -> None:
    """Play one step of a batch of one: p0=..., p1=... are actions, the others play the no-op."""
    actions = [moves.get(f"p{player}", game.no_op) for player in range(game.num_players)]
    game.step([actions])


def legal(game: KadoGame, player: int) -> list[int]:
    """Return the legal actions of a player of a batch of one."""
    actions: list[int] = np.flatnonzero(game.legal_action_mask()[0, player]).tolist()
    return actions


def deal(game: KadoGame, recipients: Sequence[int]) -> None:
    """Deal the first cards of a turn to these seats, counted from the dealer."""
    for steps in recipients:
        act(game, **{f"p{game.dealer}": give(steps)})


def pass_all(game: KadoGame) -> None:
    """Pass until the challenge phase is over."""
    turn = game.turn
    while game.turn == turn and game.phase == 1:
        act(game, **{f"p{game.challenger}": no_challenge(game.num_players)})


def place_all(game: KadoGame, row: int, column: int) -> None:
    """Place the cards of all players in the same cell."""
    game.step([[place(game.num_players, row, column)] * game.num_players])


def play_turn(game: KadoGame, recipients: Sequence[int], cell: tuple[int, int]) -> None:
    """Play a turn without challenges: deal, pass, and place all cards in the same cell."""
    first_or_last = game.turn in (0, 11)
    deal(game, recipients)
    pass_all(game)
    if not first_or_last:
        place_all(game, *cell)
