"""Public read-only properties of a batch of Kododo games."""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Bool, Int8, Int16
from kododo_env.core.batch_game import BatchGame
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.state import KododoState
from kododo_env.games.kododo.tables import KododoTables


class KododoDisplay(BatchGame):
    """The base class of ``KododoGame`` with read-only access to its state."""

    rules: Rules
    _state: KododoState
    _tables: KododoTables

    @property
    def turn(self) -> int:
        """The index of the turn in the round, 0 to 2, the same in all games."""
        return self._state.turn

    @property
    def round_index(self) -> int:
        """The index of the round in the deal, from 0, the same in all games."""
        return self._state.round_index

    @property
    def deal_index(self) -> Int16:
        """The number of deals before the current one in each game, shape (N,)."""
        return self._games_first(self._state.deals)

    @property
    def just_dealt(self) -> Bool:
        """Which games have not been stepped since their first deal, shape (N,)."""
        state = self._state
        if state.turn or state.round_index:
            return np.zeros(self.num_envs, np.bool_)
        return (state.deals == 0) & ~state.terminated

    @property
    def hands(self) -> Int8:
        """Card ids sorted by slot, -1 where empty; shape (N, P, hand_size)."""
        return self._games_first(self._state.hands.view(np.int8))

    @property
    def table(self) -> Int8:
        """The card ids laid by each player this round, in order, then -1; shape (N, P, 4)."""
        return self._games_first(self._state.table.view(np.int8))

    @property
    def last_table(self) -> Int8:
        """``table`` at the end of the previous round; -1 in the first round."""
        return self._games_first(self._state.last_table.view(np.int8))

    @property
    def pile_sizes(self) -> Int16:
        """The number of cards in each score pile since the last shuffle, shape (N, P)."""
        return self._games_first(self._state.pile_sizes)

    @property
    def draw_pile_size(self) -> int:
        """The number of cards left to draw, the same in all running games."""
        state = self._state
        rules = self.rules
        return rules.drawn(rules.num_rounds, 0) - rules.drawn(state.round_index, state.turn)
