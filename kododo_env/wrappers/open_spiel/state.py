"""The OpenSpiel state of a game: chance nodes for the deal, then simultaneous moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from kododo_env.wrappers.open_spiel.position import Position

if TYPE_CHECKING:
    from kododo_env.wrappers.open_spiel.game import SpielGame


class SpielState(pyspiel.State):
    """The OpenSpiel state of one game; a player with nothing to decide has one legal action.

    It has the methods that OpenSpiel requires of a Python game. Its attributes are replaced, never
    changed in place, so that copies of a state can share them.
    """

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._dealt: tuple[int, ...] = ()
        self._position: Position | None = game.root

    @property
    def position(self) -> Position:
        """The current position.

        Raises:
            ValueError: The game has not been dealt.
        """
        if self._position is None:
            raise ValueError("the game has not been dealt")
        return self._position

    def current_player(self) -> int:
        """Return the ``PlayerId`` of chance, simultaneous moves or a terminal state."""
        if self._position is None:
            return int(pyspiel.PlayerId.CHANCE)
        over = self._position.terminated
        return int(pyspiel.PlayerId.TERMINAL if over else pyspiel.PlayerId.SIMULTANEOUS)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._position is not None and self._position.terminated

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return pairs of a chance outcome and its probability."""
        return self.get_game().dealer.outcomes

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal[player]

    def _apply_action(self, action: int) -> None:
        game = self.get_game()
        self._dealt = (*self._dealt, int(action))
        if len(self._dealt) == game.dealer.nodes:
            self._position = game.deal(self._dealt)

    def _apply_actions(self, actions: list[int]) -> None:
        self._position = self.get_game().play(self.position, tuple(map(int, actions)))

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game()
        if player == pyspiel.PlayerId.CHANCE:
            return str(game.dealer.describe(action))
        return f"{action}: {game.batch.actions.describe(action)}"

    def returns(self) -> list[float]:
        """Return the returns of each player so far."""
        return self.get_game().returns_at(self._position)

    def rewards(self) -> list[float]:
        """Return the rewards of each player in the last step."""
        before = None if self._position is None else self._position.before
        earned = np.subtract(self.returns(), self.get_game().returns_at(before))
        return earned.tolist()

    def __str__(self) -> str:
        dealt = "dealt " + " ".join(map(str, self._dealt))
        return dealt if self._position is None else f"{dealt}; {self._position.history()}"


class SpielObserver:
    """An observer of what a player sees; with perfect recall, of all they have seen and done.

    Args:
        perfect_recall: Whether ``string_from`` returns the whole log.
        game: A batch of the game.

    Attributes:
        tensor: The current observation, float32, shape (F,), also with perfect recall.
        dict: ``tensor`` by its name, ``"observation"``.
    """

    def __init__(self, perfect_recall: bool, game: Any) -> None:
        self._perfect_recall = perfect_recall
        self.tensor = np.zeros(game.layout.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the player's current observation into ``tensor``; 0 before the deal."""
        if state._position is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = state._position.game.view(player).observation[0]

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the observation as text; with perfect recall, the log since the deal."""
        if state._position is None:
            return f"player {player}"
        if self._perfect_recall:
            return state._position.log(player).text
        pieces = state._position.pieces(player)
        return "\n".join((f"player {player}", *(f"{name} {text}" for name, text in pieces.items())))
