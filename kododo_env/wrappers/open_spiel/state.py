"""A state of a game in OpenSpiel: chance deals, then all players choose at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from kododo_env.wrappers.open_spiel.position import Position

if TYPE_CHECKING:
    from kododo_env.wrappers.open_spiel.game import SpielGame


class SpielState(pyspiel.State):
    """A game of one; a player with nothing to decide has one legal action, as everywhere here.

    The methods are those that OpenSpiel asks of a game in Python. The values that they hold never
    change in place, so that OpenSpiel's copies of a state cost nothing.
    """

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._dealt: tuple[int, ...] = ()
        self._position: Position | None = game.root

    @property
    def position(self) -> Position:
        """Where the game stands.

        Raises:
            ValueError: It has not been dealt.
        """
        if self._position is None:
            raise ValueError("the game is not dealt yet")
        return self._position

    def current_player(self) -> int:
        """Chance, everybody, or nobody any more: OpenSpiel's number for them."""
        if self._position is None:
            return int(pyspiel.PlayerId.CHANCE)
        over = self._position.terminated
        return int(pyspiel.PlayerId.TERMINAL if over else pyspiel.PlayerId.SIMULTANEOUS)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._position is not None and self._position.terminated

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of chance now, with the chances."""
        outcomes: list[tuple[int, float]] = self.get_game().dealer.outcomes
        return outcomes

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
        return f"{action}: {game.batch.describe_action(action)}"

    def returns(self) -> list[float]:
        """The gains of each player so far."""
        gains: list[float] = self.get_game().returns_at(self._position)
        return gains

    def rewards(self) -> list[float]:
        """The gains of each player by the last step."""
        before = None if self._position is None else self._position.before
        earned = np.subtract(self.returns(), self.get_game().returns_at(before))
        gains: list[float] = earned.tolist()
        return gains

    def __str__(self) -> str:
        dealt = "dealt " + " ".join(map(str, self._dealt))
        return dealt if self._position is None else f"{dealt}; {self._position.history()}"


class SpielObserver:
    """The things that a player sees now, or with perfect recall all that they have seen and done.

    The tensor always has those that they see now.
    """

    def __init__(self, perfect_recall: bool, game: Any) -> None:
        self._perfect_recall = perfect_recall
        self.tensor = np.zeros(game.layout.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the player's observation, in counts as everywhere here, into the tensor."""
        if state._position is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = state._position.game.view(player).observation[0]

    def string_from(self, state: SpielState, player: int) -> str:
        """The same in words, and with perfect recall since the deal."""
        if state._position is None:
            return f"player {player}"
        if self._perfect_recall:
            return state._position.log(player).text
        pieces = state._position.shown(player)
        return "\n".join((f"player {player}", *(f"{name} {text}" for name, text in pieces.items())))
