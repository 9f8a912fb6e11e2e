"""Undoing of a turn: sampling a possible position before it."""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool
from kododo_env.core.deck import NONE
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.state import KododoState
from kododo_env.games.kododo.tables import KododoTables
from kododo_env.games.kododo.turn import count_laid, sort_hands


def take_back(
    state: KododoState, rules: Rules, tables: KododoTables, rng: np.random.Generator
) -> Bool:
    """Undo the last turn in place; the state must not be at the first turn of a round.

    The cards laid are on the table. Which cards of a hand were drawn after that is unknown, so they
    are sampled uniformly.

    Returns:
        A mask of the actions that lay the cards that were laid in that turn, (P, A, N).
    """
    held = rules.held(state.round_index, state.turn)
    state.turn -= 1
    state.steps_played -= 1
    plays = rules.plays[state.turn]
    place = rules.laid_before[state.turn]
    laid = state.table[:, place : place + plays].copy()
    with state.unchanged(state.terminated):
        _return_cards(state, rules, laid, held, rng)
        counts = np.zeros_like(state.counts)
        for card in laid.swapaxes(0, 1):
            count_laid(counts, card, rules)
        state.counts -= counts
        state.table[:, place : place + plays] = NONE
        sort_hands(state, rules)
    return _laying(state.hands, np.sort(laid, axis=1), tables)


def _return_cards(
    state: KododoState, rules: Rules, laid: Array, held: int, rng: np.random.Generator
) -> None:
    """Return the laid cards, (P, plays, N), to the hands, and the drawn cards to the pile.

    The state is already at the previous turn, except for the cards: each hand still has ``held``.
    """
    players, plays, num = laid.shape
    hands = state.hands
    start = rules.drawn(state.round_index, state.turn)
    if not rules.draws(state.round_index):
        hands[:, held : held + plays] = laid
        return
    for place in range(plays):  # a partial shuffle
        slot = rng.integers(place, held, size=(players, 1, num))
        drawn = np.take_along_axis(hands, slot, axis=1)
        np.put_along_axis(hands, slot, hands[:, place : place + 1], axis=1)
        hands[:, place] = drawn[:, 0]
    pile = state.deck[start : start + players * plays]
    pile[:] = hands[:, :plays].reshape(players * plays, num)
    hands[:, :plays] = laid


def _laying(hands: Array, cards: Array, tables: KododoTables) -> Bool:
    """Which actions lay these cards, (P, plays, N) sorted; shape (P, A, N)."""
    laying = np.zeros((len(hands), len(tables.slots), hands.shape[2]), np.bool_)
    for action, slots in enumerate(tables.slots):
        if len(slots) == cards.shape[1]:
            laying[:, action] = (hands[:, list(slots)] == cards).all(axis=1)
    return laying
