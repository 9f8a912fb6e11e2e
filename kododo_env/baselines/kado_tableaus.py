"""The gains of cards in tableaus of KADO: points scored now, or expected final points."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Float32, Int64
from kododo_env.core.view import View
from kododo_env.games.kado import Phase, Rules
from kododo_env.games.kado.scoring import score_columns, score_rows

PARTS = ("gift", "ribbon", "value")
NEVER = np.float32(-1e6)
# Parameters of the estimate of the final tableau, which were found by self-play.
# The uncertainty about which gift an empty row will score, in points.
SPREAD = np.float32(1.2)
# The probability that a later card fits the ribbon of a column, as a share of the probability that
# a random unseen card does.
WANTED = np.float32(0.6)
# For each missing card of a column, the expected increase of its best value, as a share of the
# difference from the highest value.
RISE = np.float32(0.2)


class TableauView:
    """A view of N games with the game axis last; an index such as ``["filled"]`` returns a piece.

    Attributes:
        dealer: The dealer, counted from the player's own seat.
        turns_after: The number of turns after this one.
        kinds: The ids of the K different cards of the deck.
        parts: Gift, ribbon and value of each kind, counted from 0, (3, K).
        unseen: The number of cards of each kind that the player has not seen, (K, N).
    """

    def __init__(self, view: View) -> None:
        rules: Rules = view.rules
        self.rules = rules
        self.num_envs = view.num_envs
        self._pieces = view.pieces
        self.phase = Phase(int(self["phase"][:, 0].argmax()))
        self.dealer = int(self["dealer"][:, 0].argmax())
        self.turns_after = int(self["turns_left"][0]) - 1
        copies = np.bincount(rules.cards, minlength=rules.num_card_types)
        self.kinds = np.flatnonzero(copies)
        pair, value = np.divmod(self.kinds, rules.num_values)
        self.parts = np.stack([*np.divmod(pair, rules.num_ribbons), value])
        observed_counts = self["seen"].reshape(-1, self.num_envs)
        self.unseen = (copies[:, None] - observed_counts)[self.kinds].astype(np.float32)

    def __getitem__(self, name: str) -> Array:
        """Return a piece of the observation, shape (\\*piece.shape, N)."""
        return np.moveaxis(self._pieces[name], 0, -1)

    @property
    def possible(self) -> Float32:
        """The number of unseen cards of each kind that may be the dealer's after wrong guesses."""
        gift, ribbon, _ = self.parts
        out = self["not_gift"][gift] | self["not_ribbon"][ribbon]
        return np.where(out, np.float32(0), self.unseen)

    def by_pair(self, amounts: Float32) -> Float32:
        """Sum amounts of kinds, (K, N), by gift and ribbon, (G, B, N)."""
        rules = self.rules
        pairs = np.arange(rules.num_gifts * rules.num_ribbons)[:, None]
        matches = self.parts[0] * rules.num_ribbons + self.parts[1] == pairs
        shape = (rules.num_gifts, rules.num_ribbons, self.num_envs)
        return np.asarray(matches.astype(np.float32) @ amounts).reshape(shape)

    @property
    def card(self) -> Array:
        """The id of the card to be given or placed, (N,)."""
        if self.phase == Phase.DEALING:
            gift, ribbon, value = (self[f"offered_{part}"] for part in PARTS)
        else:
            gift, ribbon, value = (self[f"card_{part}"][0] for part in PARTS)
        kind = gift.argmax(axis=0) * self.rules.num_ribbons + ribbon.argmax(axis=0)
        return np.asarray(kind * self.rules.num_values + np.maximum(value, 1) - 1)  # 0: no card


@dataclass(frozen=True)
class Gains:
    """The gains of cards in a tableau; the gain in a cell is the sum for its row and its column."""

    rows: Float32  # (rows, G, V, N)
    columns: Float32  # (columns, B, V, N)
    open: Bool  # where a card may go, (rows, columns, N)

    def by_cell(self, card: Array) -> Float32:
        """Return the gain of one card, by its ids (N,), in each cell: (rows, columns, N)."""
        games = np.arange(len(card))
        kind, value = np.divmod(card, self.rows.shape[2])
        gift, ribbon = np.divmod(kind, self.columns.shape[1])
        rows = self.rows[:, gift, value, games]
        columns = self.columns[:, ribbon, value, games]
        return np.where(self.open, rows[:, None] + columns, NEVER)

    def best(self, parts: Int64) -> Float32:
        """Return the gain of K cards in their best cell, (K, N); ``parts`` is as in TableauView."""
        gift, ribbon, value = parts
        gains = np.full((), NEVER)
        for row, free in zip(self.rows, self.open, strict=True):
            if free.any():
                column = np.where(free[:, None, None], self.columns, NEVER).max(axis=0)
                gains = np.maximum(gains, row[gift, value] + column[ribbon, value])
        return gains


