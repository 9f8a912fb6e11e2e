"""What holds in every state of Kododo, whatever has been played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.deck import NONE
from kododo_env.core.state import Invariant, count_types
from kododo_env.games.kododo.rules import Rules

if TYPE_CHECKING:
    from kododo_env.games.kododo.game import KododoGame

Array = npt.NDArray[Any]


def invariants(game: KododoGame) -> Iterator[Invariant]:
    """Each may rely on those before it. Games that are over wait as they ended."""
    yield from _schedule(game)
    yield from _hands(game)
    yield from _table(game)
    yield from _cards(game)
    yield from _deals(game)
    yield from _points(game)


def _schedule(game: KododoGame) -> Iterator[Invariant]:
    rules, state, over = game.rules, game._state, game._state.terminated
    done = state.round_index == rules.num_rounds and state.turn == 0
    yield f"turn must be 0 to {rules.num_turns - 1}", state.turn < rules.num_turns
    yield (
        f"round_index must be 0 to {rules.num_rounds - 1}, or one more when all games are over",
        state.round_index < rules.num_rounds or (done and over.all()),
    )
    if rules.variant == "standard":
        yield "_terminated must say that all games end with the last round", over == done


def _hands(game: KododoGame) -> Iterator[Invariant]:
    state = game._state
    hands, types = state.hands, game.rules.num_card_types
    held = (hands != NONE).sum(axis=1)
    yield "_hands must hold cards of the game", (hands < types) | (hands == NONE)
    yield "_hands must be sorted", hands[:, 1:] >= hands[:, :-1]
    yield f"_hands must hold {game._held} cards each", state.terminated | (held == game._held)
    yield "_counts must count _hands by type", game._held_types == count_types(hands, types)


def _table(game: KododoGame) -> Iterator[Invariant]:
    rules, state = game.rules, game._state
    table, last = state.table, state.last_table
    laid = np.arange(rules.round_cards) < rules.laid_before[state.turn]
    lies, lay = table != NONE, last != NONE
    yield (
        "_table must hold what has been laid this round",
        (lies == laid[:, None] & ~state.terminated) & ((table < rules.num_card_types) | ~lies),
    )
    counted = game._tables.counts[table][..., : rules.num_counts].sum(axis=1)
    yield "_counts must count _table", game._laid.swapaxes(1, 2) == counted
    yield "_counts must add up what each has laid", _added_up(game)
    yield (
        "_last_table must hold a whole round of cards, or none",
        (lay == lay[:1, :1]) & ((last < rules.num_card_types) | ~lay),
    )


def _added_up(game: KododoGame) -> npt.NDArray[np.bool_]:
    """Whether the row of all together has what each has laid this round, but for the points."""
    together = game._laid.sum(axis=0)
    together[game.rules.num_colours + 1 :] = 0
    holds: npt.NDArray[np.bool_] = game._state.counts[-1, : len(together)] == together
    return holds


def _cards(game: KododoGame) -> Iterator[Invariant]:
    state, types = game._state, game.rules.num_card_types
    deck, over = state.deck, state.terminated
    known = (deck < types) | (deck == NONE)
    yield "_deck must hold cards of the game", known & (over | (deck < types) | ~_to_come(game))
    copies = count_types(game.cards[:, None], types)
    seen = game._seen.astype(np.intp)
    yield "_counts must hold what lies on _table", seen >= _on_table(game)
    rounds, part = np.divmod(seen.sum(axis=0), game.num_players * game.rules.round_cards)
    ended = (part == 0) & (rounds >= 1) & (rounds <= game.rules.num_rounds)
    yield "_counts must hold whole rounds of games that are over", ended | ~over
    out = seen + game._held_types.sum(axis=0, dtype=np.intp)
    yield "_hands and _counts must be cards of one deck", out <= copies
    whole = out + count_types(deck[game._drawn :], types) == copies
    yield "_deck must hold the cards that are not in _hands or _counts", whole | over


def _to_come(game: KododoGame) -> npt.NDArray[np.bool_]:
    """Which places of the deck are still to be drawn, or stay hidden; (D, 1)."""
    return np.arange(len(game.cards))[:, None] >= game._drawn


def _on_table(game: KododoGame) -> npt.NDArray[np.intp]:
    """Cards on the table by type, (C * V, N)."""
    lying = count_types(game._state.table, game.rules.num_card_types)
    return np.asarray(lying.sum(axis=0))


def _points(game: KododoGame) -> Iterator[Invariant]:
    rules, state = game.rules, game._state
    scores, piles = state.scores, state.pile_sizes
    rounds = np.where(state.terminated, rules.num_rounds, state.round_index)
    most = rounds * rules.round_cards
    yield "_pile_sizes must count cards laid in this deal", (piles >= 0) & (piles <= most)
    gained = _best(game._seen - _on_table(game), most, rules)
    yield "_scores must not be negative", scores >= 0
    if rules.variant == "standard":
        yield "_scores must come from the cards of this deal", scores <= gained
        return
    later, over = state.deals > 0, state.terminated
    before = np.where(later, rules.target_score - 1, 0)
    most_points = gained + before
    yield "_scores must come from the cards of this deal and those before", scores <= most_points
    reached = (scores >= rules.target_score).any(axis=0)
    last = state.deals == rules.max_deals - 1
    ended = np.where(over, reached | last, ~(reached & later))
    yield "_terminated must say which games the target, or the last deal, has ended", ended


def _best(cards: Array, most: Array, rules: Rules) -> npt.NDArray[np.intp]:
    """What the most valuable of some cards (T, N) are worth, so many of each game's (N,)."""
    values = np.arange(rules.num_card_types) % rules.num_values + 1
    order = np.argsort(-values, kind="stable")
    better = np.cumsum(cards[order], axis=0) - cards[order]
    taken = np.clip(most - better, 0, cards[order])
    worth: npt.NDArray[np.intp] = (values[order, None] * taken).sum(axis=0)
    return worth


def _deals(game: KododoGame) -> Iterator[Invariant]:
    state = game._state
    deals, given, upcoming = state.deals, state.given, state.next_given
    last = game.rules.max_deals - 1
    yield f"_deals must be 0 to {last}", (deals >= 0) & (deals <= last)
    yield "_next_given must follow _deals", (upcoming >= 0) & (upcoming <= deals + len(given))
    whole = (np.sort(given, axis=1) == np.sort(game.cards)[:, None]).all(axis=1)
    past = np.arange(len(given))[:, None] < upcoming
    yield "_given must hold whole decks for later deals", whole | past
