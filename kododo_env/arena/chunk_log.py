"""What a tournament has played so far, in a file that outlives a killed process."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from kododo_env.arena.duplicates import ChunkResult
from kododo_env.arena.pairing import Chunk
from kododo_env.core.json_text import read_json
from kododo_env.core.numbers import shown
from kododo_env.system.files import naming, read_ordinary

LARGEST_LOG = 1 << 30  # bytes; those of ten million games have about half


class ChunkLog:
    """A file of lines: first what is played, then the result of each chunk.

    A line is JSON and a digest of it and of what is played, so that no damage and no line of
    another tournament is taken for a result. Lines are appended whole; what a killed process
    left of a line is cut off. Use it in a ``with`` block, after which no file is left without
    results.

    Args:
        path: The file; None keeps the results in memory alone.
        heading: What is played, as JSON; a file of anything else is refused.
        chunks: All chunks of the tournament.
        resume: Go on with the file, if there is one; else there must be none.

    Attributes:
        results: What the file holds, by the number of the chunk.

    Raises:
        ValueError: The file is of another tournament or damaged; or there is one though
            it is not to be resumed.
    """

    def __init__(
        self, path: Path | None, heading: Mapping[str, Any], chunks: Sequence[Chunk], resume: bool
    ) -> None:
        self.path = path = path or Path(os.devnull)
        self.results: dict[int, ChunkResult] = {}
        self._heading = json.dumps(heading).encode()
        content = b""
        if path != Path(os.devnull) and path.exists():
            content = read_ordinary(path, LARGEST_LOG, str(path))
        lines = content.split(b"\n")[:-1]
        if len(lines) < 2:
            if lines:
                self._check_digest(lines[0])
            elif not _line(self._heading, self._heading).startswith(content):
                raise ValueError(f"{path} is not the log of a tournament like this: move it away")
            self._file = path.open("wb")
            return
        if not resume:
            raise ValueError(
                f"{path} holds {len(lines) - 1} of {len(chunks)} parts of a tournament that was "
                "stopped: go on with --resume, or remove the file"
            )
        self._check(lines[0])
        for number, line in enumerate(lines[1:], 2):
            self._read(line, number, chunks)
        os.truncate(path, sum(len(line) + 1 for line in lines))
        self._file = path.open("ab")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with naming(self.path):
                self._file.close()  # it writes what is left, if there is room
        finally:
            if not self.results and self.path != Path(os.devnull):
                self.path.unlink(missing_ok=True)

    def append(self, result: ChunkResult) -> None:
        """Add the result of a chunk, to the file as well."""
        content = {
            "chunk": result.chunk.index,
            "shares": result.shares.tolist(),
            "points": result.points.tolist(),
        }
        if not self.results:
            self._write(self._heading)
        self._write(json.dumps(content).encode())
        self.results[result.chunk.index] = result

    def _write(self, content: bytes) -> None:
        with naming(self.path):
            self._file.write(_line(self._heading, content))
            self._file.flush()

    def _check_digest(self, line: bytes) -> bytes:
        """The heading in a first line; ValueError if it is not the one of a log."""
        content, _, digest = line.rpartition(b" ")
        if digest != _digest(content, content):
            raise ValueError(
                f"{self.path} is not the log of a tournament, or is damaged: move it away"
            )
        return content

    def _check(self, line: bytes) -> None:
        """Raise ValueError unless the first line is this tournament's."""
        content = self._check_digest(line)
        heading = read_json(content)
        expected = json.loads(self._heading)
        for key in expected:
            if heading.get(key) != expected[key]:
                raise ValueError(
                    f"{self.path} is of another tournament: {key} {shown(heading.get(key))}, "
                    f"not {shown(expected[key])}"
                )

    def _read(self, line: bytes, number: int, chunks: Sequence[Chunk]) -> None:
        line, _, digest = line.rpartition(b" ")
        try:
            if digest != _digest(self._heading, line):
                raise ValueError("another digest")
            content = read_json(line)
            chunk = chunks[content["chunk"]]
            shares, points = (np.array(content[key], np.float64) for key in ("shares", "points"))
            if not shares.shape == points.shape == (chunk.deals, len(chunk.lineup)):
                raise ValueError("another shape")
        except (ValueError, KeyError, IndexError) as error:
            raise ValueError(f"line {number} of {self.path} is damaged; remove the file") from error
        self.results[chunk.index] = ChunkResult(chunk, shares, points)


def _line(heading: bytes, content: bytes) -> bytes:
    return content + b" " + _digest(heading, content) + b"\n"


def _digest(heading: bytes, content: bytes) -> bytes:
    return hashlib.sha256(heading + b"\n" + content).hexdigest()[:16].encode()
