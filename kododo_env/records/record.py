"""Reading records: parsing text into a header and the lines of the steps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kododo_env.records.header import Header
from kododo_env.records.lines import at_line, parse_object, where
from kododo_env.system.files import read_text

LARGEST_RECORD = 1 << 26  # bytes; a usual record has a few thousand bytes


@dataclass(frozen=True)
class Record:
    """The content of a record; ``replay`` checks it against the rules.

    Attributes:
        header: The first line.
        lines: The fields of each further line, one line per step.
        source: The path of the file, for messages; empty without a file.
    """

    header: Header
    lines: tuple[dict[str, Any], ...]
    source: str = ""

    @property
    def players(self) -> list[str]:
        """The name of the player in each seat."""
        return list(self.header.players)


def read_record(path: Path | str) -> Record:
    """Read a record from a file.

    Raises:
        ValueError: The file cannot be read, is not a record, or is truncated; the message contains
            the line number.
    """
    text = read_text(Path(path), LARGEST_RECORD, f"record {path}")
    return parse_record(text, str(path))


def parse_record(text: str, source: str = "") -> Record:
    """Read a record from its text.

    Args:
        text: The record as JSON Lines.
        source: The path of the file, for messages.

    Raises:
        ValueError: The text is not a record, or is truncated; the message contains the line number.
    """
    lines = text.split("\n")
    if not lines[-1]:  # after the final line break
        lines.pop()
    if not lines:
        raise ValueError(f"{where(source, 1)}: the record is empty")
    contents = []
    for number, line in enumerate(lines, 1):
        with at_line(source, number):
            contents.append(parse_object(line))
    with at_line(source, 1):
        header = Header.from_json(contents[0])
    return Record(header, tuple(contents[1:]), source)
