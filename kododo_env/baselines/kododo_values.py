"""Estimates of which colour of Kododo will score, and of the points: the core of the heuristic.

In the first two turns of a round a softmax gives the probabilities that each colour scores, that
the Kododo clause applies, and that nobody scores. Its logits are sums of table entries, which are
looked up by features of a colour after the player's cards are laid. Two more tables have the
expected further points in a scoring colour, for the player and for the others. In the last turn
only the other players' cards of this turn are unknown. Tables have the probability that a player
lays each colour, and all combinations are scored by the rules.

The tables are fitted to games of the heuristic against itself and other players, repeatedly, until
they are consistent with its play: see ``benchmarks/kododo_fitting.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from kododo_env.arrays.dtypes import Array, Float32, Intp
from kododo_env.games.kododo import KododoView, Rules
from kododo_env.games.kododo.rules import KODODO_VALUE
from kododo_env.games.kododo.scoring import NOBODY, scoring_colour

Tables = dict[str, Float32]
Lookup = tuple[Array, int]
"""The indices of entries in a table, and the size of the table."""

TABLES = Path(__file__).with_name("data") / "kododo_values.npz"
# The sizes of table axes; larger features are clipped.
UNSEEN = 16  # unseen cards of a colour, in eighths of an even share
RESERVE = 12  # points of the best kept cards
KEPT = 4  # cards of a colour or Kododo cards in hand, at most 3 in the first turn
STAKE = 4  # cards of a colour laid, at most 3 before the last turn
POINTS = 12  # points on the table in a colour


@lru_cache
def tables_for(rules: Rules, counts_cards: bool = True) -> Tables | None:
    """Return the tables for a number of players, or None if the rules are not the real game's.

    If ``counts_cards`` is False, the tables ignore unseen cards.
    """
    real = Rules(rules.num_players)
    rule_names = ("num_colours", "hand_size", "plays", "kododo_offset", "limit_offset")
    if any(getattr(rules, name) != getattr(real, name) for name in rule_names):
        return None
    tables = _shipped_tables(rules.num_players)
    forgotten = () if counts_cards else ("1/unseen", "2/unseen")
    return tables | {name: np.zeros_like(tables[name]) for name in forgotten}


@lru_cache
def _shipped_tables(players: int) -> Tables:
    with np.load(TABLES, allow_pickle=False) as file:
        names = [key.partition("/")[2] for key in file.files if key.startswith(f"{players}/")]
        return {name: file[f"{players}/{name}"].astype(np.float32) for name in names}


@dataclass(frozen=True)
class LaidCards:
    """The table and the hand after each choice of cards. A = choices, C = colours, N = games."""

    cards: Array  # cards laid, (A, C, N)
    points: Array  # sums of their values, (A, C, N)
    kododos: Array  # Kododo cards laid, (A, N)
    hand_cards: Array  # cards kept, (A, C, N)
    hand_kododos: Array  # Kododo cards kept, (A, N)
    reserve: Array  # points of the best kept cards, one for each turn left, (A, C, N)

    def only(self, choice: Array) -> LaidCards:
        """Select one choice in each game, (N,), so that A = 1."""
        games = np.arange(len(choice))
        return LaidCards(
            *(np.moveaxis(a[choice, ..., games], 0, -1)[None] for a in vars(self).values())
        )


class HeuristicView:
    """The features of the heuristic, arrays of small integers with the game axis last.

    Attributes:
        rules: The rules.
        turn: The turn of the round.
        turns_left: The number of turns of the round after this one.
        colours: Whether each slot of the hand has a card of each colour, (slots, C, N).
        values: The value of that card, or 0 without such a card, (slots, C, N).
        kododos: Whether a slot holds a Kododo card, (slots, N).
        cards: Cards on the table by seat, the player's own first, and colour, (P, C, N).
        points: Sums of their values, (P, C, N).
        table_kododos: Kododo cards on the table by seat, (P, N).
        totals: Cards on the table by colour, (C, N).
        opponent_points: The mean of the other players' points on the table by colour, (C, N).
        unseen: The number of unseen cards of each colour, in eighths of an even share of all
            unseen cards, (C, N).
    """

    def __init__(self, view: KododoView) -> None:
        rules = view.rules
        pieces = view.pieces
        self.rules = rules
        self.turn = view.turn
        self.turns_left = len(rules.plays) - 1 - view.turn
        hand = np.ascontiguousarray(view.hand.T)[:, None]
        card_colour, value = np.divmod(hand, np.int8(rules.num_values))
        held = (card_colour == np.arange(rules.num_colours)[:, None]) & (hand >= 0)
        self.colours = held.astype(np.int16)
        self.values = self.colours * (value + 1)
        self.kododos = (self.values == KODODO_VALUE).any(axis=1).astype(np.int16)
        self.cards, self.points, self.table_kododos = (
            np.ascontiguousarray(np.moveaxis(pieces[name], 0, -1), dtype=np.int16)
            for name in ("table_cards", "table_points", "table_kododos")
        )
        self.totals: Array = self.cards.sum(axis=0, dtype=np.int16)
        self.opponent_points: Array = self.points[1:].mean(axis=0, dtype=np.float32)
        observed = pieces["seen"].sum(axis=2, dtype=np.int16).T
        unseen = sum(rules.copies) - observed - self.colours.sum(axis=0, dtype=np.int16)
        even = np.maximum(unseen.sum(axis=0, dtype=np.int16), 1)
        self.unseen = np.minimum((8 * rules.num_colours) * unseen // even, UNSEEN - 1)

    def after(self, choices: tuple[tuple[int, ...], ...]) -> LaidCards:
        """Return the table and the hand after each choice of slots."""
        colours, kododos = (of_choices(values, choices) for values in (self.colours, self.kododos))
        return LaidCards(
            colours,
            of_choices(self.values, choices),
            kododos,
            self.colours.sum(axis=0, dtype=np.int16) - colours,
            self.kododos.sum(axis=0, dtype=np.int16) - kododos,
            self._reserve(choices),
        )

    def _reserve(self, choices: tuple[tuple[int, ...], ...]) -> Array:
        """Return the points of the best kept cards of each colour, (A, C, N)."""
        best = second = np.zeros((len(choices), *self.totals.shape), np.int16)
        if self.turns_left == 0:
            return best
        slots = range(self.rules.hand_size)
        hands = [[slot for slot in slots if slot not in laid] for laid in choices]
        for hand_slots in zip(*hands, strict=True):
            value = self.values[list(hand_slots)]
            if self.turns_left == 2:
                second = np.maximum(second, np.minimum(best, value))
            best = np.maximum(best, value)
        return best + second


def of_choices(values: Array, choices: tuple[tuple[int, ...], ...]) -> Array:
    """Sum the values of slots, (slots, ..., N), over each choice of slots: (A, ..., N)."""
    return reduce(
        np.add, (values[list(choice_slots)] for choice_slots in zip(*choices, strict=True))
    )


# --- look-ups -------------------------------------------------------------------------------


def _lookup(*axes: tuple[Array, int]) -> Lookup:
    """Return the flat index in a table of several axes; indices are clipped to the axis' size."""
    flat = np.zeros((), np.int16)
    total = 1
    for index, size in axes:
        flat = flat * size + np.minimum(index, size - 1)
        total *= size
    return flat, total


