"""Scripted players of Combi-Combo. They use the game's own scoring functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from kododo_env.arrays.dtypes import Array, Float64
from kododo_env.arrays.underflow import underflow_is_zero
from kododo_env.baselines.combi_combo_collector import (
    CollectorAgent,
    CollectorWeights,
    games_last,
    single_cards,
)
from kododo_env.baselines.noise import NoisyAgent
from kododo_env.baselines.weights import drawn_weights
from kododo_env.core.agent import Agent
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
"""The length of distributions of the number of cards to come, which is assumed to be 0 to 13."""


class GreedyAgent(NoisyAgent):
    """A player that passes the card without which its hand would score most if the game ended now.

    It counts one point for having any 1s, and ignores the other players.
    """

    name = "greedy"

    def action_values(self, view: View) -> Float64:
        """Return the points of the hand without each card; shape (A, N)."""
        hand = games_last(view.pieces["hand"])
        hands = np.maximum(hand[:, :, None] - single_cards(hand), 0)  # (C, 4, A, N)
        return np.asarray(own_points(hands, view.rules) + (held(hands, ONE) > 0), np.float64)


class HeuristicAgent(NoisyAgent):
    """A player that minimises the expected loss by passing a card, plus the neighbour's gain.

    It assumes that all unseen cards are equally likely to come, that the left neighbour probably
    keeps the cards passed to them, that the other players' 1s are distributed at random, and that
    passing a 1 gives the left neighbour the points for the most 1s.

    Args:
        neighbour_weight: The cost of one point of the left neighbour, in own points.
        keep_probability: The probability that the left neighbour keeps a card until the end.
    """

    name = "heuristic"

    def __init__(self, neighbour_weight: float = 0.3, keep_probability: float = 0.7) -> None:
        self.neighbour_weight = neighbour_weight
        self.keep_probability = keep_probability

    @underflow_is_zero
    def action_values(self, view: View) -> Float64:
        """Return the negative expected cost of passing each card; shape (A, N)."""
        situation = ExpectedCards(view)
        loss = own_loss(situation) + self.neighbour_weight * neighbours_gain(
            situation, self.keep_probability
        )
        return -loss.reshape(view.num_actions, -1)


BASELINES: dict[str, Callable[[], Agent]] = {"greedy": GreedyAgent, "heuristic": HeuristicAgent}
"""Constructors of the scripted agents by name, weakest first."""


HELD_OUT: dict[str, Callable[[], Agent]] = {"collector": CollectorAgent}
"""Constructors of the agents that are never used in training, by name; the main one first."""


def drawn(seed: int) -> Agent:
    """Create a held-out opponent with random weights, reproducibly by seed."""
    return CollectorAgent(drawn_weights(CollectorWeights, seed))


HELD_OUT_SEARCHES = ("flat:random:64",)
"""The names of the searches that are never used in training."""


class ExpectedCards:
    """The cards that a player holds, has passed and can expect; arrays of shape (C, 4, N)."""

    def __init__(self, view: View) -> None:
        self.rules: Rules = view.rules
        pieces = view.pieces
        self.hand = games_last(pieces["hand"])
        self.passed = games_last(pieces["passed"])
        # Cards that are neither in the player's hand nor face up.
        self.hidden = np.array(self.rules.copies, np.int16)[:, None] - self.hand
        if "face_up" in pieces:
            self.hidden -= games_last(pieces["face_up"])
        draws = int(pieces["draw_pile"].flat[0])
        in_piles = np.maximum(self.hidden - self.passed, 0)  # an upper bound of the cards in piles
        # The expected number of cards of each type to come.
        self.expected = draws * _share(in_piles) + (draws + 1) * _share(self.hidden)


def _share(cards: Array) -> Float64:
    """Return the share of each type among some cards, (C, 4, N)."""
    return np.asarray(cards / np.maximum(cards.sum(axis=(0, 1)), 1))


def _probability_of_any(expected: Array) -> Float64:
    """Return the probability of at least one event, given the expected number (Poisson)."""
    return np.asarray(-np.expm1(-expected))


def own_loss(situation: ExpectedCards) -> Float64:
    """Return the points that a player expects to lose by passing each type of card, (C, 4, N)."""
    rules = situation.rules
    hand = situation.hand
    expected = situation.expected
    sequence, twos, threes, fours = _points(rules)
    has = hand > 0
    only = hand == 1
    for_good = only * (1 - _probability_of_any(expected))
    completing = np.where(has, 1, _probability_of_any(expected))
    loss: Float64 = sequence * for_good * _others_in_colour(completing)
    for value, points in ((TWO, twos), (THREE, threes)):
        coming = _number_coming(expected[:, value].sum(axis=0))
        loss[:, value] += _loss_of_one(points, held(hand, value), coming)
    coming = _number_true(_probability_of_any(expected[:, FOUR]) * ~has[:, FOUR])
    loss[:, FOUR] += for_good[:, FOUR] * _loss_of_one(fours, has[:, FOUR].sum(axis=0), coming)
    own_ones = held(hand, ONE)
    other_ones = held(situation.hidden, ONE)
    probability = _probability_of_most_ones(rules)
    loss[:, ONE] += rules.ones_points * (
        probability[own_ones, other_ones] - probability[own_ones - 1, other_ones + 1]
    )
    return loss


def neighbours_gain(situation: ExpectedCards, keep_probability: float) -> Float64:
    """Return the points that the left neighbour may gain from each type of card, (C, 4, N)."""
    rules = situation.rules
    sequence, twos, threes, fours = _points(rules)
    holds = _probability_of_any(rules.pile_size * _share(situation.hidden))
    holds = np.where(situation.passed > 0, 1 - (1 - holds) * (1 - keep_probability), holds)
    gain = sequence * (1 - holds) * _others_in_colour(holds)
    gain[:, ONE] += rules.ones_points
    gain[:, TWO] += twos[rules.twos_in_series] / rules.twos_in_series
    gain[:, THREE] += threes[1] - threes[0]
    gain[:, FOUR] += (1 - holds[:, FOUR]) * (fours[rules.num_colours] / rules.num_colours)
    return gain


def _others_in_colour(probability: Float64) -> Float64:
    """For each type, multiply the probabilities of the other values of its colour, (C, 4, N)."""
    return np.stack([np.delete(probability, v, axis=1).prod(axis=1) for v in range(VALUES)], axis=1)


def _number_coming(expected: Float64) -> Float64:
    """Return the Poisson probabilities of 0, 1, ..., given the expected number, (MOST, N)."""
    numbers = np.arange(MOST)[:, None]
    factorials = np.cumprod(np.maximum(numbers, 1), axis=0)
    return np.asarray(np.exp(-expected) * expected**numbers / factorials)


def _number_true(probabilities: Float64) -> Float64:
    """Return the probability of 0, 1, ... of C independent events, (C + 1, N) from (C, N)."""
    number = np.zeros((len(probabilities) + 1, probabilities.shape[1]))
    number[0] = 1
    for probability in probabilities:
        number[1:] = number[1:] * (1 - probability) + number[:-1] * probability
        number[0] *= 1 - probability
    return number


def _loss_of_one(points: Float64, count: Array, coming: Float64) -> Float64:
    """Return the expected points lost by passing one of ``count`` cards, (N,).

    ``coming`` has the probabilities of 0, 1, ... further cards.
    """
    last = count + np.arange(len(coming))[:, None]
    return np.asarray((coming * (points[last] - points[np.maximum(last - 1, 0)])).sum(axis=0))


@lru_cache
def _points(rules: Rules) -> tuple[float, Float64, Float64, Float64]:
    """Return the points for a sequence, and for 0, 1, 2, ... 2s, 3s and different 4s."""
    number = np.arange(MOST + 2 * rules.num_cards + rules.twos_in_series)
    hands = np.zeros((rules.num_colours, VALUES, len(number)), np.int16)
    hands[0, TWO] = hands[0, THREE] = number
    hands[:, FOUR] = number > np.arange(rules.num_colours)[:, None]
    lines = (line(hands, rules) for line in (twos_points, threes_points, fours_points))
    twos, threes, fours = (line.astype(np.float64) for line in lines)
    sequence = sequence_points(np.eye(rules.num_colours, 1, dtype=np.int16).repeat(4, 1), rules)
    return float(sequence), twos, threes, fours


@lru_cache
def _probability_of_most_ones(rules: Rules) -> Float64:
    """Estimate [n, m], the probability of having the most 1s with n, if the others have m.

    The m cards are distributed at random; the sample has a fixed seed.
    """
    rng = np.random.default_rng(1)
    opponents = rules.num_players - 1
    counts = np.arange(rules.num_colours * rules.copies[ONE] + 1)
    # The last row and column, for -1 and for too many 1s, stay 0.
    probability = np.zeros((len(counts) + 1, len(counts) + 1))
    for m in counts:
        spread = rng.multinomial(m, [1 / opponents] * opponents, size=4000).T
        ones_by_seat = np.stack(np.broadcast_arrays(counts[:, None], *spread))
        probability[:-1, m] = most_ones(ones_by_seat)[0].mean(axis=1)
    return probability
