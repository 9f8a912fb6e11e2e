"""Conversion of all seats' observations, masks and actions to canonical form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kododo_env.core.arrays import Array, Int64, Integer
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.canonical import CanonicalForm, CanonicalRows
from kododo_env.core.padding import Padding


class CanonicalSeats:
    """Canonical observations, masks and actions of all seats of a batch in its current position.

    The rows of the current position are cached, since an environment requests the observations,
    the masks and the game's own numbers of canonical actions separately.

    Args:
        game: The batch, or another batch with the same layouts.
        padding: The padding to apply before the canonical form; None for no padding.
    """

    def __init__(self, game: BatchGame, padding: Padding | None = None) -> None:
        self._padding = padding
        if padding is None:
            self._form = CanonicalForm(game.layout, game.actions)
        else:
            self._form = CanonicalForm(padding.layout, padding.actions)
        self._position: tuple[Array, Array] | None = None  # plain observations and masks
        self._rows: CanonicalRows | None = None

    def rows(self, game: BatchGame) -> CanonicalRows:
        """Return the canonical rows of all seats, arrays (N, P, ...); do not change them."""
        shape = game.num_envs, game.num_players, game.layout.size
        plain = game.observe(np.empty(shape, game.layout.dtype))
        masks = np.array(game.legal_action_mask(), order="C")
        if self._padding is not None:
            plain = self._padding.observations(plain)
            masks = self._padding.masks(masks)
        position = plain, masks
        if self._rows is None or not _equal(self._position, position):
            flat = self._form(plain.reshape(-1, plain.shape[2]), masks.reshape(-1, masks.shape[2]))
            self._rows = CanonicalRows(*(part.reshape(*shape[:2], -1) for part in flat))
            self._position = position
        return self._rows

    def plain_actions(
        self, game: BatchGame, actions: Sequence[int] | Integer, seats: Sequence[int] | Integer
    ) -> Int64:
        """Convert canonical actions to the game's own action numbers.

        Args:
            game: The batch, in the position in which the actions were chosen.
            actions: Canonical actions, shape (N, S), or (N,) for one seat of each game.
            seats: The seats that choose: shape (S,) for actions (N, S), else (N,).

        Returns:
            The game's own action numbers, int64, in the shape of ``actions``.

        Raises:
            ValueError: An action is out of range.
        """
        chosen = np.asarray(actions)
        last = self.rows(game).actions.shape[2] - 1
        if ((chosen < 0) | (chosen > last)).any():
            raise ValueError(f"actions must be 0 to {last}")
        games = np.arange(game.num_envs)
        if chosen.ndim == 2:
            games = games[:, None]
        plain: Int64 = self.rows(game).actions[games, np.asarray(seats), chosen].astype(np.int64)
        return plain if self._padding is None else self._padding.own_actions(plain)


def _equal(before: tuple[Array, Array] | None, position: tuple[Array, Array]) -> bool:
    """Return whether two positions have the same observations and masks."""
    return before is not None and all(map(np.array_equal, before, position))
