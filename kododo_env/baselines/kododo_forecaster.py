"""A held-out player of Kododo that imagines how the round may end."""

from __future__ import annotations

from math import comb

import numpy as np

from kododo_env.baselines.imagining import drawn
from kododo_env.baselines.kododo_laying import KododoAgent, choices_of_turn
from kododo_env.core.arrays import Array, Float32, Uint8
from kododo_env.games.kododo import KododoView
from kododo_env.games.kododo.rules import KODODO_VALUE
from kododo_env.games.kododo.scoring import scoring_colours

ENDS = 32  # ways in which the round may end
# An opponent is drawn to a colour by the points that they have there beyond the mean, the cards
# that lie there, whether it would score now or never can, and how many cards are out of sight.
STAKE, CROWD, LEADS, DEAD, UNSEEN = map(np.float32, (0.1, 0.3, -0.4, -0.7, 1.5))
STICK = 0.15  # how often they lay a card of the same colour as the one before
KODODO = np.float32(1.1)  # how much likelier a card that is laid is a Kododo card than one unseen


class ForecasterAgent(KododoAgent):
    """Imagines ways in which the round may go on, and has them all scored.

    It expects opponents to be drawn to colours in which they have points and many cards lie, and
    itself to go on with what it keeps. It lays what gains most on the mean of the others over all
    these ways.

    Args:
        noise: Scale, in points, of the random number that is added to each choice's value.
    """

    name = "forecaster"

    def __init__(self, noise: float = 0.03) -> None:
        self.noise = noise

    def choice_values(self, view: KododoView) -> Float32:
        """The gain of each choice on the mean of the others, on average; (choices, N)."""
        now, plan = _Table(view), _Plan(view)
        rest, more = now.rest_of_others()[:, None], plan.rest()
        cards = (now.cards[:, None] + plan.cards)[:, :, None] + rest + more
        wins = scoring_colours(cards, view.rules.limit)  # (C, choices, ENDS, N)
        margin = now.own[:, None] + plan.points - now.others[:, None]
        gains = margin * wins.mean(axis=2, dtype=np.float32)
        gains += plan.mean_kept() * (wins & (more > 0)).mean(axis=2, dtype=np.float32)
        gains -= now.worth / (view.num_players - 1) * (wins * rest).mean(axis=2, dtype=np.float32)
        chance, margin = now.kododo_clause(plan.kododos)
        return np.asarray((1 - chance) * gains.sum(axis=0) + chance * margin, np.float32)


class _Table:
    """The cards on the table and those out of sight; arrays with the game axis last.

    Attributes:
        cards: On the table by colour, (C, N).
        own: Own points by colour, (C, N); ``others`` those of the others, on average.
        worth: The mean value of a card.
    """

    def __init__(self, view: KododoView) -> None:
        self.rules, pieces = view.rules, view.pieces
        plays = view.rules.plays[view.turn :]
        self.left = sum(plays)  # that each opponent will still lay
        self.all_left = view.num_players * self.left - plays[0]
        points = np.moveaxis(pieces["table_points"], 0, -1).astype(np.float32)
        self.cards = np.ascontiguousarray(pieces["colour_totals"].T)
        self.own, self.others = points[0], points[1:].mean(axis=0)
        self.stakes = points[1:] - points.mean(axis=0)
        self.kododos = pieces["table_kododos"].T.astype(np.int16)
        gone = np.moveaxis(pieces["seen"] + pieces["hand"], 0, -1)
        copies = np.array(view.rules.copies)
        self.unseen = copies[:, None] - gone  # (C, V, N)
        self.worth = np.float32(np.average(np.arange(1, len(copies) + 1), weights=copies))

    def rest_of_others(self) -> Uint8:
        """How many cards of each colour the others may lay, in each way; (C, ENDS, N)."""
        dead = self.cards + 1 >= self.rules.limit
        leads = scoring_colours(self.cards, self.rules.limit)
        interest = STAKE * self.stakes + CROWD * self.cards + DEAD * dead + LEADS * leads
        unseen = np.maximum(self.unseen.sum(axis=1), np.float32(0.01))
        return drawn(np.exp(interest) * unseen**UNSEEN, self.left, ENDS, 1, STICK)

    def kododo_clause(self, laid: Array) -> tuple[Float32, Float32]:
        """The chance that only Kododo cards score, and the margin then; (choices, N)."""
        number, cards = self.rules.kododo_number, self.all_left
        unseen = self.unseen[:, KODODO_VALUE - 1].sum(axis=0) / np.maximum(
            self.unseen.sum(axis=(0, 1)), 1
        )
        share = np.clip(KODODO * unseen, 0, 1)
        ways = np.array([comb(cards, k) for k in range(cards + 1)], np.float64)[:, None]
        k = np.arange(cards + 1)[:, None]
        exactly = ways * share**k * (1 - share) ** (cards - k)
        missing = number - self.kododos.sum(axis=0) - laid
        chance = np.take_along_axis(exactly, np.clip(missing, 0, cards), axis=0)
        chance = np.where((missing >= 0) & (missing <= cards), chance, 0)
        own = self.kododos[0] + laid
        margin = own - (number - own) / (self.rules.num_players - 1)
        return chance.astype(np.float32), np.asarray(margin, np.float32)


class _Plan:
    """The cards that each choice lays and keeps; arrays (C, choices, N).

    Attributes:
        cards: That it lays by colour; ``points`` their values.
        kept: Cards that it keeps; ``worth`` their values.
        kododos: Kododo cards that it lays, (choices, N).
    """

    def __init__(self, view: KododoView) -> None:
        rules, hand = view.rules, np.ascontiguousarray(view.hand.T)
        self.left = sum(rules.plays[view.turn + 1 :])
        colour, value = np.divmod(hand, np.int8(rules.num_values))
        held = (colour == np.arange(rules.num_colours)[:, None, None]) & (hand >= 0)
        worth = held * (value + 1).astype(np.uint8)  # (C, slots, N)
        choices = [list(slots) for slots in choices_of_turn(rules, view.turn)[1]]
        self.cards, self.points, kododos = (
            np.stack([each[:, slots].sum(axis=1, dtype=np.uint8) for slots in choices], axis=1)
            for each in (held, worth, worth == KODODO_VALUE)
        )
        self.kododos = kododos.sum(axis=0, dtype=np.int16)
        self.kept = held.sum(axis=1, dtype=np.uint8)[:, None] - self.cards
        self.worth = worth.sum(axis=1, dtype=np.int16)[:, None] - self.points

    def mean_kept(self) -> Float32:
        """The mean value of the cards of each colour that it keeps."""
        return np.asarray(self.worth / np.maximum(self.kept, 1), np.float32)

    def rest(self) -> Uint8:
        """How many cards of each colour it may go on with, in each way; (C, choices, ENDS, N)."""
        weights = np.maximum(self.kept, np.float32(0.01))
        return drawn(weights[None], self.left, ENDS, 0, STICK)