def probability_lookups(situation: HeuristicView, laid: LaidCards) -> dict[str, Lookup]:
    """Return the look-ups for the logit that a colour scores, (A, C, N), before the last turn."""
    if situation.turn == 0:
        return {
            "0/opening": _lookup(
                (situation.unseen, UNSEEN), (laid.cards, 3), (laid.hand_cards, KEPT)
            )
        }
    totals = situation.totals + laid.cards
    count = totals, situation.rules.limit + 1
    return {
        "1/pattern": _lookup(_pattern(totals, situation), count),
        "1/unseen": _lookup(count, (situation.unseen, UNSEEN)),
        "1/hand": _lookup(count, (laid.cards, 2), (laid.hand_cards, KEPT)),
    }


def kododo_lookup(situation: HeuristicView, laid: LaidCards) -> dict[str, Lookup]:
    """Return the look-up for the logit that the Kododo clause applies, (A, N)."""
    count = situation.table_kododos.sum(axis=0) + laid.kododos, situation.rules.kododo_number + 2
    return {f"{situation.turn}/kododo": _lookup(count, (laid.hand_kododos, KEPT))}


def gain_lookups(
    situation: HeuristicView, laid: LaidCards
) -> tuple[tuple[str, Lookup], tuple[str, Lookup]]:
    """Return the look-ups for further points of the player and of the others, (A, C, N) each."""
    count = situation.totals + laid.cards, situation.rules.limit + 1
    return (
        (f"{situation.turn}/own", _lookup(count, (laid.reserve, RESERVE))),
        (f"{situation.turn}/others", _lookup(count, (situation.unseen, UNSEEN))),
    )


