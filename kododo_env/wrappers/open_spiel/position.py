"""Immutable positions of a game, and logs of all that each player has seen and done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View, own_facts

Shown = Mapping[str, str]
LEGAL = "legal"


@dataclass(frozen=True)
class Log:
    """All that a player has seen and done since the deal.

    Attributes:
        text: The whole log; two games have equal texts if and only if the player cannot distinguish
            them.
        last: The information that the player was shown last, by name.
    """

    text: str
    last: Shown

    @classmethod
    def start(cls, player: int, pieces: Shown) -> Self:
        """Return the log after the deal."""
        return cls(f"player {player}\n{_listed(pieces)}", pieces)

    def with_step(self, action: int, pieces: Shown) -> Self:
        """Return the log with one more step: the player's own action, and what has changed."""
        news = {name: text for name, text in pieces.items() if self.last[name] != text}
        return type(self)(f"{self.text}\nplayed {action}\n{_listed(news)}", pieces)


def _listed(pieces: Shown) -> str:
    return "\n".join(f"{name} {text}" for name, text in pieces.items())


def shown_by(view: View) -> Iterator[Shown]:
    """Yield for each game what a view shows: observation, legal actions and ``own_facts``."""
    arrays = dict(view.pieces)
    arrays |= {f"view.{name}": fact for name, fact in own_facts(view).items()}
    arrays[LEGAL] = view.legal_action_mask.astype(np.uint8)
    for index in range(view.num_envs):
        yield {name: _numbers(array, index) for name, array in arrays.items()}


def _numbers(array: Any, index: int) -> str:
    """Return the numbers of one game; a scalar is the same for all games."""
    numbers = array[index] if isinstance(array, np.ndarray) else array
    return ",".join(map(str, np.ravel(numbers).tolist()))


class Position:
    """A position of one game; it never changes, so that copies of a state can share it.

    Args:
        game: A batch of one game, which is never stepped.
        before: The position before the last step; None directly after the deal.
        actions: The actions of all players in the last step.

    Attributes:
        terminated: Whether the game is over.
        legal: The legal actions of each player, in ascending order.
    """

    def __init__(
        self, game: BatchGame, before: Position | None = None, actions: tuple[int, ...] = ()
    ) -> None:
        self.game = game
        self.before = before
        self.actions = actions
        self.terminated = bool(game.terminated[0])
        self.legal = [np.flatnonzero(row).tolist() for row in game.legal_action_mask()[0]]
        self._logs: dict[int, Log] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def after(self, actions: tuple[int, ...]) -> Position:
        """Return the position after one more step."""
        game = self.game.clone()
        game.step(np.array([actions]))
        return Position(game, self, actions)

    def pieces(self, player: int) -> Shown:
        """Return all information that the player is shown in this position, by name."""
        return next(shown_by(self.game.view(player)))

    def log(self, player: int) -> Log:
        """Return all that the player has seen and done since the deal."""
        if player not in self._logs:
            knowledge = self.pieces(player)
            if self.before is None:
                self._logs[player] = Log.start(player, knowledge)
            else:
                log = self.before.log(player)
                self._logs[player] = log.with_step(self.actions[player], knowledge)
        return self._logs[player]

    def history(self) -> str:
        """Return the steps so far as text, with all players' actions in each."""
        steps = []
        position: Position | None = self
        while position is not None and position.before is not None:
            steps.append(" ".join(map(str, position.actions)))
            position = position.before
        return ", ".join(reversed(steps))


class ResampledPosition(Position):
    """A position in which the cards that one player cannot know are sampled.

    Args:
        game: A batch of one game with the sampled cards.
        player: The player.
        log: The player's log in the real game; None if it is incomplete.
    """

    def __init__(self, game: BatchGame, player: int, log: Log | None) -> None:
        super().__init__(game)
        self._player = player
        if log is not None:
            self._logs[player] = log

    def log(self, player: int) -> Log:
        """Return all that the player has seen and done since the deal.

        Raises:
            ValueError: The player's log is incomplete.
        """
        if player == self._player and player not in self._logs:
            raise ValueError(
                f"player {player} did not choose in every step since the deal, so there is no "
                "information state; use a bot that does not need one"
            )
        return super().log(player)
