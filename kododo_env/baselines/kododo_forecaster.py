"""A held-out player of Kododo that simulates the end of the round."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from kododo_env.arrays.dtypes import Array, Float32, Uint8
from kododo_env.baselines.kododo_agent import KododoAgent, choices_of_turn
from kododo_env.baselines.random_cards import drawn
from kododo_env.baselines.weights import within
from kododo_env.games.kododo import KododoView
from kododo_env.games.kododo.rules import KODODO_VALUE
from kododo_env.games.kododo.scoring import scoring_colours

ENDS = 32  # the number of simulated ends of the round


@dataclass(frozen=True)
class ForecasterWeights:
    """Weights of the forecaster; the members of a population draw each of them from its range.

    The first four are terms of the logit with which an opponent chooses a colour.

    Attributes:
        stake: For each point in the colour above the players' mean.
        crowd: For each card of the colour on the table.
        leads: For the colour that would score now.
        dead: For colours that reach the limit with one more card.
        unseen: The exponent of the number of unseen cards, a factor of a colour's probability.
        stick: The probability that a card has the same colour as the one laid before it.
        kododo: The proportion of Kododo cards among laid cards, divided by that among unseen cards.
        greed: The value of each point laid, even if its colour does not score.
        follow: The value of laying a card of the colour that would score now.
        noise: The scale, in points, of the random number added to each choice's value.
    """

    stake: float = within(0.1, 0.0, 0.25)
    crowd: float = within(0.3, 0.0, 0.6)
    leads: float = within(-0.4, -0.8, 0.4)
    dead: float = within(-0.7, -1.5, 0.0)
    unseen: float = within(1.5, 0.5, 2.0)
    stick: float = within(0.15, 0.0, 0.4)
    kododo: float = within(1.1, 0.6, 1.6)
    greed: float = within(0.0, 0.0, 0.08)
    follow: float = within(0.0, -0.1, 0.2)
    noise: float = within(0.03, 0.0, 0.2)


class ForecasterAgent(KododoAgent):
    """A player that simulates the rest of the round, and maximises its mean margin.

    It assumes that opponents prefer colours in which they have points or many cards are on the
    table, and that the player lays only cards of the present hand.
    """

    name = "forecaster"

    def __init__(self, weights: ForecasterWeights | None = None) -> None:
        self.weights = weights or ForecasterWeights()
        self.noise = self.weights.noise

    def choice_values(self, view: KododoView) -> Float32:
        """Return the mean margin of each choice over the other players; (choices, N)."""
        table = _Table(view, self.weights)
        plan = _Plan(view)
        opponent_cards = table.opponent_cards()[:, None]
        own_cards = plan.later_cards(self.weights.stick)
        cards = (table.cards[:, None] + plan.cards)[:, :, None] + opponent_cards + own_cards
        wins = scoring_colours(cards, view.rules.limit)  # (C, choices, ENDS, N)
        margin = table.own_points[:, None] + plan.points - table.opponent_points[:, None]
        gains = margin * wins.mean(axis=2, dtype=np.float32)
        gains += plan.mean_hand_value() * (wins & (own_cards > 0)).mean(axis=2, dtype=np.float32)
        gains -= (
            table.mean_value
            / (view.num_players - 1)
            * (wins * opponent_cards).mean(axis=2, dtype=np.float32)
        )
        probability, margin = table.kododo_clause(plan.kododos)
        values = (1 - probability) * gains.sum(axis=0) + probability * margin
        values += np.float32(self.weights.greed) * plan.points.sum(axis=0)
        values += np.float32(self.weights.follow) * (plan.cards * table.leads[:, None]).sum(axis=0)
        return np.asarray(values, np.float32)


class _Table:
    """The cards on the table and the unseen cards; arrays with the game axis last.

    Attributes:
        cards: On the table by colour, (C, N).
        own_points: Own points by colour, (C, N).
        opponent_points: Those of the others, on average, (C, N).
        mean_value: The mean value of a card.
        leads: Whether each colour would score now, (C, N).
    """

    def __init__(self, view: KododoView, weights: ForecasterWeights) -> None:
        self.rules = view.rules
        self.weights = weights
        pieces = view.pieces
        plays = view.rules.plays[view.turn :]
        self.plays_left = sum(plays)  # the number of cards that each opponent will still lay
        self.all_plays_left = view.num_players * self.plays_left - plays[0]
        points = np.moveaxis(pieces["table_points"], 0, -1).astype(np.float32)
        self.cards = np.ascontiguousarray(pieces["colour_totals"].T)
        self.leads = scoring_colours(self.cards, self.rules.limit)
        self.own_points = points[0]
        self.opponent_points = points[1:].mean(axis=0)
        self.stakes = points[1:] - points.mean(axis=0)
        self.kododos = pieces["table_kododos"].T.astype(np.int16)
        visible_cards = np.moveaxis(pieces["seen"] + pieces["hand"], 0, -1)
        copies = np.array(view.rules.copies)
        self.unseen = copies[:, None] - visible_cards  # (C, V, N)
        self.mean_value = np.float32(np.average(np.arange(1, len(copies) + 1), weights=copies))

    def opponent_cards(self) -> Uint8:
        """Sample the number of cards of each colour that the others lay; (C, ENDS, N)."""
        weights = self.weights
        dead = self.cards + 1 >= self.rules.limit
        stake, crowd, leads, lost = map(
            np.float32, (weights.stake, weights.crowd, weights.leads, weights.dead)
        )
        interest = stake * self.stakes + crowd * self.cards + lost * dead + leads * self.leads
        unseen = np.maximum(self.unseen.sum(axis=1), np.float32(0.01)) ** np.float32(weights.unseen)
        return drawn(np.exp(interest) * unseen, self.plays_left, ENDS, 1, weights.stick)

    def kododo_clause(self, laid: Array) -> tuple[Float32, Float32]:
        """Return the probability and the margin of the Kododo clause; (choices, N) each."""
        number = self.rules.kododo_number
        cards = self.all_plays_left
        unseen = self.unseen[:, KODODO_VALUE - 1].sum(axis=0) / np.maximum(
            self.unseen.sum(axis=(0, 1)), 1
        )
        share = np.clip(np.float32(self.weights.kododo) * unseen, 0, 1)
        ways = np.array([comb(cards, k) for k in range(cards + 1)], np.float64)[:, None]
        k = np.arange(cards + 1)[:, None]
        exactly = ways * share**k * (1 - share) ** (cards - k)
        missing = number - self.kododos.sum(axis=0) - laid
        probability = np.take_along_axis(exactly, np.clip(missing, 0, cards), axis=0)
        probability = np.where((missing >= 0) & (missing <= cards), probability, 0)
        own_kododos = self.kododos[0] + laid
        margin = own_kododos - (number - own_kododos) / (self.rules.num_players - 1)
        return probability.astype(np.float32), np.asarray(margin, np.float32)


class _Plan:
    """The cards that each choice lays and keeps; arrays (C, choices, N).

    Attributes:
        cards: That it lays by colour; ``points`` their values.
        hand_cards: Cards that it keeps; ``hand_points`` their values.
        kododos: Kododo cards that it lays, (choices, N).
    """

    def __init__(self, view: KododoView) -> None:
        rules = view.rules
        hand = np.ascontiguousarray(view.hand.T)
        self.plays_left = sum(rules.plays[view.turn + 1 :])
        colour, value = np.divmod(hand, np.int8(rules.num_values))
        held = (colour == np.arange(rules.num_colours)[:, None, None]) & (hand >= 0)
        slot_points = held * (value + 1).astype(np.uint8)  # (C, slots, N)
        choices = [list(slots) for slots in choices_of_turn(rules, view.turn)[1]]
        self.cards, self.points, kododos = (
            np.stack(
                [slot_counts[:, slots].sum(axis=1, dtype=np.uint8) for slots in choices], axis=1
            )
            for slot_counts in (held, slot_points, slot_points == KODODO_VALUE)
        )
        self.kododos = kododos.sum(axis=0, dtype=np.int16)
        self.hand_cards = held.sum(axis=1, dtype=np.uint8)[:, None] - self.cards
        self.hand_points = slot_points.sum(axis=1, dtype=np.int16)[:, None] - self.points

    def mean_hand_value(self) -> Float32:
        """Return the mean value of the kept cards of each colour."""
        return np.asarray(self.hand_points / np.maximum(self.hand_cards, 1), np.float32)

    def later_cards(self, stick: float) -> Uint8:
        """Sample the number of cards of each colour laid later; (C, choices, ENDS, N)."""
        weights = np.maximum(self.hand_cards, np.float32(0.01))
        return drawn(weights[None], self.plays_left, ENDS, 0, stick)
