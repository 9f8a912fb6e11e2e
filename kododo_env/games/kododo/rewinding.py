"""Taking back the last turn of a round, as it may have been."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.batch_game import Past

if TYPE_CHECKING:
    from kododo_env.games.kododo.game import KododoGame

Array = npt.NDArray[Any]


def take_back(game: KododoGame, rng: np.random.Generator) -> Past:
    """The position before the last turn of the same round, in which it is not the first.

    The cards on the table tell what all players laid. They do not tell which cards of a hand
    were drawn after that: each may be, with the same chance.
    """
    rules, turn = game.rules, game.turn - 1
    plays, place = rules.plays[turn], sum(rules.plays[:turn])
    before = game.clone()
    laid = before._table[:, place : place + plays].copy()
    with before._unchanged(before._terminated):
        _return_cards(before, laid, game._held, rng)
        counts = before._rows_of(laid.swapaxes(0, 1))
        counted = before._laid.shape[1]
        before._laid -= counts[:, :, :counted].swapaxes(1, 2)
        types = counts[:, :, counted:]
        before._seen -= np.add.reduce(types, axis=0, dtype=np.uint8).T
        before._table[:, place : place + plays] = before._nothing[0, 0, 0]
        before._sort_hands()
        before._count_hands()
    before.turn = turn
    before.steps_played -= 1
    return Past(before, _laying(before, np.sort(laid, axis=1)).transpose(2, 0, 1))


def _return_cards(game: KododoGame, laid: Array, held: int, rng: np.random.Generator) -> None:
    """Give the players back what they laid, (P, plays, N), and the pile what they drew for it."""
    players, plays, num = laid.shape
    hands = game._hands
    if not game._drawing:
        hands[:, held : held + plays] = laid
        return
    for place in range(plays):  # the first steps of a shuffle
        other = rng.integers(place, held, size=(players, 1, num))
        drawn = np.take_along_axis(hands, other, axis=1)
        np.put_along_axis(hands, other, hands[:, place : place + 1], axis=1)
        hands[:, place] = drawn[:, 0]
    end, game._drawn = game._drawn, game._drawn - players * plays
    game._deck[game._drawn : end] = hands[:, :plays].reshape(players * plays, num)
    hands[:, :plays] = laid


def _laying(game: KododoGame, cards: Array) -> npt.NDArray[np.bool_]:
    """Which actions lay these cards, (P, plays, N) sorted; shape (P, A, N)."""
    laying = np.zeros((game.num_players, game.num_actions, game.num_envs), np.bool_)
    for action, slots in enumerate(game._slots_of_action):
        if len(slots) == cards.shape[1]:
            laying[:, action] = (game._hands[:, list(slots)] == cards).all(axis=1)
    return laying
