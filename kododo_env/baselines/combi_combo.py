"""Scripted players of Combi-Combo. For points they ask the game's own scoring."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from kododo_env.baselines.combi_combo_collector import (
    CollectorAgent,
    Weights,
    games_last,
    single_cards,
)
from kododo_env.baselines.noise import NoisyAgent
from kododo_env.baselines.weights import drawn_weights
from kododo_env.core.agent import Agent
from kododo_env.core.arrays import Array, Float64
from kododo_env.core.underflow import underflow_is_zero
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

MOST = 14
"""More cards than this of a value are not expected to come."""


class GreedyAgent(NoisyAgent):
    """Passes the card without which its hand would score most if the game ended now.

    It counts a point for having any 1s, and thinks of nobody else.
    """

    name = "greedy"

    def action_values(self, view: View) -> Float64:
        """The points of the hand without each card; shape (A, N)."""
        hand = games_last(view.pieces["hand"])
        hands = np.maximum(hand[:, :, None] - single_cards(hand), 0)  # (C, 4, A, N)
        return np.asarray(own_points(hands, view.rules) + (held(hands, ONE) > 0), np.float64)


class HeuristicAgent(NoisyAgent):
    """Counts for each card the points it expects to lose without it, and the neighbour's gain.

    It expects that each card still to come is any of those it has not seen, that the left
    neighbour mostly still has what it passed, and that the others' 1s lie anywhere, but that
    one more may give the neighbour the most.

    Args:
        neighbour_weight: The cost of a point of the left neighbour, in own points.
        keep_chance: Chance that the left neighbour keeps a card for good.
    """

    name = "heuristic"

    def __init__(self, neighbour_weight: float = 0.3, keep_chance: float = 0.7) -> None:
        self.neighbour_weight = neighbour_weight
        self.keep_chance = keep_chance

    @underflow_is_zero
    def action_values(self, view: View) -> Float64:
        """The cost that is expected of passing each card, with the sign turned; shape (A, N)."""
        situation = Situation(view)
        loss = own_loss(situation) + self.neighbour_weight * neighbours_gain(
            situation, self.keep_chance
        )
        return -loss.reshape(view.num_actions, -1)


BASELINES: dict[str, Callable[[], Agent]] = {"greedy": GreedyAgent, "heuristic": HeuristicAgent}
"""The makers of scripted agents by their names, the weakest first."""


HELD_OUT: dict[str, Callable[[], Agent]] = {"collector": CollectorAgent}
"""Scripted agents that no recipe imitates or trains against, likewise; the main one first."""


def drawn(seed: int) -> Agent:
    """A stranger of the population, whose weights are drawn."""
    return CollectorAgent(drawn_weights(Weights, seed))


HELD_OUT_SEARCHES = ("flat:random:64",)
"""Searches that are held out as well."""


class Situation:
    """The cards that a player holds and may expect; arrays of shape (C, 4, N)."""

    def __init__(self, view: View) -> None:
        self.rules: Rules = view.rules
        pieces = view.pieces
        self.hand = games_last(pieces["hand"])
        self.passed = games_last(pieces["passed"])
        # Cards neither in the own hand nor face up.
        self.hidden = np.array(self.rules.copies, np.int16)[:, None] - self.hand
        if "face_up" in pieces:
            self.hidden -= games_last(pieces["face_up"])
        draws = int(pieces["draw_pile"].flat[0])
        in_piles = np.maximum(self.hidden - self.passed, 0)  # for all that is certain
        # How many cards of a type are expected to come.
        self.expected = draws * _share(in_piles) + (draws + 1) * _share(self.hidden)


def _share(cards: Array) -> Float64:
    """The share of each type among some cards, (C, 4, N)."""
    return np.asarray(cards / np.maximum(cards.sum(axis=(0, 1)), 1))


def _chance_of_any(expected: Array) -> Float64:
    """The chance of at least one where this many are expected (Poisson)."""
    return np.asarray(-np.expm1(-expected))


def own_loss(situation: Situation) -> Float64:
    """Points a player expects to lose by passing a card of each type, (C, 4, N)."""
    rules = situation.rules
    hand = situation.hand
    expected = situation.expected
    sequence, twos, threes, fours = _points(rules)
    has = hand > 0
    only = hand == 1
    for_good = only * (1 - _chance_of_any(expected))
    completing = np.where(has, 1, _chance_of_any(expected))
    loss: Float64 = sequence * for_good * _others_in_colour(completing)
    for value, points in ((TWO, twos), (THREE, threes)):
        coming = _number_coming(expected[:, value].sum(axis=0))
        loss[:, value] += _loss_of_one(points, held(hand, value), coming)
    coming = _number_true(_chance_of_any(expected[:, FOUR]) * ~has[:, FOUR])
    loss[:, FOUR] += for_good[:, FOUR] * _loss_of_one(fours, has[:, FOUR].sum(axis=0), coming)
    own_ones = held(hand, ONE)
    other_ones = held(situation.hidden, ONE)
    chance = _chance_of_most_ones(rules)
    loss[:, ONE] += rules.ones_points * (
        chance[own_ones, other_ones] - chance[own_ones - 1, other_ones + 1]
    )
    return loss


def neighbours_gain(situation: Situation, keep_chance: float) -> Float64:
    """Points the left neighbour may gain by a card of each type, (C, 4, N)."""
    rules = situation.rules
    sequence, twos, threes, fours = _points(rules)
    holds = _chance_of_any(rules.pile_size * _share(situation.hidden))
    holds = np.where(situation.passed > 0, 1 - (1 - holds) * (1 - keep_chance), holds)
    gain = sequence * (1 - holds) * _others_in_colour(holds)
    gain[:, ONE] += rules.ones_points
    gain[:, TWO] += twos[rules.twos_in_series] / rules.twos_in_series
    gain[:, THREE] += threes[1] - threes[0]
    gain[:, FOUR] += (1 - holds[:, FOUR]) * (fours[rules.num_colours] / rules.num_colours)
    return gain


def _others_in_colour(chance: Float64) -> Float64:
    """For each type the product of the other values' chances in its colour, (C, 4, N)."""
    return np.stack([np.delete(chance, v, axis=1).prod(axis=1) for v in range(VALUES)], axis=1)


