"""Dealing again what one player of Kododo cannot know: the other hands and the draw pile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kododo_env.core.deck import NONE, shuffled_counts, shuffled_rows
from kododo_env.core.rows import games_last

if TYPE_CHECKING:
    from kododo_env.games.kododo.game import KododoGame


def deal_again(game: KododoGame, player: int, rng: np.random.Generator) -> None:
    """Replace all that a player cannot know, in place; every placing has the same chance.

    Args:
        game: N games.
        player: Whose knowledge stays.
        rng: The source of randomness.
    """
    state = game._state
    state.given = np.zeros((0, *state.deck.shape), np.uint8)  # nobody knows the later deals
    state.next_given[:] = 0
    others = [seat for seat in range(game.num_players) if seat != player]
    if not state.terminated.all():
        with state.unchanged(state.terminated):
            _deal_running(game, others, rng)
    if state.terminated.any():
        _deal_finished(game, player, others, rng)
    game._sort_hands()
    game._count_hands()


def _deal_running(game: KododoGame, others: list[int], rng: np.random.Generator) -> None:
    """Deal the other hands and the draw pile again; in which order it came here, is gone."""
    state, held = game._state, game._held
    hands = state.hands[others, :held].reshape(-1, game.num_envs)
    hidden = np.concatenate([hands, state.deck[game._drawn :]])
    # Sorted first, so that what is dealt follows from the knowledge and the rng alone.
    dealt = games_last(shuffled_rows(np.sort(hidden.T, axis=1), rng))
    state.hands[others, :held] = dealt[: len(hands)].reshape(len(others), held, game.num_envs)
    state.deck[game._drawn :] = dealt[len(hands) :]
    state.deck[: game._drawn] = NONE


def _deal_finished(
    game: KododoGame, player: int, others: list[int], rng: np.random.Generator
) -> None:
    """In games that are over nobody draws any more, but some have cards left in hand."""
    state, games = game._state, np.flatnonzero(game._state.terminated)
    state.deck[:, games] = NONE
    revealed = game._seen[:, games] + game._held_types[player][:, games]
    copies = np.bincount(game.cards, minlength=len(revealed))[:, None]
    dealt = shuffled_counts(copies - revealed, len(game.cards), rng)
    places = np.ix_(np.array(others), np.arange(game.rules.hand_size), games)
    hands = state.hands[places]
    dealt = dealt[: hands.shape[0] * hands.shape[1]].reshape(hands.shape)
    state.hands[places] = np.where(hands == NONE, NONE, dealt)
