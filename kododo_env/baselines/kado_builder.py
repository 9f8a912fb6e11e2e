"""A held-out player of KADO that counts the progress of rows and columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kododo_env.arrays.dtypes import Array, Float32
from kododo_env.baselines.kado_phases import KadoAgent, guess_values
from kododo_env.baselines.kado_tableaus import NEVER, Gains, TableauView, points_now
from kododo_env.baselines.weights import within


@dataclass(frozen=True)
class BuilderWeights:
    """Weights of the builder; the members of a population draw each of them from its range.

    Attributes:
        card_share: The value of each card in an unfinished column, as a share of the column's
            highest value.
        rows: The weight of points in rows, relative to points in columns.
        keep: The minimum gain above the average with which a dealer keeps a card.
        spite: The weight of the dealer's gain in a swap.
        perfect: The weight of the points of a perfect guess.
        caution: The value of not guessing.
        noise: The scale, in points, of the random number added to each action's value.
    """

    card_share: float = within(0.25, 0.1, 0.4)
    rows: float = within(1.0, 0.7, 1.3)
    keep: float = within(0.0, -0.5, 0.8)
    spite: float = within(1.0, 0.0, 2.0)
    perfect: float = within(1.0, 0.3, 1.5)
    caution: float = within(0.0, 0.0, 0.3)
    noise: float = within(0.0, 0.0, 0.15)


class BuilderAgent(KadoAgent):
    """A player that builds columns of one ribbon, without estimating probabilities.

    In an unfinished column each card counts a share of the column's highest value, and nothing
    after a card with a different ribbon. As dealer the player keeps the first card with a gain
    above the average, and gives any other card to the player who gains least. As challenger it
    guesses the unseen cards with the largest gain.
    """

    name = "builder"

    def __init__(self, weights: BuilderWeights | None = None) -> None:
        self.weights = weights or BuilderWeights()
        self.noise = self.weights.noise

    def deal(self, situation: TableauView) -> Float32:
        """Keep a card that gains more than average, or give it to the player who gains least."""
        rules = situation.rules
        kind = np.searchsorted(situation.kinds, situation.card)
        games = np.arange(situation.num_envs)
        enough = np.float32(self.weights.keep)
        above = np.stack(
            [self._above(situation, seat)[kind, games] for seat in range(rules.num_players)]
        )
        receivers = (situation["dealt_as"] == 0).sum(axis=0)
        poor = (above[0] < enough) & (above[1:].min(axis=0) > 0)
        aside = np.where(poor, NEVER / 4, NEVER / 2)
        keep = np.where((above[0] > enough) | (receivers == 1), -NEVER, NEVER / 3)
        return np.concatenate([keep[None], -above[1:], aside[None]]).astype(np.float32)

    def challenge(self, situation: TableauView) -> Float32:
        """Value each guess by the gain from those possible cards of the dealer that it fits."""
        own_gain = self._above(situation, 0)
        dealer_gain = self._above(situation, situation.dealer)
        dealer_probabilities = situation.possible / np.maximum(situation.possible.sum(axis=0), 1)
        spite, perfect, caution = map(
            np.float32, (self.weights.spite, self.weights.perfect, self.weights.caution)
        )
        gain = own_gain + spite * dealer_gain / (situation.rules.num_players - 1)
        bonus = perfect * situation.rules.perfect_points
        return (
            guess_values(situation, dealer_probabilities * gain, bonus * dealer_probabilities)
            - caution
        )

    def place(self, situation: TableauView) -> Float32:
        """Value each cell by the progress of its row and column."""
        return self._progress(situation, 0).by_cell(situation.card)

    def _above(self, situation: TableauView, seat: int) -> Float32:
        """Return the best gain of each kind in a tableau, minus the average gain; (K, N)."""
        gain = self._progress(situation, seat).best(situation.parts)
        share = situation.unseen / np.maximum(situation.unseen.sum(axis=0), 1)
        return np.asarray(gain - (gain * share).sum(axis=0), np.float32)

    def _progress(self, situation: TableauView, seat: int) -> Gains:
        """Return the immediate points of each card in rows, and its progress in columns."""
        at_once = points_now(situation, seat)
        rows = np.float32(self.weights.rows) * at_once.rows
        return Gains(rows, _columns(situation, seat, self.weights.card_share), at_once.open)


def _columns(situation: TableauView, seat: int, card_share: float) -> Float32:
    """Return the progress of each column with each card, (columns, B, V, N)."""
    rules = situation.rules
    counts = situation["column_ribbons"][seat].astype(np.float32)
    best = situation["column_best"][seat].astype(np.float32)[:, None, None]
    values = np.arange(1, rules.num_values + 1, dtype=np.float32)[:, None]
    total = counts.sum(axis=1, keepdims=True)
    alone = (counts == total)[:, :, None]  # the column has no other ribbon
    share_before, share_after = (
        _column_share(cards, rules.num_rows, card_share) for cards in (total, total + 1)
    )
    before = share_before[:, :, None] * best * alone.any(axis=1, keepdims=True)
    after = share_after[:, :, None] * np.maximum(best, values) * alone
    return np.asarray(after - before, np.float32)


def _column_share(cards: Array, full: int, card_share: float) -> Array:
    """Return the share of its highest value that a column of one ribbon counts."""
    return np.where(cards < full, np.minimum(np.float32(card_share) * cards, 1), 1)
