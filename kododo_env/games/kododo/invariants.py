"""The invariants of the states of Kododo."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kododo_env.arrays.dtypes import Array, Intp, Uint8
from kododo_env.core.deck import NONE
from kododo_env.core.state import Invariant, count_types
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.state import KododoState
from kododo_env.games.kododo.turn import count_laid


def invariants(state: KododoState, rules: Rules) -> Iterator[Invariant]:
    """Yield the invariants in order; the check of each assumes that the earlier ones hold."""
    by_type = state.counts[:, rules.count_fields.by_type]
    held = by_type[:-1]
    revealed = by_type[-1].astype(np.intp)
    yield from _schedule(state, rules)
    yield from _hands(state, rules, held)
    yield from _table(state, rules)
    yield from _cards(state, rules, held, revealed)
    yield from _deals(state, rules)
    yield from _points(state, rules, revealed)


def _schedule(state: KododoState, rules: Rules) -> Iterator[Invariant]:
    over = state.terminated
    done = state.round_index == rules.num_rounds and state.turn == 0
    yield f"turn must be 0 to {rules.num_turns - 1}", state.turn < rules.num_turns
    yield (
        f"round_index must be 0 to {rules.num_rounds - 1}, or one more when all games are over",
        state.round_index < rules.num_rounds or (done and over.all()),
    )
    if rules.variant == "standard":
        yield "_terminated must be True after the last round only", over == done


def _hands(state: KododoState, rules: Rules, held: Uint8) -> Iterator[Invariant]:
    hands = state.hands
    types = rules.num_card_types
    size = rules.held(state.round_index, state.turn)
    filled = (hands != NONE).sum(axis=1)
    yield "_hands must hold cards of the game", (hands < types) | (hands == NONE)
    yield "_hands must be sorted", hands[:, 1:] >= hands[:, :-1]
    yield f"_hands must hold {size} cards each", state.terminated | (filled == size)
    yield "_counts must count _hands by type", held == count_types(hands, types)


def _table(state: KododoState, rules: Rules) -> Iterator[Invariant]:
    table = state.table
    last_table = state.last_table
    laid = np.arange(rules.round_cards) < rules.laid_before[state.turn]
    filled = table != NONE
    last_filled = last_table != NONE
    yield (
        "_table must hold the cards laid this round",
        (filled == laid[:, None] & ~state.terminated) & ((table < rules.num_card_types) | ~filled),
    )
    columns = rules.count_fields.laid
    yield "_counts must count _table", state.counts[:, columns] == _laid(state, rules)[:, columns]
    yield (
        "_last_table must hold all cards of a round, or none",
        (last_filled == last_filled[:1, :1]) & ((last_table < rules.num_card_types) | ~last_filled),
    )


def _laid(state: KododoState, rules: Rules) -> Uint8:
    """Count the cards on the table."""
    counts = np.zeros_like(state.counts)
    running = ~state.terminated
    counts_of_running = counts[..., running]
    for place in range(rules.laid_before[state.turn]):
        count_laid(counts_of_running, state.table[:, place, running], rules)
    counts[..., running] = counts_of_running
    return counts


def _cards(state: KododoState, rules: Rules, held: Uint8, revealed: Intp) -> Iterator[Invariant]:
    types = rules.num_card_types
    deck = state.deck
    over = state.terminated
    drawn = rules.drawn(state.round_index, state.turn)
    valid = (deck < types) | (deck == NONE)
    to_come = np.arange(rules.num_cards)[:, None] >= drawn  # to be drawn, or never revealed
    yield "_deck must hold cards of the game", valid & (over | (deck < types) | ~to_come)
    copies = count_types(rules.cards[:, None], types)
    yield "_counts must include the cards on _table", revealed >= _on_table(state, rules)
    rounds, part = np.divmod(revealed.sum(axis=0), rules.num_players * rules.round_cards)
    ended = (part == 0) & (rounds >= 1) & (rounds <= rules.num_rounds)
    yield "_counts must have whole rounds in finished games", ended | ~over
    out = revealed + held.sum(axis=0, dtype=np.intp)
    yield "_hands and _counts must fit into one deck", out <= copies
    whole = out + count_types(deck[drawn:], types) == copies
    yield "_deck must hold the cards that are not in _hands or _counts", whole | over


def _on_table(state: KododoState, rules: Rules) -> Intp:
    """Count the cards on the table by type, (C * V, N)."""
    lying = count_types(state.table, rules.num_card_types)
    return np.asarray(lying.sum(axis=0))


def _points(state: KododoState, rules: Rules, revealed: Intp) -> Iterator[Invariant]:
    scores = state.scores
    piles = state.pile_sizes
    rounds = np.where(state.terminated, rules.num_rounds, state.round_index)
    max_cards = rounds * rules.round_cards
    yield "_pile_sizes must fit the cards laid in this deal", (piles >= 0) & (piles <= max_cards)
    gained = _best(revealed - _on_table(state, rules), max_cards, rules)
    yield "_scores must not be negative", scores >= 0
    if rules.variant == "standard":
        yield "_scores must not exceed the points in this deal", scores <= gained
        return
    later = state.deals > 0
    over = state.terminated
    before = np.where(later, rules.target_score - 1, 0)
    max_points = gained + before
    yield "_scores must not exceed the points in this deal and before", scores <= max_points
    reached = (scores >= rules.target_score).any(axis=0)
    last = state.deals == rules.max_deals - 1
    ended = np.where(over, reached | last, ~(reached & later))
    yield "_terminated must be True where target_score or the last deal ended a game", ended


def _best(cards: Array, num_cards: Array, rules: Rules) -> Intp:
    """Return the value of the ``num_cards`` (N,) most valuable of some cards (T, N)."""
    values = np.arange(rules.num_card_types) % rules.num_values + 1
    order = np.argsort(-values, kind="stable")
    better = np.cumsum(cards[order], axis=0) - cards[order]
    counts = np.clip(num_cards - better, 0, cards[order])
    return (values[order, None] * counts).sum(axis=0)


def _deals(state: KododoState, rules: Rules) -> Iterator[Invariant]:
    deals = state.deals
    decks = state.later_decks
    upcoming = state.next_later_deck
    last = rules.max_deals - 1
    yield f"_deals must be 0 to {last}", (deals >= 0) & (deals <= last)
    yield "_next_later_deck must fit _deals", (upcoming >= 0) & (upcoming <= deals + len(decks))
    whole = (np.sort(decks, axis=1) == np.sort(rules.cards)[:, None]).all(axis=1)
    past = np.arange(len(decks))[:, None] < upcoming
    yield "_later_decks must hold complete decks for later deals", whole | past
