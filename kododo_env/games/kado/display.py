"""Public read-only properties of a batch of KADO games."""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Bool, Int8, Int16, Intp, Uint8
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.deck import NONE
from kododo_env.games.kado.actions import Moves
from kododo_env.games.kado.cards import add_up, cards_at, dealt_as
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.scoring import on_board, parted, score_columns, score_rows
from kododo_env.games.kado.state import KadoState, Phase
from kododo_env.games.kado.tables import KadoTables


class KadoDisplay(BatchGame):
    """The base class of ``KadoGame`` with read-only access to its state, in arrays (N, ...).

    Attributes:
        moves: The first action number of each kind.
    """

    rules: Rules
    moves: Moves
    _state: KadoState
    _tables: KadoTables

    # --- progress -----------------------------------------------------------------------

    @property
    def turn(self) -> int:
        """The index of the turn, from 0, the same in all games."""
        return self._state.turn

    @property
    def phase(self) -> Phase:
        """The phase of the turn: dealing, challenge or placing."""
        return self._state.phase

    @property
    def phase_step(self) -> int:
        """The number of steps already played in this phase."""
        return self._state.phase_step

    @property
    def dealer(self) -> int:
        """The dealer of this turn, the same in all games."""
        return self._state.dealer

    @property
    def challenger(self) -> int:
        """The player who may challenge now, in the challenge phase."""
        return self._state.challenger

    # --- the cards ----------------------------------------------------------------------

    @property
    def tableaus(self) -> Int8:
        """The card id in each cell of the boards, -1 if empty; shape (N, P, rows, columns)."""
        return self._games_first(on_board(self._state.tableau, self.rules).view(np.int8))

    def points_by_line(self) -> tuple[Int16, Int16]:
        """Return the points of each row and column of the boards, (N, P, rows or columns)."""
        row_points, ribbons, best = parted(self._state.sums, self.rules)
        rows = [score_rows(row_points[:, row : row + 1]) for row in range(self.rules.board_rows)]
        columns = [
            score_columns(ribbons[:, k : k + 1], best[:, k : k + 1], self.rules.num_rows)
            for k in range(self.rules.board_columns)
        ]
        return self._games_first(np.stack(rows, 1)), self._games_first(np.stack(columns, 1))

    def placing_gains(self, card: int, index: int) -> tuple[Int16, Int16]:
        """Return the points that a card would add to rows and to columns.

        Args:
            card: The id of the card.
            index: The index of the game.

        Returns:
            Two arrays (cells, P), for each cell of the board and each player. The gains are
            meaningless for cells that are not open.
        """
        rules = self.rules
        trial = self.take(np.full(rules.num_cells, index))
        cells = np.tile(np.arange(rules.num_cells), (self.num_players, 1))
        add_up(trial._state, trial._tables, cells, np.full_like(cells, card), trial._state.games)
        lines = zip(trial.points_by_line(), self.points_by_line(), strict=True)
        gains = [(after - before[index]).sum(axis=2, dtype=np.int16) for after, before in lines]
        return gains[0], gains[1]

    @property
    def open_cells(self) -> Bool:
        """The possible cells for each player's next card; shape (N, P, rows, columns)."""
        return self._games_first(on_board(self._state.open, self.rules))

    @property
    def held(self) -> Int8:
        """The card in front of each player this turn, -1 if none; shape (N, P)."""
        return self._games_first(self._held().view(np.int8))

    def held_as_seen_by(self, player: int) -> Int8:
        """Return ``held`` with -1 also for cards that the player has not seen; shape (N, P)."""
        player = self._seat(player)
        visible = self._state.public | (player == self.dealer)
        if self._state.phase == Phase.PLACING:
            visible[player] = True
        return self._games_first(np.where(visible, self._held(), np.uint8(NONE)).view(np.int8))

    def _held(self) -> Uint8:
        return cards_at(self._state, self._state.held[:-1], self._state.games)

    @property
    def offered(self) -> Int8:
        """The card that the dealer has to give, -1 if none; shape (N,)."""
        state = self._state
        if state.phase == Phase.DEALING and not state.is_over(self.rules):
            return self._games_first(cards_at(state, state.drawn, state.games).view(np.int8))
        return self._games_first(np.full(self.num_envs, -1, np.int8))

    @property
    def dealt_as(self) -> Uint8:
        """The position, from 1, of each player's card in this turn's deal, or 0; shape (N, P)."""
        return self._games_first(dealt_as(self._state)[:-1])

    @property
    def put_aside(self) -> Uint8:
        """The position, from 1, of the card put aside in this turn's deal, or 0; shape (N,)."""
        return self._games_first(dealt_as(self._state)[-1])

    @property
    def draw_pile_sizes(self) -> Intp:
        """The number of cards in the draw pile, including the card offered now; shape (N,)."""
        return self._games_first(self.rules.num_cards - self._state.drawn)

    # --- the challenges -----------------------------------------------------------------

    @property
    def ruled_out_gifts(self) -> Bool:
        """Gifts excluded for the dealer's card by wrong guesses of this turn; shape (N, G)."""
        return self._games_first(self._state.ruled_out[: self.rules.num_gifts])

    @property
    def ruled_out_ribbons(self) -> Bool:
        """Ribbons excluded for the dealer's card by wrong guesses of this turn; shape (N, B)."""
        return self._games_first(self._state.ruled_out[self.rules.num_gifts :])

    @property
    def swapped(self) -> Bool:
        """Whether a challenge of this turn was won, shape (N,)."""
        return self._games_first(self._state.public[self.dealer])

    @property
    def perfects(self) -> Uint8:
        """The number of perfects so far, shape (N, P)."""
        return self._games_first(self._state.perfects)
