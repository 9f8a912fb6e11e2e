"""A table over standard input and output: a program takes a seat, one JSON message a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from kododo_env.bots.messages import Message, to_json
from kododo_env.play.table import Table


def play_lines(table: Table, lines: Iterable[bytes], out: TextIO) -> None:
    """Let the program that writes the lines play until it writes no more.

    The first line out is the position; a line in is answered by one or more. A line that
    cannot be read, or is not legal, is answered with an error; the next one is another chance.

    Args:
        table: With one person.
        lines: Messages, one a line; empty lines are skipped.
        out: Where the answers go, one a line.

    Raises:
        ValueError: The table has several people, or an agent cannot play.
    """
    seat = only_person(table)
    _say(table.talk(seat, {"type": "look"})[seat], out)
    for line in lines:
        if line.strip():
            _say(table.talk(seat, line)[seat], out)


def only_person(table: Table) -> int:
    """The seat of a table's one person; ValueError if there are several."""
    if len(table.people) > 1:
        raise ValueError("in a terminal and over stdin one person plays: leave --people at 1")
    return table.people[0]


def _say(messages: list[Message], out: TextIO) -> None:
    for message in messages:
        out.write(to_json(message) + "\n")
    out.flush()
