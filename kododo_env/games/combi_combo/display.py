"""Public read-only properties of a batch of Combi-Combo games."""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Uint8
from kododo_env.core.batch_game import BatchGame
from kododo_env.games.combi_combo.rules import Rules
from kododo_env.games.combi_combo.state import CombiComboState


class CombiComboDisplay(BatchGame):
    """The base class of ``CombiComboGame`` with read-only access to its state."""

    rules: Rules
    _state: CombiComboState

    @property
    def turn(self) -> int:
        """The index of the turn, 0 to 7, the same in all games; 8 when they are over."""
        return self._state.turn

    @property
    def hands(self) -> Uint8:
        """The number of cards in hand by type, shape (N, P, C * 4)."""
        return self._games_first(self._state.hands)

    @property
    def passed(self) -> Uint8:
        """The number of cards passed to the left so far by type, shape (N, P, C * 4)."""
        return self._games_first(self._state.passed)

    @property
    def received(self) -> Uint8:
        """The number of cards received from the right so far by type, shape (N, P, C * 4)."""
        return self._games_first(np.roll(self._state.passed, 1, axis=0))

    @property
    def face_up(self) -> Uint8:
        """The number of cards face up in the middle by type, shape (N, C * 4)."""
        return self._games_first(self._state.face_up)

    @property
    def draw_pile_size(self) -> int:
        """The number of cards left in each player's pile, the same in all games."""
        return max(0, self.rules.num_turns - 1 - self._state.turn)
