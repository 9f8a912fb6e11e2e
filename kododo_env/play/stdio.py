"""A table over stdin and stdout: a program plays one seat, with one JSON message per line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from kododo_env.bots.messages import Message, to_json
from kododo_env.table.table import Table


def play_lines(table: Table, lines: Iterable[bytes], out: TextIO) -> None:
    """Play one seat by messages until the input ends.

    The first line of output is the position. Each line of input gets one or more lines of output. A
    malformed or illegal message gets an error and changes nothing.

    Args:
        table: A table with one person.
        lines: JSON messages, one per line; empty lines are skipped.
        out: The stream to which responses are written, one per line.

    Raises:
        ValueError: The table has several people, or an agent fails or chooses an illegal action.
    """
    seat = only_person(table)
    _say(table.talk(seat, {"type": "look"})[seat], out)
    for line in lines:
        if line.strip():
            _say(table.talk(seat, line)[seat], out)


def only_person(table: Table) -> int:
    """Return the only one of a table's ``people``.

    Raises:
        ValueError: The table has several people.
    """
    if len(table.people) > 1:
        raise ValueError("in a terminal and over stdin only one person can play: use --people 1")
    return table.people[0]


def _say(messages: list[Message], out: TextIO) -> None:
    for message in messages:
        out.write(to_json(message) + "\n")
    out.flush()
