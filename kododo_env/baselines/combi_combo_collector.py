"""A held-out player of Combi-Combo that gives credit for unfinished sequences and series."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kododo_env.arrays.dtypes import Array, Floating, Int16
from kododo_env.arrays.underflow import underflow_is_zero
from kododo_env.baselines.noise import NoisyAgent
from kododo_env.baselines.weights import within
from kododo_env.core.view import View
from kododo_env.games.combi_combo import Rules
from kododo_env.games.combi_combo.scoring import (
    FOUR,
    ONE,
    TWO,
    fours_points,
    held,
    own_points,
)


@dataclass(frozen=True)
class CollectorWeights:
    """Weights of the collector; the members of a population draw each of them from its range.

    Attributes:
        credit: The weight of all unfinished sets at the beginning.
        melts: The exponent of the decrease of ``credit``, which is multiplied by the fraction of
            turns left, raised to this power.
        fours_share: The weight of progress towards the best score for 4s.
        ones_share: The value of each of the first four 1s, as a share of the points for the most.
        twos_share: The weight of unfinished series of 2s.
        neighbour: The cost of one point of the left neighbour, in own points.
        noise: The scale, in points, of the random number added to each card's value.
    """

    credit: float = within(1.0, 0.5, 1.5)
    melts: float = within(0.5, 0.2, 1.0)
    fours_share: float = within(0.5, 0.2, 0.9)
    ones_share: float = within(0.4, 0.1, 0.6)
    twos_share: float = within(1.0, 0.3, 1.2)
    neighbour: float = within(0.15, 0.0, 0.4)
    noise: float = within(0.0, 0.0, 0.25)


class CollectorAgent(NoisyAgent):
    """A player that also counts unfinished sets, with a weight that decreases over the turns.

    In an unfinished sequence rare cards count most, and it counts nothing if a missing card cannot
    come any more. The player passes the card with the smallest loss, to which a part of the left
    neighbour's gain is added.
    """

    name = "collector"

    def __init__(self, weights: CollectorWeights | None = None) -> None:
        self.weights = weights or CollectorWeights()
        self.noise = self.weights.noise

    @underflow_is_zero
    def action_values(self, view: View) -> Floating:
        """Return the value of the hand without each card, minus the neighbour's gain; (A, N)."""
        rules: Rules = view.rules
        weights = self.weights
        hand = games_last(view.pieces["hand"])
        passed = games_last(view.pieces["passed"])
        hidden = np.array(rules.copies, np.int16)[:, None] - hand
        if "face_up" in view.pieces:
            hidden -= games_last(view.pieces["face_up"])
        turns = int(view.pieces["draw_pile"].flat[0]) / max(1, rules.num_turns - 1)
        card = single_cards(hand)
        hands = np.maximum(hand[:, :, None] - card, 0)  # (C, 4, A, N)
        can_come = (hidden - passed > 0)[:, :, None]
        scale = np.float64(weights.credit * turns**weights.melts)
        credit = scale * self._credit(hands, can_come, rules)
        values = own_points(hands, rules) + credit
        values += weights.ones_share * rules.ones_points * np.minimum(held(hands, ONE), 4)
        neighbour_gain = _neighbour_gain(passed[:, :, None], card, rules)
        return np.asarray(values - weights.neighbour * neighbour_gain)

    def _credit(self, hand: Array, can_come: Array, rules: Rules) -> Floating:
        """Return the credit for all unfinished sets of a hand: (...) from (C, 4, ...)."""
        far = _far(hand, rules) * ((hand > 0) | can_come).all(axis=1)
        sequences = rules.sequence_points * (far * (hand == 0).any(axis=1)).sum(axis=0)
        series_cards = held(hand, TWO) % rules.twos_in_series
        series = self.weights.twos_share * series_cards * (rules.twos_points / rules.twos_in_series)
        colours = (hand[:, FOUR] > 0).sum(axis=0)
        fours = colours * (max(rules.fours_points) / rules.num_colours) - fours_points(hand, rules)
        return np.asarray(sequences + series + self.weights.fours_share * fours)


def games_last(piece: Array) -> Int16:
    """Return a piece of the observation with the game axis last, as int16."""
    return np.ascontiguousarray(np.moveaxis(piece, 0, -1), dtype=np.int16)


def single_cards(hand: Array) -> Int16:
    """Return one card of each type, (C, 4, A, 1), for hands (C, 4, N); A is the number of types."""
    colours, values = hand.shape[:2]
    cards = np.eye(colours * values, dtype=np.int16).reshape(colours * values, colours, values)
    return cards.transpose(1, 2, 0)[..., None]


def _far(hand: Array, rules: Rules) -> Floating:
    """Return the progress of each colour's sequence, 0 to 1; rare cards count more: (C, ...)."""
    rare = 1 / np.maximum(np.array(rules.copies), 1)
    parts = (rare / rare.sum()).astype(np.float32)
    return np.asarray(sum((hand[:, v] > 0) * part for v, part in enumerate(parts)))


def _neighbour_gain(passed: Array, card: Array, rules: Rules) -> Floating:
    """Return the left neighbour's gain by a card, given the cards passed to them: (A, N)."""
    points = own_points(passed + card, rules) - own_points(passed, rules)
    far = (_far(passed + card, rules) - _far(passed, rules)).sum(axis=0)
    return np.asarray(
        points + rules.sequence_points * far + rules.ones_points * held(card, ONE) / 2
    )
