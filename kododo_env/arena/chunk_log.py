"""A log file of a tournament's results, from which a stopped or killed tournament can resume."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from kododo_env.arena.match import Chunk, ChunkResult
from kododo_env.checks.numbers import quote
from kododo_env.system.digests import digest
from kododo_env.system.files import naming, read_ordinary
from kododo_env.system.json_text import parse_json

LARGEST_LOG = 1 << 30  # bytes; the log of ten million games has about half of it


class ChunkLog:
    """A log of lines: a heading, then the result of each chunk; a context manager.

    A line is JSON followed by a digest of the heading and the JSON, by which damaged lines and
    lines of other tournaments are detected. If a killed process left an incomplete line, the line
    is removed. A file without results is removed at the end of the block.

    Args:
        path: The file; None keeps the results in memory only.
        heading: A description of the tournament, in JSON types; a file with another heading is
            rejected.
        chunks: All chunks of the tournament.
        resume: Whether to continue a file with results; without it such a file is an error.

    Attributes:
        results: The results in the file, by the index of the chunk.

    Raises:
        ValueError: The file is damaged or of another tournament, or has results and ``resume`` is
            False.
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
                raise ValueError(
                    f"expected a log of this tournament in {path}: rename or remove the file"
                )
            self._file = path.open("wb")
            return
        if not resume:
            raise ValueError(
                f"{path} has the results of {len(lines) - 1} of {len(chunks)} parts of a stopped "
                "tournament: continue with --resume, or remove the file"
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
                self._file.close()  # which writes the rest
        finally:
            if not self.results and self.path != Path(os.devnull):
                self.path.unlink(missing_ok=True)

    def append(self, result: ChunkResult) -> None:
        """Add the result of a chunk to the results and to the file."""
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
        """Return the heading in a first line; raise ValueError if its digest is wrong."""
        content, _, line_digest = line.rpartition(b" ")
        if line_digest != _digest(content, content):
            raise ValueError(
                f"{self.path} is damaged or not a log of a tournament: rename or remove the file"
            )
        return content

    def _check(self, line: bytes) -> None:
        """Raise ValueError unless the first line is the heading of this tournament."""
        content = self._check_digest(line)
        heading = parse_json(content)
        expected = json.loads(self._heading)
        for key in expected:
            if heading.get(key) != expected[key]:
                raise ValueError(
                    f"{self.path} is of another tournament: {key} must be {quote(expected[key])}, "
                    f"got {quote(heading.get(key))}"
                )

    def _read(self, line: bytes, number: int, chunks: Sequence[Chunk]) -> None:
        line, _, line_digest = line.rpartition(b" ")
        try:
            if line_digest != _digest(self._heading, line):
                raise ValueError("wrong digest")
            content = parse_json(line)
            chunk = chunks[content["chunk"]]
            shares, points = (np.array(content[key], np.float64) for key in ("shares", "points"))
            if not shares.shape == points.shape == (chunk.deals, len(chunk.lineup)):
                raise ValueError("wrong shape")
        except (ValueError, KeyError, IndexError) as error:
            raise ValueError(f"line {number} of {self.path} is damaged; remove the file") from error
        self.results[chunk.index] = ChunkResult(chunk, shares, points)


def _line(heading: bytes, content: bytes) -> bytes:
    return content + b" " + _digest(heading, content) + b"\n"


def _digest(heading: bytes, content: bytes) -> bytes:
    return digest(heading + b"\n" + content, 16).encode()
