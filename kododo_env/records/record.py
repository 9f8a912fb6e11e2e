"""A record as it is read: text into the header and the steps, each known by its line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kododo_env.core.json_text import read_json
from kododo_env.core.numbers import shown
from kododo_env.records.header import Header
from kododo_env.records.lines import at_line, sealed, where
from kododo_env.system.files import read_ordinary

LARGEST_RECORD = 1 << 26  # bytes of a file; the record of a game has some thousands


@dataclass(frozen=True)
class Step:
    """One joint action and its results, as a line of the record says them.

    Attributes:
        step: Its number, from 1.
        actions: The joint action, a number for each player.
        words: The same in words.
        points: The points of each player by it.
        scores: Everybody's points so far.
        outcome: In the last step: each player's share of the victory.
    """

    step: int
    actions: list[int]
    words: list[str]
    points: list[int]
    scores: list[int]
    outcome: list[float] | None = None

    def to_json(self, before: str) -> dict[str, Any]:
        """The line that follows on one with a certain digest."""
        content = {name: value for name, value in vars(self).items() if value is not None}
        return sealed(content, before)


@dataclass(frozen=True)
class Record:
    """The content of a record; whether it is true is found by ``replay``.

    Attributes:
        header: The first line.
        lines: The fields of each of the other lines.
        source: The file it is from, for messages; empty if it is from none.
    """

    header: Header
    lines: tuple[dict[str, Any], ...]
    source: str = ""

    @property
    def players(self) -> list[str]:
        """A name for each seat."""
        return list(self.header.players)


def read_record(path: Path | str) -> Record:
    """Read a record from a file.

    Raises:
        ValueError: It cannot be read, is no record, or was cut short; the message names the line.
    """
    try:
        text = read_ordinary(Path(path), LARGEST_RECORD, f"record {path}").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a record of a game: no UTF-8 text") from error
    return parse_record(text, str(path))


def parse_record(text: str, source: str = "") -> Record:
    """Read a record from its text.

    Args:
        text: JSON Lines.
        source: Where it is from, for messages.

    Raises:
        ValueError: It is no record, or one that was cut short; the message names the line.
    """
    lines = text.split("\n")
    if not lines[-1]:  # behind the last line's end
        lines.pop()
    if not lines:
        raise ValueError(f"{where(source, 1)}: the record is empty")
    contents = []
    for number, line in enumerate(lines, 1):
        with at_line(source, number):
            contents.append(_object(line))
    with at_line(source, 1):
        header = Header.from_json(contents[0])
    return Record(header, tuple(contents[1:]), source)


def _object(line: str) -> dict[str, Any]:
    try:
        content = read_json(line, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON, or cut short: {shown(line)}") from error
    if not isinstance(content, dict):
        raise ValueError(f"a line of a record is a JSON object, not {shown(line)}")
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object each of whose names comes once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice in a JSON object")
    return found