def reply_lookups(situation: HeuristicView, seats: int | slice) -> dict[str, Lookup]:
    """Return the look-ups for the colours that seats lay in the last turn, (..., C, N)."""
    count = situation.totals, situation.rules.limit + 1
    return {
        "2/pattern": _lookup(
            _pattern(situation.totals, situation), count, (situation.cards[seats], STAKE)
        ),
        "2/points": _lookup(count, (situation.points[seats], POINTS)),
        "2/unseen": _lookup(count, (situation.unseen, UNSEEN)),
    }


def _sum_of_entries(tables: Tables, lookups: dict[str, Lookup]) -> Float32:
    """Sum the entries of several tables."""
    first, *addends = (tables[name].take(index) for name, (index, _) in lookups.items())
    return sum(addends, first)


# --- the value of a choice ------------------------------------------------------------------


def expected_margins(situation: HeuristicView, laid: LaidCards, tables: Tables) -> Float32:
    """Return the expected margin of each choice over the mean of the others, in points, (A, N)."""
    own_points = situation.points[0] + laid.points
    opponent_points = situation.opponent_points
    kododo = _sum_of_entries(tables, kododo_lookup(situation, laid))
    kododo_margin = _kododo_margin(situation, laid, tables)
    if situation.turns_left == 0:
        by_colour = _last_turn(
            situation, laid, (own_points - opponent_points).astype(np.float32), tables
        )
        return np.asarray(by_colour * (1 - kododo) + kododo * kododo_margin)
    more_own, more_others = (
        tables[name].take(at) for name, (at, _) in gain_lookups(situation, laid)
    )
    colours = np.exp(_sum_of_entries(tables, probability_lookups(situation, laid)))
    kododo = np.exp(kododo)
    nobody = np.exp(tables[f"{situation.turn}/nobody"][0])
    by_colour = (colours * (own_points + more_own - opponent_points - more_others)).sum(axis=1)
    probabilities = colours.sum(axis=1) + kododo + nobody
    return np.asarray((by_colour + kododo * kododo_margin) / probabilities)


def _kododo_margin(situation: HeuristicView, laid: LaidCards, tables: Tables) -> Float32:
    """Return the margin if the Kododo clause applies, (A, N)."""
    own_kododos = situation.table_kododos[0] + laid.kododos
    if situation.turns_left:
        own_kododos = own_kododos + tables[f"{situation.turn}/more_kododos"][0] * laid.hand_kododos
    opponent_kododos = (situation.rules.kododo_number - own_kododos) / (
        situation.rules.num_players - 1
    )
    return np.asarray(own_kododos - opponent_kododos, np.float32)


def _last_turn(
    situation: HeuristicView, laid: LaidCards, margins: Float32, tables: Tables
) -> Float32:
    """Average ``margins``, (A, C, N), over all replies of the others in the last turn: (A, N)."""
    rules = situation.rules
    replies, probabilities = replies_of_all(situation, tables)
    # The points that the others get from the cards of a reply, [reply, winner]; 0 for nobody.
    card_points = tables["2/card_points"][0] / (rules.num_players - 1)
    reply_points = _with_nobody((replies * card_points).astype(np.float32))
    margins = _with_nobody(margins)
    reply_codes = _code(replies.T, rules)[:, None]
    rows = np.arange(len(replies))[:, None]
    codes = _code(situation.totals + laid.cards, rules)
    winners = _winners(rules)
    games = np.arange(codes.shape[1])
    expected = np.empty(codes.shape, np.float32)
    for choice, code in enumerate(codes):
        winner = winners.take(code + reply_codes)
        # A flat index is faster than two index arrays.
        gain = margins[choice].take(winner * len(games) + games)
        gain -= reply_points.take(rows * reply_points.shape[1] + winner)
        gain *= probabilities
        expected[choice] = gain.sum(axis=0)
    return expected


def _with_nobody(of_colours: Array) -> Array:
    """Append 0 for nobody to the numbers of each colour, (A, C, ...)."""
    return np.concatenate([of_colours, np.zeros_like(of_colours[:, :1])], axis=1)