def _number_coming(expected: Float64) -> Float64:
    """The chance of each number 0, 1, ... where this many are expected (Poisson), (MOST, N)."""
    numbers = np.arange(MOST)[:, None]
    factorials = np.cumprod(np.maximum(numbers, 1), axis=0)
    return np.asarray(np.exp(-expected) * expected**numbers / factorials)


def _number_true(chances: Float64) -> Float64:
    """The chance that 0, 1, ... of some independent things happen, (C + 1, N) from (C, N)."""
    number = np.zeros((len(chances) + 1, chances.shape[1]))
    number[0] = 1
    for chance in chances:
        number[1:] = number[1:] * (1 - chance) + number[:-1] * chance
        number[0] *= 1 - chance
    return number


def _loss_of_one(points: Float64, count: Array, coming: Float64) -> Float64:
    """Expected points lost with one of ``count`` cards, a random number still to come, (N,)."""
    last = count + np.arange(len(coming))[:, None]
    return np.asarray((coming * (points[last] - points[np.maximum(last - 1, 0)])).sum(axis=0))


@lru_cache
def _points(rules: Rules) -> tuple[float, Float64, Float64, Float64]:
    """Points for one sequence; and for 0, 1, 2, ... 2s, 3s, and 4s of different colours."""
    number = np.arange(MOST + 2 * rules.num_cards + rules.twos_in_series)
    hands = np.zeros((rules.num_colours, VALUES, len(number)), np.int16)
    hands[0, TWO] = hands[0, THREE] = number
    hands[:, FOUR] = number > np.arange(rules.num_colours)[:, None]
    lines = (line(hands, rules) for line in (twos_points, threes_points, fours_points))
    twos, threes, fours = (line.astype(np.float64) for line in lines)
    sequence = sequence_points(np.eye(rules.num_colours, 1, dtype=np.int16).repeat(4, 1), rules)
    return float(sequence), twos, threes, fours


@lru_cache
def _chance_of_most_ones(rules: Rules) -> Float64:
    """[n, m]: the chance of having most 1s with n, if m lie anywhere in the other hands.

    From a sample that is always the same.
    """
    rng = np.random.default_rng(1)
    opponents = rules.num_players - 1
    counts = np.arange(rules.num_colours * rules.copies[ONE] + 1)
    # What is one below 0 or too many has none.
    chance = np.zeros((len(counts) + 1, len(counts) + 1))
    for m in counts:
        spread = rng.multinomial(m, [1 / opponents] * opponents, size=4000).T
        ones_by_seat = np.stack(np.broadcast_arrays(counts[:, None], *spread))
        chance[:-1, m] = most_ones(ones_by_seat)[0].mean(axis=1)
    return chance
