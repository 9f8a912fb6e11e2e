"""Taking back the last turn of a round, as it may have been."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.capabilities import Past
from kododo_env.core.deck import NONE

if TYPE_CHECKING:
    from kododo_env.games.kododo.game import KododoGame

Array = npt.NDArray[Any]


def take_back(game: KododoGame, rng: np.random.Generator) -> Past:
    """The position before the last turn of the same round, in which it is not the first.

    The cards on the table tell what all players laid. They do not tell which cards of a hand
    were drawn after that: each may be, with the same chance.
    """
    rules, turn = game.rules, game.turn - 1
    plays, place = rules.plays[turn], rules.laid_before[turn]
    before = game.clone()
    state = before._state
    state.turn = turn
    state.steps_played -= 1
    laid = state.table[:, place : place + plays].copy()
    with state.unchanged(state.terminated):
        _return_cards(before, laid, game._held, rng)
        counts = game._tables.counts.take(laid, axis=0).sum(axis=1, dtype=np.uint8)
        before._laid[...] -= counts[..., : rules.num_counts].swapaxes(1, 2)
        together = np.add.reduce(counts, axis=0, dtype=np.uint8).T
        before._total[...] -= together[: rules.num_colours + 1]
        before._seen[...] -= together[rules.num_counts :]
        state.table[:, place : place + plays] = NONE
        before._sort_hands()
        before._count_hands()
    return Past(before, _laying(before, np.sort(laid, axis=1)).transpose(2, 0, 1))


def _return_cards(game: KododoGame, laid: Array, held: int, rng: np.random.Generator) -> None:
    """Give the players back what they laid, (P, plays, N), and the pile what they drew for it.

    Args:
        game: Back at the turn before, but for the cards.
        laid: The cards.
        held: How many cards each player has in hand.
        rng: The source of randomness.
    """
    players, plays, num = laid.shape
    hands, start = game._state.hands, game._drawn
    if not game._drawing:
        hands[:, held : held + plays] = laid
        return
    for place in range(plays):  # the first steps of a shuffle
        other = rng.integers(place, held, size=(players, 1, num))
        drawn = np.take_along_axis(hands, other, axis=1)
        np.put_along_axis(hands, other, hands[:, place : place + 1], axis=1)
        hands[:, place] = drawn[:, 0]
    pile = game._state.deck[start : start + players * plays]
    pile[:] = hands[:, :plays].reshape(players * plays, num)
    hands[:, :plays] = laid


def _laying(game: KododoGame, cards: Array) -> npt.NDArray[np.bool_]:
    """Which actions lay these cards, (P, plays, N) sorted; shape (P, A, N)."""
    laying = np.zeros((game.num_players, game.num_actions, game.num_envs), np.bool_)
    for action, slots in enumerate(game._tables.slots):
        if len(slots) == cards.shape[1]:
            laying[:, action] = (game._state.hands[:, list(slots)] == cards).all(axis=1)
    return laying