def points_now(situation: TableauView, seat: int) -> Gains:
    """Return the points that each card would score immediately by the rules of the game."""
    rules = situation.rules
    values = np.arange(1, rules.num_values + 1, dtype=np.uint8)[:, None]  # (V, N)
    gifts, ribbons = (np.eye(n, dtype=np.uint8) for n in (rules.num_gifts, rules.num_ribbons))
    # Treat each row as a tableau, (rows, 1, G), and add every possible card on new axes, (G, V).
    points = situation["row_points"][seat][:, None, :, None, None]
    rows = score_rows(points + gifts[:, :, None, None] * values) - score_rows(points)
    # Columns likewise, (columns, 1, B) and (B, V); a column that is not full has scored nothing.
    counts = situation["column_ribbons"][seat][:, None, :, None, None] + ribbons[:, :, None, None]
    best = np.maximum(situation["column_best"][seat][:, None, None, None], values)
    columns = score_columns(counts, best, rules.num_rows)
    return Gains(rows.astype(np.float32), columns.astype(np.float32), situation["open"][seat] > 0)


def points_expected(situation: TableauView, seat: int) -> Gains:
    """Return by how much each card raises the expected final points of a tableau."""
    return Gains(
        _row_gains(situation, seat), _column_gains(situation, seat), situation["open"][seat] > 0
    )


def _row_gains(situation: TableauView, seat: int) -> Float32:
    """Gains in each row, (rows, G, V, N).

    A row scores its best gift. Which one that will be is uncertain while cells are empty, so
    its value is the soft maximum over its gifts, ``heat * log(sum(exp(points / heat)))``.
    """
    rules = situation.rules
    points = situation["row_points"][seat].astype(np.float32)
    empty = rules.num_columns - situation["filled"][seat].sum(axis=1, dtype=np.int8)
    values = np.arange(1, rules.num_values + 1, dtype=np.float32)[:, None]
    heat = _heat(situation, empty)
    top = points.max(axis=1)
    before = heat * np.log(np.exp((points - top[:, None]) / heat[:, None]).sum(axis=1))
    # With the card there is one empty cell less, and its gift has more points.
    heat = _heat(situation, empty - 1)[:, None]
    share = np.exp((points - top[:, None]) / heat)
    raised = np.exp(np.minimum(values / heat[:, :, None], 80))  # larger exponents overflow
    grown = share[:, :, None] * (raised - 1)
    after = heat[:, :, None] * np.log(share.sum(axis=1)[:, None, None] + grown)
    return np.asarray(after - before[:, None, None], np.float32)


def _heat(situation: TableauView, empty: Array) -> Float32:
    """How uncertain the best gift of a row with this many empty cells is, in points."""
    part = np.maximum(empty, 0).astype(np.float32) / np.float32(situation.rules.num_columns)
    return np.asarray(np.maximum(SPREAD * np.sqrt(part), np.float32(0.2)))


def _column_gains(situation: TableauView, seat: int) -> Float32:
    """Gains in each column, (columns, B, V, N).

    A column's value is what it is expected to score by the best ribbon that it can still have
    alone.
    """
    counts = situation["column_ribbons"][seat]
    best = situation["column_best"][seat].astype(np.float32)[:, None]
    values = np.arange(1, situation.rules.num_values + 1, dtype=np.float32)[:, None]
    total = counts.sum(axis=1, dtype=np.int8)
    alone = counts == total[:, None]  # (columns, B, N): the column has no other ribbon
    before = _column_values(situation, total, best, situation.turns_after + 1)[:, :, 0]
    before = (before * alone).max(axis=1)
    after = _column_values(situation, total + 1, np.maximum(best, values), situation.turns_after)
    return np.asarray(after * alone[:, :, None] - before[:, None, None], np.float32)


def _column_values(situation: TableauView, total: Array, best: Float32, turns: int) -> Float32:
    """The points expected of columns by each ribbon, (columns, B, V, N).

    ``total`` counts their cards, (columns, N), ``best`` is their highest value, (columns, V, N) for
    V cases, and ``turns`` cards are still to come.
    """
    rules = situation.rules
    missing = np.maximum(rules.num_rows - total, 0)[:, None]
    ribbons = np.arange(rules.num_ribbons)[:, None]
    games = np.arange(situation.num_envs)
    probability = _probabilities(situation, turns)[missing, ribbons, games]
    rise = (rules.num_values - best) * (RISE * missing)
    return np.asarray(probability[:, :, None] * (best + rise)[:, None], np.float32)


def _probabilities(situation: TableauView, turns: int) -> Float32:
    """How likely a column gets at least this many more cards of each ribbon: (missing, B, N)."""
    of_ribbon = situation.parts[1] == np.arange(situation.rules.num_ribbons)[:, None]
    cards = of_ribbon.astype(np.float32) @ situation.unseen
    share = np.minimum(WANTED * cards / cards.sum(axis=0), np.float32(0.9))
    exactly = [
        comb(turns, number) * share**number * (1 - share) ** max(turns - number, 0)
        for number in range(situation.rules.num_rows)
    ]
    fewer = np.cumsum([np.zeros_like(share), *exactly], axis=0)
    return np.asarray(np.maximum(1 - fewer, 0), np.float32)
