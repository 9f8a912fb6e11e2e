"""What cards gain in tableaus of KADO: at once, by the game's own scoring, and in the end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.view import View
from kododo_env.games.kado import Moves, Phase, Rules
from kododo_env.games.kado.observation import moves
from kododo_env.games.kado.scoring import score_columns, score_rows

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]
NEVER = np.float32(-1e6)


class Look:
    """A view of N games with the game axis last, as scripted players work with it."""

    def __init__(self, view: View) -> None:
        self.rules: Rules = view.rules
        self.moves: Moves = moves(view.rules)
        self.num_envs = view.num_envs
        self.legal = np.moveaxis(view.legal_action_mask, 0, -1)
        self._pieces = view.pieces

    def __getitem__(self, name: str) -> Array:
        """A piece of the observation, shape (\\*piece.shape, N)."""
        return np.moveaxis(self._pieces[name], 0, -1)

    @property
    def phase(self) -> Phase:
        """Where the turn stands, the same in all games."""
        return Phase(int(self["phase"][:, 0].argmax()))

    @property
    def turns_after(self) -> int:
        """How many turns follow this one."""
        return int(self["turns_left"][0]) - 1

    @property
    def dealer(self) -> int:
        """Who deals, counted from the own seat."""
        return int(self["dealer"][:, 0].argmax())

    @cached_property
    def kinds(self) -> npt.NDArray[np.int64]:
        """The ids of the cards there are, K of them, each once."""
        return np.unique(self.rules.cards).astype(np.int64)

    @cached_property
    def parts(self) -> npt.NDArray[np.int64]:
        """Gift, ribbon and value of each kind, counted from 0: (3, K)."""
        rules = self.rules
        pair, value = np.divmod(self.kinds, rules.num_values)
        return np.stack([*np.divmod(pair, rules.num_ribbons), value])

    @cached_property
    def unseen(self) -> Floats:
        """How many cards of each kind the player has not seen, (K, N)."""
        deck = np.bincount(self.rules.cards).astype(np.float32)
        seen = self["seen"].reshape(-1, self.num_envs)
        return np.asarray(deck[self.kinds, None] - seen[self.kinds], np.float32)

    @cached_property
    def possible(self) -> Floats:
        """How many of these may be the dealer's card, wrong guesses considered: (K, N)."""
        gift, ribbon, _ = self.parts
        out = self["not_gift"][gift] | self["not_ribbon"][ribbon]
        return np.where(out, np.float32(0), self.unseen)

    def by_ribbon(self, amounts: Floats) -> Floats:
        """Amounts of kinds (K, N) added up by ribbon: (B, N)."""
        same = self.parts[1] == np.arange(self.rules.num_ribbons)[:, None]
        return np.asarray(same.astype(np.float32) @ amounts)

    def by_pair(self, amounts: Floats) -> Floats:
        """Amounts of kinds (K, N) added up by gift and ribbon: (G, B, N)."""
        rules = self.rules
        pairs = np.arange(rules.num_gifts * rules.num_ribbons)[:, None]
        same = self.parts[0] * rules.num_ribbons + self.parts[1] == pairs
        shape = (rules.num_gifts, rules.num_ribbons, self.num_envs)
        return np.asarray(same.astype(np.float32) @ amounts).reshape(shape)

    @property
    def offered(self) -> Array:
        """The id of the card to be given, (N,)."""
        return self._id(*(self[f"offered_{part}"] for part in ("gift", "ribbon", "value")))

    @property
    def own_card(self) -> Array:
        """The id of the card to be placed, (N,)."""
        return self._id(*(self[f"card_{part}"][0] for part in ("gift", "ribbon", "value")))

    def _id(self, gift: Array, ribbon: Array, value: Array) -> Array:
        rules = self.rules
        kind = gift.argmax(axis=0) * rules.num_ribbons + ribbon.argmax(axis=0)
        card: Array = kind * rules.num_values + np.maximum(value, 1) - 1  # value 0: no card at all
        return card


@dataclass(frozen=True)
class Gains:
    """What cards gain in a tableau, the sum of a part for the row and one for the column.

    Attributes:
        rows: Shape (rows, G, V, N).
        columns: Shape (columns, B, V, N).
        open: Where a card may go, (rows, columns, N).
    """

    rows: Floats
    columns: Floats
    open: npt.NDArray[np.bool_]

    def by_cell(self, card: Array) -> Floats:
        """What one card, an id for each game, gains in each cell: (rows, columns, N)."""
        games = np.arange(len(card))
        kind, value = np.divmod(card, self.rows.shape[2])
        gift, ribbon = np.divmod(kind, self.columns.shape[1])
        rows, columns = self.rows[:, gift, value, games], self.columns[:, ribbon, value, games]
        return np.where(self.open, rows[:, None] + columns, NEVER)

    def best(self, parts: npt.NDArray[np.int64]) -> Floats:
        """What cards gain in their best cell, (K, N), from gift, ribbon and value (3, K)."""
        gift, ribbon, value = parts
        found = np.full((), NEVER)
        for row, free in zip(self.rows, self.open, strict=True):
            if free.any():
                column = np.where(free[:, None, None], self.columns, NEVER).max(axis=0)
                found = np.maximum(found, row[gift, value] + column[ribbon, value])
        return found