def replies_of_all(situation: HeuristicView, tables: Tables) -> tuple[Array, Float32]:
    """Return all combinations of cards that the others may lay in the last turn.

    Returns:
        Cards by colour, (R, C), and their probabilities, (R, N).
    """
    rules = situation.rules
    probabilities = np.ones((1, situation.totals.shape[1]), np.float32)
    weights = np.exp(_sum_of_entries(tables, reply_lookups(situation, slice(1, None))))
    for seat, colour_probabilities in enumerate(weights / weights.sum(axis=1, keepdims=True), 1):
        before = np.vstack(
            [probabilities, np.zeros_like(probabilities[:1])]
        )  # the last row: impossible
        colours = zip(_without_one(seat, rules.num_colours), colour_probabilities, strict=True)
        probabilities = reduce(
            np.add, (before.take(rows, axis=0) * probability for rows, probability in colours)
        )
    return _combinations(rules.num_players - 1, rules.num_colours), probabilities


@lru_cache
def _combinations(cards: int, colours: int) -> Array:
    """Return all distributions of cards over colours, (R, C)."""
    ways = combinations_with_replacement(range(colours), cards)
    return np.array([[way.count(colour) for colour in range(colours)] for way in ways], np.intp)


@lru_cache
def _without_one(cards: int, colours: int) -> Array:
    """Return the index of each distribution with one card less of each colour, (C, R).

    One past the last index if there is no card of the colour.
    """
    fewer = [tuple(way) for way in _combinations(cards - 1, colours)]
    number = {way: index for index, way in enumerate(fewer)}
    ways = _combinations(cards, colours)
    unit_cards = np.eye(colours, dtype=np.intp)
    return np.array(
        [[number.get(tuple(w), len(fewer)) for w in ways - card] for card in unit_cards]
    )


# --- winners of all tables ------------------------------------------------------------------
#
# The cards on the table by colour are encoded as one number, so that the winner of every
# possible table is computed once and then looked up.


def _code(totals: Array, rules: Rules) -> Array:
    """Encode cards by colour, (..., C, N), as one number, (..., N); the codes are additive.

    The last colour is left out, since all tables of a turn have equally many cards.
    """
    base = rules.num_players * rules.round_cards + 1
    places = (base ** np.arange(rules.num_colours - 2, -1, -1)).astype(np.int32)
    return np.asarray(places @ totals[..., :-1, :])


@lru_cache
def _all_ways(rules: Rules, cards: int) -> tuple[Array, Array]:
    """Return all distributions of cards: their codes, and the cards by colour (C, ways)."""
    first = np.indices((cards + 1,) * (rules.num_colours - 1)).reshape(rules.num_colours - 1, -1)
    first = first[:, first.sum(axis=0) <= cards]
    totals = np.vstack([first, cards - first.sum(axis=0)])
    return _code(totals, rules), totals


@lru_cache
def _winners(rules: Rules) -> Intp:
    """Return, by the code of a round's cards, the scoring colour, or C for nobody."""
    codes, totals = _all_ways(rules, rules.num_players * rules.round_cards)
    colour = scoring_colour(totals, rules.limit)
    winners = np.zeros(codes.max() + 1, np.intp)
    winners[codes] = np.where(colour == NOBODY, rules.num_colours, colour)
    return winners


@lru_cache
def _patterns(rules: Rules, cards: int) -> tuple[Array, int]:
    """Return the pattern of each code, and the number of patterns.

    Two tables have the same pattern if they differ only in the names of the colours and in cards
    beyond the limit.
    """
    codes, totals = _all_ways(rules, cards)
    nameless = np.sort(np.minimum(totals, rules.limit), axis=0)
    kinds, number = np.unique(nameless, axis=1, return_inverse=True)
    patterns = np.zeros(codes.max() + 1, np.intp)
    patterns[codes] = number.ravel()
    return patterns, kinds.shape[1]


def _pattern(totals: Array, situation: HeuristicView) -> tuple[Array, int]:
    """Return the pattern of a table, (..., 1, N) from (..., C, N), and the number of patterns."""
    rules = situation.rules
    cards = rules.num_players * sum(rules.plays[: situation.turn])
    if totals.ndim > situation.totals.ndim:  # after a choice, with the player's own cards
        cards += rules.plays[situation.turn]
    patterns, number = _patterns(rules, cards)
    return patterns.take(_code(totals, rules))[..., None, :], number
