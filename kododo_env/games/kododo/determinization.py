"""Determinization of Kododo: dealing the other hands and the draw pile again."""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.rows import games_last
from kododo_env.core.deck import NONE, shuffled_counts, shuffled_rows
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.state import KododoState
from kododo_env.games.kododo.turn import sort_hands


def deal_again(state: KododoState, rules: Rules, player: int, rng: np.random.Generator) -> None:
    """Deal everything hidden from a player again, in place and uniformly."""
    state.later_decks = np.zeros((0, *state.deck.shape), np.uint8)  # no player knows them
    state.next_later_deck[:] = 0
    opponents = [seat for seat in range(rules.num_players) if seat != player]
    if not state.terminated.all():
        with state.unchanged(state.terminated):
            _deal_running(state, rules, opponents, rng)
    if state.terminated.any():
        _deal_finished(state, rules, player, opponents, rng)
    sort_hands(state, rules)


def _deal_running(
    state: KododoState, rules: Rules, opponents: list[int], rng: np.random.Generator
) -> None:
    """Deal the other hands and the draw pile again, and forget the order of drawn cards."""
    held = rules.held(state.round_index, state.turn)
    drawn = rules.drawn(state.round_index, state.turn)
    num = state.deck.shape[1]
    hands = state.hands[opponents, :held].reshape(-1, num)
    hidden = np.concatenate([hands, state.deck[drawn:]])
    # Sort first, so that the new cards depend only on the player's knowledge and the generator.
    dealt = games_last(shuffled_rows(np.sort(hidden.T, axis=1), rng))
    state.hands[opponents, :held] = dealt[: len(hands)].reshape(len(opponents), held, num)
    state.deck[drawn:] = dealt[len(hands) :]
    state.deck[:drawn] = NONE


def _deal_finished(
    state: KododoState, rules: Rules, player: int, opponents: list[int], rng: np.random.Generator
) -> None:
    """Deal the remaining hands of finished games, in which nobody draws any more."""
    games = np.flatnonzero(state.terminated)
    counts = state.counts[:, rules.count_fields.by_type]
    state.deck[:, games] = NONE
    visible = counts[-1][:, games] + counts[player][:, games]
    copies = np.bincount(rules.cards, minlength=len(visible))[:, None]
    dealt = shuffled_counts(copies - visible, rules.num_cards, rng)
    places = np.ix_(np.array(opponents), np.arange(rules.hand_size), games)
    hands = state.hands[places]
    dealt = dealt[: hands.shape[0] * hands.shape[1]].reshape(hands.shape)
    state.hands[places] = np.where(hands == NONE, NONE, dealt)