def points_now(look: Look, seat: int) -> Gains:
    """What cards would score at once."""
    rules = look.rules
    values = np.arange(1, rules.num_values + 1, dtype=np.uint8)
    gifts, ribbons = (np.eye(n, dtype=np.uint8) for n in (rules.num_gifts, rules.num_ribbons))
    # Every card in every row, as if the row were a tableau of its own: (rows, G, V, G, N).
    points = look["row_points"][seat][:, None, None]
    rows = _score_alone(points + (gifts[:, None] * values[:, None])[..., None])
    rows = rows - _score_alone(points)
    # Every card in every column; one that is not full scored nothing before.
    counts = look["column_ribbons"][seat][:, None, None] + ribbons[:, None, :, None]
    best = np.maximum(look["column_best"][seat][:, None], values[:, None])[:, None]
    counts = np.repeat(counts, len(values), axis=2)  # (columns, B, V, B, N)
    best = np.repeat(best, len(ribbons), axis=1)  # (columns, B, V, N)
    columns = score_columns(
        counts.reshape(-1, 1, *counts.shape[3:]), best.reshape(-1, 1, best.shape[3]), rules.num_rows
    )
    return Gains(
        rows.astype(np.float32),
        columns.reshape(best.shape).astype(np.float32),
        look["open"][seat].astype(np.bool_),
    )


def _score_alone(points: Array) -> npt.NDArray[np.int16]:
    """What rows (..., G, N) score one by one: (..., N)."""
    return score_rows(points.reshape(-1, 1, *points.shape[-2:])).reshape(
        *points.shape[:-2], points.shape[-1]
    )


@dataclass(frozen=True)
class Outlook:
    """How points to come are estimated; found by play against itself.

    Attributes:
        spread: How open it is in an empty row which gift it will score, in points.
        ribbon: How often a card of a wanted ribbon comes into a column, against pure chance.
        fresh: What an empty column is worth, against one that waits for its best ribbon.
        rise: How much nearer to the highest value a column's best comes with each card.
    """

    spread: float = 1.2
    ribbon: float = 0.6
    fresh: float = 1.0
    rise: float = 0.2

    def gains(self, look: Look, seat: int) -> Gains:
        """By how much each card raises what a tableau can be expected to score in the end."""
        rows, columns = self._rows(look, seat), self._columns(look, seat)
        return Gains(rows, columns, look["open"][seat].astype(np.bool_))

    def _rows(self, look: Look, seat: int) -> Floats:
        """Gains in each row, (rows, G, V, N).

        A row will score its best gift, but which one that will be is open as long as places
        are empty: so the expected maximum, as of gifts with random additions, stands for it.
        """
        rules = look.rules
        points = look["row_points"][seat].astype(np.float32)
        empty = rules.num_columns - look["filled"][seat].sum(axis=1, dtype=np.int8)
        values = np.arange(1, rules.num_values + 1, dtype=np.float32)[:, None]
        heat, top = self._heat(look, empty), points.max(axis=1)
        now = heat * np.log(np.exp((points - top[:, None]) / heat[:, None]).sum(axis=1))
        # With the card there is one place less, and its gift has more.
        heat = self._heat(look, empty - 1)[:, None]
        share = np.exp((points - top[:, None]) / heat)
        grown = share[:, :, None] * (np.exp(values / heat[:, :, None]) - 1)
        then = heat[:, :, None] * np.log(share.sum(axis=1)[:, None, None] + grown)
        return np.asarray(then - now[:, None, None], np.float32)

    def _heat(self, look: Look, empty: Array) -> Floats:
        """How uncertain a row with so many empty places is, in points."""
        part = np.maximum(empty, 0).astype(np.float32) / np.float32(look.rules.num_columns)
        return np.asarray(np.maximum(np.float32(self.spread) * np.sqrt(part), np.float32(0.2)))

    def _columns(self, look: Look, seat: int) -> Floats:
        """Gains in each column, (columns, B, V, N)."""
        rules, after = look.rules, look.turns_after
        counts = look["column_ribbons"][seat]
        best = look["column_best"][seat].astype(np.float32)[:, None]
        values = np.arange(1, rules.num_values + 1, dtype=np.float32)[:, None]
        total = counts.sum(axis=1, dtype=np.int8)
        alike = counts == total[:, None]  # (columns, B, N): no other ribbon lies there
        now = (self._column_worth(look, total, best, after + 1)[:, :, 0] * alike).max(axis=1)
        now *= np.where(total == 0, np.float32(self.fresh), np.float32(1))
        then = self._column_worth(look, total + 1, np.maximum(best, values), after)
        return np.asarray(then * alike[:, :, None] - now[:, None, None], np.float32)

    def _column_worth(self, look: Look, total: Array, best: Floats, turns: int) -> Floats:
        """What columns of each ribbon will score, (columns, B, V, N).

        Args:
            look: The view.
            total: Cards in the column, (columns, N).
            best: Their highest value, (columns, V, N) for V cases.
            turns: How many cards are still to come.
        """
        rules = look.rules
        missing = np.maximum(rules.num_rows - total, 0)[:, None]
        ribbons, games = np.arange(rules.num_ribbons)[:, None], np.arange(look.num_envs)
        chance = self._chances(look, turns)[missing, ribbons, games]
        rise = (rules.num_values - best) * (np.float32(self.rise) * missing)
        return np.asarray(chance[:, :, None] * (best + rise)[:, None], np.float32)

    def _chances(self, look: Look, turns: int) -> Floats:
        """How likely a column gets so many more cards of each ribbon: (missing, B, N)."""
        cards = look.by_ribbon(look.unseen)
        share = np.minimum(np.float32(self.ribbon) * cards / cards.sum(axis=0), np.float32(0.9))
        exactly = [
            comb(turns, number) * share**number * (1 - share) ** max(turns - number, 0)
            for number in range(look.rules.num_rows)
        ]
        short = np.cumsum([np.zeros_like(share), *exactly], axis=0)
        return np.asarray(np.maximum(1 - short, 0), np.float32)
