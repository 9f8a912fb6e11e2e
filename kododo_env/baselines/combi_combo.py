"""Scripted players of Combi-Combo. What cards are worth they ask the game's own scoring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.agent import ActionValueAgent, Agent, Values, best_legal
from kododo_env.core.view import View
from kododo_env.games.combi_combo import Rules
from kododo_env.games.combi_combo.rules import VALUES
from kododo_env.games.combi_combo.scoring import (
    FOUR,
    ONE,
    THREE,
    TWO,
    fours_points,
    held,
    most_ones,
    own_points,
    sequence_points,
    threes_points,
    twos_points,
)

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

MOST = 14
"""More cards than this of a kind are not expected to come."""


def _games_last(piece: Array) -> npt.NDArray[np.int16]:
    """A piece of the observation with the game axis last, as numbers with a sign."""
    return np.ascontiguousarray(np.moveaxis(piece, 0, -1), dtype=np.int16)


class _CombiComboAgent(ActionValueAgent):
    """Passes the card that is worth most to pass, among equals any."""

    def choose(self, values: Values, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """The legal action of the highest value, among equals one at random; shape (N,)."""
        return best_legal(values + 1e-6 * rng.random(values.shape), view)


class GreedyAgent(_CombiComboAgent):
    """Passes the card without which its hand would be worth most if the game ended now.

    It counts a point for having any 1s, and thinks of nobody else.
    """

    name = "greedy"

    def action_values(self, view: View) -> Values:
        """What the hand is worth without each card; shape (A, N)."""
        hand = _games_last(view.pieces["hand"])
        each = np.eye(view.num_actions, dtype=np.int16)
        each = each.reshape(view.num_actions, *hand.shape[:2]).transpose(1, 2, 0)
        left = np.maximum(hand[:, :, None] - each[..., None], 0)  # (C, 4, A, N)
        return np.asarray(own_points(left, view.rules) + (held(left, ONE) > 0), np.float64)


class HeuristicAgent(_CombiComboAgent):
    """Weighs for each card the points it expects to lose without it, and the neighbour's gain.

    What it expects: each card still to come is any of those it has not seen; what it passed
    to the left neighbour is mostly there still; the others' 1s lie anywhere, but one more
    may give the neighbour the most.

    Args:
        left: What a point of the left neighbour costs, in own points.
        kept: Chance that the left neighbour keeps a card for good.
    """

    name = "heuristic"

    def __init__(self, left: float = 0.3, kept: float = 0.7) -> None:
        self.left = left
        self.kept = kept

    def action_values(self, view: View) -> Values:
        """What passing each card is expected to cost, with the sign turned; shape (A, N)."""
        outlook = Outlook.of(view)
        loss = own_loss(outlook) + self.left * neighbours_gain(outlook, self.kept)
        return -loss.reshape(view.num_actions, -1)


BASELINES: dict[str, Callable[[], Agent]] = {
    "greedy": GreedyAgent,
    "heuristic": HeuristicAgent,
}
"""What makes a scripted agent by its name, the weakest first."""


@dataclass(frozen=True)
class Outlook:
    """What a player holds and may expect; arrays of shape (C, 4, N).

    Attributes:
        rules: The game's rules.
        hand: Own cards.
        passed: Cards passed to the left.
        hidden: Cards neither in the own hand nor face up.
        more: How many cards of a type are expected to come.
    """

    rules: Rules
    hand: npt.NDArray[np.int16]
    passed: npt.NDArray[np.int16]
    hidden: npt.NDArray[np.int16]
    more: Floats

    @classmethod
    def of(cls, view: View) -> Outlook:
        """From a player's view."""
        rules, pieces = view.rules, view.pieces
        hand, passed = _games_last(pieces["hand"]), _games_last(pieces["passed"])
        hidden = np.array(rules.copies, np.int16)[:, None] - hand
        if "face_up" in pieces:
            hidden -= _games_last(pieces["face_up"])
        draws = int(pieces["draw_pile"].flat[0])
        in_piles = np.maximum(hidden - passed, 0)  # for all that is certain
        more = draws * _share(in_piles) + (draws + 1) * _share(hidden)
        return cls(rules, hand, passed, hidden, more)


def _share(cards: Array) -> Floats:
    """The share of each type among some cards, (C, 4, N)."""
    shares: Floats = cards / np.maximum(cards.sum(axis=(0, 1)), 1)
    return shares


def _any(expected: Array) -> Floats:
    """The chance of at least one where so many are expected (Poisson)."""
    chance: Floats = -np.expm1(-expected)
    return chance


