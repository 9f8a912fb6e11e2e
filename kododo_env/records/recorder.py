"""Writing a record while a game is played."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.legality import legal_in_one
from kododo_env.core.numbers import whole_indices, whole_number, whole_numbers
from kododo_env.records.header import Header
from kododo_env.records.lines import DIGEST
from kododo_env.records.record import Step
from kododo_env.records.replay import play_step
from kododo_env.system.files import write_text


class Recorder:
    """Notes one game of a batch as it is played.

    While it is played only numbers are kept; ``text`` plays them again, in a batch of one, and
    puts them in words.

    Args:
        game: The batch, just after the deal.
        index: Which of its games.
        players: A name for each seat; None calls them ``player_0`` and so on.
        date: When the game began, ISO 8601; None takes the time that it is.

    Raises:
        ValueError: There is no such game, not one name for each seat, or no such date.
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
        self._note()

    def step(self, actions: npt.ArrayLike) -> None:
        """Note the joint action (P,) that ``game.step`` has just played.

        Raises:
            ValueError: Such actions cannot have been played; nothing is noted.
        """
        given, shape = whole_numbers(actions, "actions"), self._mask.shape[:1]
        if given.shape != shape:
            raise ValueError(f"actions must be {shape}, not {given.shape}")
        played = given.tolist()
        if not legal_in_one(played, self._mask):
            raise ValueError(
                f"a recorder is told the actions that were played; {played} were not legal"
            )
        self._played.append(played)
        self._note()

    def back(self, game: BatchGame, steps: int) -> None:
        """Forget all but the first steps: the record goes on from there another way.

        Args:
            game: Stands as it did after them, and is the one to be stepped from now on.
            steps: How many are kept.
        """
        self._game = game
        del self._played[steps:], self._decks[int(game.deal_index[self._index]) + 1 :]
        self._note()

    def _note(self) -> None:
        """Keep things beyond the core: the cards of each deal, and how the game stands."""
        game, index = self._game, self._index
        if int(game.deal_index[index]) >= len(self._decks):
            self._decks.append(game.decks[index].tolist())
        self._mask = game.legal_action_mask()[index]  # of the step to come
        self._stands = (game.scores[index].tolist(), bool(game.terminated[index]))

    def lines(self) -> Iterator[dict[str, Any]]:
        """The record line by line: the header, then each step so far.

        Raises:
            ValueError: The actions noted are not the game's from its deal on.
        """
        line = self.header.to_json()
        yield line
        game = self.header.make_game()
        for step in _steps(game, self._played):
            line = step.to_json(line[DIGEST])
            yield line
        if (game.scores[0].tolist(), bool(game.terminated[0])) != self._stands:
            raise ValueError(
                "a recorder is made just after the deal and told of every step: this one was not"
            )

    def text(self) -> str:
        """The record as JSON Lines; of a game that is not over a record that is cut short.

        Raises:
            ValueError: The actions noted are not the game's from its deal on.
        """
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines())

    def write(self, path: Path | str) -> None:
        """Write the record to a file, whole or not at all.

        Raises:
            ValueError: The actions noted are not the game's from its deal on.
            OSError: The file cannot be written.
        """
        write_text(Path(path), self.text())


def _steps(game: BatchGame, played: Sequence[Sequence[int]]) -> Iterator[Step]:
    """Play the actions of a batch again in a batch of one, which has no idle steps."""
    number = 0
    for actions in played:
        if game.terminated[0]:
            return  # the batch went on
        waits = all(action == game.no_op for action in actions)
        if waits and not game.legal_action_mask()[0, :, game.no_op].all():
            continue  # nobody had to decide, which a batch of one has passed already
        number += 1
        yield play_step(game, number, actions)


def record_games(
    game: BatchGame,
    choose: Callable[[BatchGame], npt.ArrayLike],
    games: npt.ArrayLike | None = None,
    players: Sequence[str] | None = None,
    date: str | None = None,
) -> list[Recorder]:
    """Play a batch to its end and note some of its games.

    Args:
        game: N games, just dealt; they are over afterwards.
        choose: Everybody's actions in all games, (N, P), asked before each step.
        games: Which games to note, indices (M,); None notes all.
        players: A name for each seat, the same in all games.
        date: When they began, ISO 8601; None takes the time that it is.

    Returns:
        A recorder for each of the M games.

    Raises:
        ValueError: There are no such games, or a choice is not legal.
    """
    wanted = np.arange(game.num_envs) if games is None else games
    indices = whole_indices(wanted, "games", game.num_envs).tolist()
    recorders = [Recorder(game, index, players, date) for index in indices]
    while not game.terminated.all():
        actions = np.asarray(choose(game))
        game.step(actions)
        for index, recorder in zip(indices, recorders, strict=True):
            recorder.step(actions[index])
    return recorders
