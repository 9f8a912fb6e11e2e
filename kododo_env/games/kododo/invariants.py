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
    rules, over = game.rules, game._terminated
    done = game.round_index == rules.num_rounds and game.turn == 0
    yield f"turn must be 0 to {rules.num_turns - 1}", game.turn < rules.num_turns
    yield (
        f"round_index must be 0 to {rules.num_rounds - 1}, or one more when all games are over",
        game.round_index < rules.num_rounds or (done and over.all()),
    )
    yield "_drawn must be what has been drawn by that turn", game._drawn == _drawn_by(game)
    if rules.variant == "standard":
        yield "_terminated must say that all games end with the last round", over == done


def _drawn_by(game: KododoGame) -> int:
    """Cards of the deck that everybody together has drawn by this turn, the deal included."""
    rules = game.rules
    if not game._drawing:
        return rules.num_players * rules.hand_size + rules.draw_pile
    drawn = game.round_index * rules.round_cards + sum(rules.plays[: game.turn])
    return rules.num_players * (rules.hand_size + drawn)


def _hands(game: KododoGame) -> Iterator[Invariant]:
    hands, types = game._hands, game.rules.num_card_types
    held = (hands != NONE).sum(axis=1)
    yield "_hands must hold cards of the game", (hands < types) | (hands == NONE)
    yield "_hands must be sorted", hands[:, 1:] >= hands[:, :-1]
    yield f"_hands must hold {game._held} cards each", game._terminated | (held == game._held)
    yield "_held_types must count _hands", game._held_types == count_types(hands, types)


def _table(game: KododoGame) -> Iterator[Invariant]:
    rules, table, last = game.rules, game._table, game._last_table
    laid = np.arange(rules.round_cards) < sum(rules.plays[: game.turn])
    lies, lay = table != NONE, last != NONE
    yield (
        "_table must hold what has been laid this round",
        (lies == laid[:, None] & ~game._terminated) & ((table < rules.num_card_types) | ~lies),
    )
    counted = game._rows_of_card[table][..., : game._laid.shape[1]].sum(axis=1)
    yield "_laid must count _table", game._laid.swapaxes(1, 2) == counted
    yield (
        "_last_table must hold a whole round of cards, or none",
        (lay == lay[:1, :1]) & ((last < rules.num_card_types) | ~lay),
    )


def _cards(game: KododoGame) -> Iterator[Invariant]:
    types, deck, over = game.rules.num_card_types, game._deck, game._terminated
    known = (deck < types) | (deck == NONE)
    yield "_deck must hold cards of the game", known & (over | (deck < types) | ~_to_come(game))
    copies = count_types(game.cards[:, None], types)
    seen = game._seen.astype(np.intp)
    yield "_seen must hold what lies on _table", seen >= _on_table(game)
    out = seen + game._held_types.sum(axis=0, dtype=np.intp)
    yield "_hands and _seen must be cards of one deck", out <= copies
    whole = out + count_types(deck[game._drawn :], types) == copies
    yield "_deck must hold the cards that are not in _hands or _seen", whole | over


def _to_come(game: KododoGame) -> npt.NDArray[np.bool_]:
    """Which places of the deck are still to be drawn, or stay hidden; (D, 1)."""
    return np.arange(len(game._deck))[:, None] >= game._drawn


def _on_table(game: KododoGame) -> npt.NDArray[np.intp]:
    """Cards on the table by type, (C * V, N)."""
    lying: npt.NDArray[np.intp] = count_types(game._table, game.rules.num_card_types).sum(axis=0)
    return lying


def _points(game: KododoGame) -> Iterator[Invariant]:
    rules, scores, piles = game.rules, game._scores, game._pile_sizes
    rounds = np.where(game._terminated, rules.num_rounds, game.round_index)
    most = rounds * rules.round_cards
    yield "_pile_sizes must count cards laid in this deal", (piles >= 0) & (piles <= most)
    gained = _best(game._seen - _on_table(game), most, rules)
    yield "_scores must not be negative", scores >= 0
    if rules.variant == "standard":
        yield "_scores must come from the cards of this deal", scores <= gained
        return
    later, over = game._deals > 0, game._terminated
    before = np.where(later, rules.target_score - 1, 0)
    most_points = gained + before
    yield "_scores must come from the cards of this deal and those before", scores <= most_points
    reached = (scores >= rules.target_score).any(axis=0)
    last = game._deals == rules.max_deals - 1
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
    deals, given, upcoming = game._deals, game._given, game._next_given
    last = game.rules.max_deals - 1
    yield f"_deals must be 0 to {last}", (deals >= 0) & (deals <= last)
    yield "_next_given must follow _deals", (upcoming >= 0) & (upcoming <= deals + len(given))
    whole = (np.sort(given, axis=1) == np.sort(game.cards)[:, None]).all(axis=1)
    past = np.arange(len(given))[:, None] < upcoming
    yield "_given must hold whole decks for later deals", whole | past
