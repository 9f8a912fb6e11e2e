"""A held-out player of KADO that counts how far rows and columns have come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kododo_env.baselines.kado_phases import KadoAgent, guess_values
from kododo_env.baselines.kado_tableaus import NEVER, Gains, Situation, points_now
from kododo_env.baselines.weights import within
from kododo_env.core.arrays import Array, Float32


@dataclass(frozen=True)
class Weights:
    """What the builder goes by; each is drawn from its range in a population.

    Attributes:
        card_share: The share of its value that each card makes of a column that is not full.
        rows: The worth of points in rows, beside those in columns.
        keep: As dealer it keeps a card that gains it so much more than most.
        spite: What a gain of the player who swaps with it is to be feared, or of its own envied.
        perfect: The worth of a perfect guess, beside its points.
        caution: The value of not guessing.
        noise: Scale, in points, of the random number that is added to each action's value.
    """

    card_share: float = within(0.25, 0.1, 0.4)
    rows: float = within(1.0, 0.7, 1.3)
    keep: float = within(0.0, -0.5, 0.8)
    spite: float = within(1.0, 0.0, 2.0)
    perfect: float = within(1.0, 0.3, 1.5)
    caution: float = within(0.0, 0.0, 0.3)
    noise: float = within(0.0, 0.0, 0.15)


class BuilderAgent(KadoAgent):
    """Builds columns of one ribbon card by card, and reckons with no chances.

    Each card of the ribbon makes a share of a column's highest value; one of another ribbon
    spoils it. As dealer it keeps the first card that gains it more than most, and gives others to
    whom they gain least. It guesses what gains most of the cards that nobody has seen.
    """

    name = "builder"

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = weights or Weights()
        self.noise = self.weights.noise

    def deal(self, situation: Situation) -> Float32:
        """Keep it if it gains more than an average card, or give it to whom it gains least."""
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

    def challenge(self, situation: Situation) -> Float32:
        """Name what the dealer's card may be that it would rather have."""
        own_gain = self._above(situation, 0)
        dealer_gain = self._above(situation, situation.dealer)
        dealer_chances = situation.possible / np.maximum(situation.possible.sum(axis=0), 1)
        spite, perfect, caution = map(
            np.float32, (self.weights.spite, self.weights.perfect, self.weights.caution)
        )
        gain = own_gain + spite * dealer_gain / (situation.rules.num_players - 1)
        bonus = perfect * situation.rules.perfect_points
        return guess_values(situation, dealer_chances * gain, bonus * dealer_chances) - caution

    def place(self, situation: Situation) -> Float32:
        """Put it where rows and columns come on most."""
        return self._progress(situation, 0).by_cell(situation.card)

    def _above(self, situation: Situation, seat: int) -> Float32:
        """The gain of each kind of card at its best in a tableau, above the average; (K, N)."""
        gain = self._progress(situation, seat).best(situation.parts)
        share = situation.unseen / np.maximum(situation.unseen.sum(axis=0), 1)
        return np.asarray(gain - (gain * share).sum(axis=0), np.float32)

    def _progress(self, situation: Situation, seat: int) -> Gains:
        """The points of each card at once in rows, and how far it brings columns."""
        at_once = points_now(situation, seat)
        rows = np.float32(self.weights.rows) * at_once.rows
        return Gains(rows, _columns(situation, seat, self.weights.card_share), at_once.open)


def _columns(situation: Situation, seat: int, card_share: float) -> Float32:
    """How far each card brings each column, (columns, B, V, N)."""
    rules = situation.rules
    counts = situation["column_ribbons"][seat].astype(np.float32)
    best = situation["column_best"][seat].astype(np.float32)[:, None, None]
    values = np.arange(1, rules.num_values + 1, dtype=np.float32)[:, None]
    total = counts.sum(axis=1, keepdims=True)
    alone = (counts == total)[:, :, None]  # no other ribbon lies there
    share_before, share_after = (
        _column_share(cards, rules.num_rows, card_share) for cards in (total, total + 1)
    )
    before = share_before[:, :, None] * best * alone.any(axis=1, keepdims=True)
    after = share_after[:, :, None] * np.maximum(best, values) * alone
    return np.asarray(after - before, np.float32)


def _column_share(cards: Array, full: int, card_share: float) -> Array:
    """The share of its highest value that a column of one ribbon with this many cards is worth."""
    return np.where(cards < full, np.minimum(np.float32(card_share) * cards, 1), 1)