def own_loss(outlook: Outlook) -> Floats:
    """Points a player expects to lose by passing a card of each type, (C, 4, N)."""
    rules, hand, more = outlook.rules, outlook.hand, outlook.more
    has, only = hand > 0, hand == 1
    for_good = only * (1 - _any(more))
    completing = np.where(has, 1, _any(more))
    loss: Floats = _sequence(rules) * for_good * _others_in_colour(completing)
    for value, line in ((TWO, twos_points), (THREE, threes_points)):
        coming = _number_coming(more[:, value].sum(axis=0))
        loss[:, value] += _loss_of_one(_table(line, value, rules), held(hand, value), coming)
    coming = _number_true(_any(more[:, FOUR]) * ~has[:, FOUR])
    fours = _loss_of_one(_fours_table(rules), has[:, FOUR].sum(axis=0), coming)
    loss[:, FOUR] += for_good[:, FOUR] * fours
    ones, others = held(hand, ONE), held(outlook.hidden, ONE)
    chance = _chance_of_most_ones(rules)
    loss[:, ONE] += rules.ones_points * (chance[ones, others] - chance[ones - 1, others + 1])
    return loss


def neighbours_gain(outlook: Outlook, kept: float) -> Floats:
    """Points the left neighbour may gain by a card of each type, (C, 4, N)."""
    rules = outlook.rules
    holds = _any(rules.pile_size * _share(outlook.hidden))
    holds = np.where(outlook.passed > 0, 1 - (1 - holds) * (1 - kept), holds)
    gain = _sequence(rules) * (1 - holds) * _others_in_colour(holds)
    gain[:, ONE] += rules.ones_points
    gain[:, TWO] += _table(twos_points, TWO, rules)[rules.twos_in_series] / rules.twos_in_series
    gain[:, THREE] += np.diff(_table(threes_points, THREE, rules))[0]
    fours = _fours_table(rules)[rules.num_colours] / rules.num_colours
    gain[:, FOUR] += (1 - holds[:, FOUR]) * fours
    return gain


def _others_in_colour(chance: Floats) -> Floats:
    """For each type the product of the other values' chances in its colour, (C, 4, N)."""
    product = np.ones_like(chance)
    for value in range(VALUES):
        others = [other for other in range(VALUES) if other != value]
        product[:, value] = chance[:, others].prod(axis=1)
    return product


def _number_coming(expected: Floats) -> Floats:
    """The chance of each number 0, 1, ... where so many are expected (Poisson), (MOST, N)."""
    numbers = np.arange(MOST)[:, None]
    factorials = np.cumprod(np.maximum(numbers, 1), axis=0)
    chance: Floats = np.exp(-expected) * expected**numbers / factorials
    return chance


def _number_true(chances: Floats) -> Floats:
    """The chance that 0, 1, ... of some independent things happen, (C + 1, N) from (C, N)."""
    number = np.zeros((len(chances) + 1, chances.shape[1]))
    number[0] = 1
    for chance in chances:
        number[1:] = number[1:] * (1 - chance) + number[:-1] * chance
        number[0] *= 1 - chance
    return number


def _loss_of_one(points: Floats, count: Array, coming: Floats) -> Floats:
    """Expected points lost with one of ``count`` things, a random number still to come, (N,)."""
    last = np.clip(count + np.arange(len(coming))[:, None], 0, len(points) - 1)
    lost: Floats = (coming * (points[last] - points[np.maximum(last - 1, 0)])).sum(axis=0)
    return lost


# --- what the game's scoring says of simple hands ---------------------------------------


@lru_cache
def _sequence(rules: Rules) -> float:
    """Points for one whole sequence."""
    hand = np.zeros((rules.num_colours, VALUES), np.int16)
    hand[0] = 1
    return float(sequence_points(hand, rules))


@lru_cache
def _table(line: Callable[[Array, Rules], Array], value: int, rules: Rules) -> Floats:
    """Points by a line for 0, 1, 2, ... cards of one value."""
    most = rules.num_colours * rules.copies[value] + MOST
    hands = np.zeros((rules.num_colours, VALUES, most + 1), np.int16)
    hands[0, value] = np.arange(most + 1)
    return line(hands, rules).astype(np.float64)


@lru_cache
def _fours_table(rules: Rules) -> Floats:
    """Points for 4s of 0, 1, 2, ... different colours."""
    hands = np.zeros((rules.num_colours, VALUES, rules.num_colours + 1), np.int16)
    hands[:, FOUR] = np.tri(rules.num_colours + 1, rules.num_colours, -1).T
    return fours_points(hands, rules).astype(np.float64)


@lru_cache
def _chance_of_most_ones(rules: Rules) -> Floats:
    """[n, m]: the chance of having most 1s with n, if m lie anywhere in the other hands.

    From a sample that is always the same.
    """
    most, rng = rules.num_colours * rules.copies[ONE], np.random.default_rng(1)
    others = rules.num_players - 1
    chance = np.zeros((most + 2, most + 2))
    for m in range(most + 1):
        spread = rng.multinomial(m, [1 / others] * others, size=4000).T
        for n in range(1, most + 1):
            ones = np.vstack([np.full(spread.shape[1], n), spread])
            chance[n, m] = most_ones(ones)[0].mean()
    return chance
