"""Saving records of games, or all decisions, of a tournament: ``kododo evaluate --record``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kododo_env.arena.match import Chunk, ChunkResult
from kododo_env.arena.tournament import Tournament
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.decision_file import DecisionFile
from kododo_env.records.decisions import DecisionLog
from kododo_env.records.header import LONGEST_NAME, printable
from kododo_env.records.recorder import Recorder
from kododo_env.system.files import RANDOM, write_text
from kododo_env.system.folders import filled_folder
from kododo_env.system.reservation import reserved

PARQUET = (".parquet",)
RECORD = ".jsonl"
Keep = Callable[[ChunkResult], AbstractContextManager[None]]
"""A function whose context manager saves the records of a chunk's result if the block succeeds."""


def is_parquet(path: Path) -> bool:
    """Return whether a path is a Parquet file, by its ending, rather than a folder of records."""
    return path.suffix.lower() in PARQUET


@contextmanager
def recorded(
    tournament: Tournament, path: Path, games: int, resume: bool
) -> Iterator[tuple[Tournament, Keep]]:
    """Yield a copy of a tournament that records its games, and a function that saves the records.

    Args:
        tournament: The tournament to play.
        path: A folder of records, or a file of decisions that ends with ``.parquet``, which is
            created at the end of the block.
        games: The maximum number of games to record in a folder.
        resume: Whether the folder may already contain records.

    Raises:
        ImportError: ``path`` is a file of decisions, and pyarrow is missing.
        OSError: The file of decisions cannot be written.
        ValueError: The folder cannot be written or already contains records, or two agents would
            have the same name in the records.
    """
    names = tuple(map(printable, tournament.agents))
    if len(set(names)) < len(names):
        raise ValueError(
            "two agents would have the same name in the records, which contain only the first "
            f"{LONGEST_NAME} characters: use shorter paths"
        )
    if is_parquet(path):
        with DecisionFile(path, tournament.make_game(1)) as file:
            yield replace(tournament, recording=log_decisions), partial(keep_decisions, file, names)
        return
    with filled_folder(path), reserved(path, [path / f"table{RECORD}"]):
        for leftover in path.glob(f".*{RECORD}.{RANDOM}{RECORD}"):  # from killed processes
            leftover.unlink(missing_ok=True)
        if not resume and any(path.glob(f"*{RECORD}")):
            raise ValueError(
                f"{path} already contains records: choose another folder or remove them"
            )
        date = datetime.now(UTC).isoformat(timespec="seconds")
        recording = partial(record_sample, names, games, len(tournament.chunks()), date)
        yield replace(tournament, recording=recording), partial(keep_records, path)


@contextmanager
def keep_records(folder: Path, result: ChunkResult) -> Iterator[None]:
    """Write each record of a chunk's result to a file; remove the files if the block fails."""
    records = {folder / name: text for texts in result.recorded for name, text in texts}
    try:
        for path, text in records.items():
            write_text(path, text)
        yield
    except BaseException:  # the chunk will be played again, perhaps with another folder
        for path in records:
            path.unlink(missing_ok=True)
        raise


@contextmanager
def keep_decisions(
    file: DecisionFile, names: tuple[str, ...], result: ChunkResult
) -> Iterator[None]:
    """Write the decisions of a chunk's result to a file, before the block."""
    for rotation, decisions in enumerate(result.recorded):
        file.write(decisions, seated(names, result.chunk, rotation))
    yield


def seated(names: tuple[str, ...], chunk: Chunk, rotation: int) -> list[str]:
    """Return the name of the agent in each seat, for a chunk's lineup rotated by some seats."""
    places = len(chunk.lineup)
    return [names[chunk.lineup[(seat + rotation) % places]] for seat in range(places)]


def record_sample(
    names: tuple[str, ...],
    games: int,
    chunks: int,
    date: str,
    chunk: Chunk,
    rotation: int,
    game: BatchGame,
) -> _Games:
    """Return a watcher of the first games of a batch, so that a tournament's records are a sample.

    The recorded games are spread evenly over the chunks. The first deals of each chunk are recorded
    in all rotations. The last deal to be recorded may be recorded in only some rotations.

    Args:
        names: The names of all agents.
        games: The number of games to record in all chunks.
        chunks: The number of chunks.
        date: The time at which the tournament began, ISO 8601.
        chunk: The chunk that is played.
        rotation: The number of seats by which the chunk's lineup is rotated.
        game: The batch.
    """
    last, rotations = divmod(games - 1, len(chunk.lineup))
    share = (last + chunks - chunk.index) // chunks
    if chunk.index == last % chunks and rotation > rotations:
        share -= 1
    players = seated(names, chunk, rotation)
    return _Games(
        {
            f"table-{chunk.index:04}-deal-{deal:03}-rotation-{rotation}{RECORD}": Recorder(
                game, deal, players, date
            )
            for deal in range(min(share, chunk.deals))
        }
    )


class _Games:
    """The recorders of the first games of a batch, by the names of their files."""

    def __init__(self, recorders: dict[str, Recorder]) -> None:
        self._recorders = recorders

    def step(self, actions: npt.ArrayLike) -> None:
        for recorder, played in zip(self._recorders.values(), np.asarray(actions), strict=False):
            recorder.step(played)

    def end(self) -> list[tuple[str, str]]:
        return [(name, recorder.text()) for name, recorder in self._recorders.items()]


def log_decisions(chunk: Chunk, rotation: int, game: BatchGame) -> DecisionLog:
    """Return a log of all decisions of a batch; see ``Recording``."""
    return DecisionLog(game)
