"""Writing a record while a game is played."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.checks.numbers import whole_indices, whole_number, whole_numbers
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.legality import legal_actions
from kododo_env.records.header import Header
from kododo_env.records.lines import DIGEST, sealed
from kododo_env.records.replay import Playback
from kododo_env.system.files import write_text


class Recorder:
    """Records one game of a batch while it is played.

    During the game only the actions and cards are stored; ``text`` replays them in a batch of one
    game and adds the words.

    Args:
        game: The batch, just after the deal.
        index: The index of the game in the batch.
        players: A name for each seat; None for ``player_0`` and so on.
        date: The time at which the game began, ISO 8601; None for the current time.

    Raises:
        ValueError: ``index`` is out of range, ``players`` is not one printable name per seat, or
            ``date`` is not in ISO 8601 format.
    """

    def __init__(
        self,
        game: BatchGame,
        index: int = 0,
        players: Sequence[str] | None = None,
        date: str | None = None,
    ) -> None:
        self._game = game
        self._index = whole_number(index, "index", 0, game.num_envs - 1)
        self._decks: list[list[int]] = []
        self._played: list[list[int]] = []
        self.header = Header.of(game, self._decks, players, date)
        self._record_state()

    def step(self, actions: npt.ArrayLike) -> None:
        """Record the joint action (P,) that ``game.step`` has just played.

        Raises:
            ValueError: An action is illegal, or the shape is wrong; nothing is recorded.
        """
        game = self._game
        joint_action = whole_numbers(actions, "actions")
        legal_actions(joint_action[None], self._mask[None], game.name, game.actions.describe)
        self._played.append(joint_action.tolist())
        self._record_state()

    def back(self, game: BatchGame, steps: int) -> None:
        """Remove all steps after the first ``steps``, so that the game can continue differently.

        Args:
            game: A batch in the position after these steps, which is recorded from now on.
            steps: The number of steps to keep.
        """
        self._game = game
        del self._played[steps:], self._decks[int(game.deal_index[self._index]) + 1 :]
        self._record_state()

    def _record_state(self) -> None:
        """Keep the cards of a new deal, the legal actions and the scores."""
        game = self._game
        index = self._index
        if int(game.deal_index[index]) >= len(self._decks):
            self._decks.append(game.decks[index].tolist())
        self._mask = game.legal_action_mask()[index]  # of the next step
        self._last_state = (game.scores[index].tolist(), bool(game.terminated[index]))

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of the record: the header, then each recorded step.

        Raises:
            ValueError: A step since the deal was not recorded.
        """
        line = self.header.to_json()
        yield line
        playback = Playback(self.header.make_game())
        game = playback.game
        for actions in _steps(game, self._played):
            line = sealed(playback.play(actions), line[DIGEST])
            yield line
        if (game.scores[0].tolist(), bool(game.terminated[0])) != self._last_state:
            raise ValueError(
                "the recorder missed a step: create it right after the deal and record every step"
            )

    def text(self) -> str:
        """Return the record as JSON Lines; if the game is not over, the record is truncated.

        Raises:
            ValueError: A step since the deal was not recorded.
        """
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines())

    def write(self, path: Path | str) -> None:
        """Write the record to a file; if an error occurs, the file does not change.

        Raises:
            ValueError: A step since the deal was not recorded.
            OSError: The file cannot be written.
        """
        write_text(Path(path), self.text())


def _steps(game: BatchGame, played: Sequence[Sequence[int]]) -> Iterator[Sequence[int]]:
    """Yield the actions of a batch that are steps of a batch of one, which is not idle."""
    for actions in played:
        if game.terminated[0]:
            return  # other games of the batch continued
        waits = all(action == game.no_op for action in actions)
        if waits and not game.legal_action_mask()[0, :, game.no_op].all():
            continue  # nobody had to decide: a batch of one game skips such steps
        yield actions


def record_games(
    game: BatchGame,
    choose: Callable[[BatchGame], npt.ArrayLike],
    games: npt.ArrayLike | None = None,
    players: Sequence[str] | None = None,
    date: str | None = None,
) -> list[Recorder]:
    """Play a batch to its end and record some of its games.

    Args:
        game: A batch of N games that was just dealt.
        choose: A function that returns all players' actions in all games, (N, P); it is called
            before each step.
        games: The indices (M,) of the games to record; None for all games.
        players: A name for each seat, the same in all games; None for ``player_0`` and so on.
        date: The time at which the games began, ISO 8601; None for the current time.

    Returns:
        A recorder for each of the M games.

    Raises:
        ValueError: An index is out of range, or an action is illegal.
    """
    if games is None:
        games = np.arange(game.num_envs)
    indices = whole_indices(games, "games", game.num_envs).tolist()
    recorders = [Recorder(game, index, players, date) for index in indices]
    while not game.terminated.all():
        actions = np.asarray(choose(game))
        game.step(actions)
        for index, recorder in zip(indices, recorders, strict=True):
            recorder.step(actions[index])
    return recorders
