"""A folder of records: one file for each episode of an environment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex

import numpy.typing as npt

from kododo_env.checks.numbers import quote
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.header import printable
from kododo_env.records.recorder import Recorder
from kododo_env.system.files import check_file


class EpisodeRecords:
    """Writes a record of each episode that is played to its end.

    Files are named ``episode-000001-....jsonl``, by the number of the episode and a random part, so
    that several environments can share the folder.

    Args:
        folder: The folder, which is created if it does not exist.
        players: A name for each seat.

    Attributes:
        players: The names in the records of future episodes.

    Raises:
        ValueError: The folder cannot be created or written to.
    """

    def __init__(self, folder: Path | str, players: Sequence[str]) -> None:
        try:
            self._folder = Path(folder)
            self._folder.mkdir(parents=True, exist_ok=True)
        except (OSError, TypeError, ValueError) as error:  # ValueError: a null byte in the name
            raise ValueError(f"cannot write records in {quote(folder)}: not a folder") from error
        check_file(self._folder / "record.jsonl")
        self.players = players
        self._episodes = 0
        self._recorder: Recorder | None = None

    def begin(self, game: BatchGame) -> None:
        """Begin the record of an episode; ``game`` is a batch of one game that was just dealt."""
        self._recorder = Recorder(game, players=[*map(printable, self.players)])
        self._episodes += 1

    def step(self, game: BatchGame, actions: npt.ArrayLike) -> None:
        """Record the joint action (P,) that was just played; write the file if the game is over.

        Raises:
            ValueError: An action is illegal, or a step was not recorded.
            OSError: The file cannot be written.
        """
        if self._recorder is None:
            return
        self._recorder.step(actions)
        if game.terminated[0]:
            name = f"episode-{self._episodes:06}-{token_hex(4)}.jsonl"
            self._recorder.write(self._folder / name)
