"""A held-out player of KADO that counts how far rows and columns have come."""

from __future__ import annotations

import numpy as np

from kododo_env.baselines.kado_phases import KadoAgent, guess_values
from kododo_env.baselines.kado_tableaus import NEVER, Gains, Situation, points_now
from kododo_env.core.arrays import Array, Float32

BEGUN = np.float32(0.25)  # what of its value each card makes of a column that is not full


class BuilderAgent(KadoAgent):
    """Builds columns of one ribbon card by card, and reckons with no chances.

    Each card of the ribbon makes a quarter of a column's highest value; one of another ribbon
    spoils it. As dealer it keeps the first card that gains it more than most, and gives others to
    whom they gain least. It guesses what gains most of the cards that nobody has seen.
    """

    name = "builder"

    def deal(self, now: Situation) -> Float32:
        """Keep it if it gains more than an average card, or give it to whom it gains least."""
        rules, kind = now.rules, np.searchsorted(now.kinds, now.card)
        games = np.arange(now.num_envs)
        above = np.stack([_above(now, seat)[kind, games] for seat in range(rules.num_players)])
        lacking = (now["dealt_as"] == 0).sum(axis=0)
        aside = np.where((above[0] < 0) & (above[1:].min(axis=0) > 0), NEVER / 4, NEVER / 2)
        keep = np.where((above[0] > 0) | (lacking == 1), -NEVER, NEVER / 3)
        return np.concatenate([keep[None], -above[1:], aside[None]]).astype(np.float32)

    def challenge(self, now: Situation) -> Float32:
        """Name what the dealer's card may be that it would rather have."""
        own, dealers = _above(now, 0), _above(now, now.dealer)
        kept = now.possible / np.maximum(now.possible.sum(axis=0), 1)
        gain = own + dealers / (now.rules.num_players - 1)
        return guess_values(now, kept * gain, now.rules.perfect_points * kept)

    def place(self, now: Situation) -> Float32:
        """Put it where rows and columns come on most."""
        return _progress(now, 0).by_cell(now.card)


def _above(now: Situation, seat: int) -> Float32:
    """The gain of each kind of card at its best in a tableau, above the average card; (K, N)."""
    gain = _progress(now, seat).best(now.parts)
    share = now.unseen / np.maximum(now.unseen.sum(axis=0), 1)
    return np.asarray(gain - (gain * share).sum(axis=0), np.float32)


def _progress(now: Situation, seat: int) -> Gains:
    """The points of each card at once in rows, and how far it brings columns."""
    at_once = points_now(now, seat)
    return Gains(at_once.rows, _columns(now, seat), at_once.open)


def _columns(now: Situation, seat: int) -> Float32:
    """How far each card brings each column, (columns, B, V, N)."""
    rules = now.rules
    counts = now["column_ribbons"][seat].astype(np.float32)
    best = now["column_best"][seat].astype(np.float32)[:, None, None]
    values = np.arange(1, rules.num_values + 1, dtype=np.float32)[:, None]
    total = counts.sum(axis=1, keepdims=True)
    alone = (counts == total)[:, :, None]  # no other ribbon lies there
    before = _worth(total, rules.num_rows)[:, :, None] * best * alone.any(axis=1, keepdims=True)
    after = _worth(total + 1, rules.num_rows)[:, :, None] * np.maximum(best, values) * alone
    return np.asarray(after - before, np.float32)


def _worth(cards: Array, full: int) -> Array:
    """The share of its highest value that a column of one ribbon with this many cards is worth."""
    return np.where(cards < full, np.minimum(BEGUN * cards, 1), 1)
