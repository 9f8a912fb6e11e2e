"""A table whose game is kept as text, so that it goes on after its process has ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from kododo_env.bots.messages import Message, read_message
from kododo_env.core.json_text import TooDeep, read_json
from kododo_env.core.numbers import shown, whole_number, whole_numbers
from kododo_env.play.table import Replies, Table
from kododo_env.records.lines import check_keys, check_sealed, sealed

FIELDS = {"seed", "first", "moved", "done", "stands", "digest"}


class KeptTable:
    """A table that can be kept at any moment.

    The cards follow from the seed. Besides it, the messages of the people are kept and all that
    was played: an agent that is asked again might choose otherwise, if it thinks by the clock.

    Args:
        table: The table, just made.
        write: Is given the text of ``saved_game`` when it has changed, before anybody is told.
    """

    def __init__(self, table: Table, write: Callable[[str], None] = lambda text: None) -> None:
        self.table = table
        self.write = write
        self._done: list[Any] = []  # of this game: (seat, message), or a joint action

    @property
    def people(self) -> tuple[int, ...]:
        """The seats that people have."""
        return self.table.people

    @property
    def step(self) -> int:
        """See ``Table``."""
        return self.table.step

    def hear(self, seat: int, message: object) -> Replies:
        """The whole answer of the table to a person's message; see ``Table.hear``."""
        *_, replies = self.hear_in_pieces(seat, message)
        return replies

    def hear_in_pieces(self, seat: int, message: object) -> Iterator[Replies]:
        """The answer of the table to a person's message; see ``Table.hear_in_pieces``."""
        first = self.table.first
        for replies in self.table.hear_in_pieces(seat, message):
            if replies and replies[seat][0]["type"] == "position":  # it was a message that was done
                self._keep(seat, read_message(message), self.table.first != first)
            yield replies

    def _keep(self, seat: int, message: Message, new_game: bool) -> None:
        """Keep a message that was done, unless it has only asked for something."""
        if message["type"] in ("look", "speak"):
            return
        if new_game:
            self._done = []
        else:
            self._done.append([seat, message])
        self.write(self.saved_game())

    def play_on(self) -> Replies:
        """Play a step if nobody has to be waited for; see ``Table.play_on``."""
        step = self.table.step
        replies = self.table.play_on()
        if self.table.step != step:
            self._done.append(self.table.joint)
            self.write(self.saved_game())
        return replies

    def saved_game(self) -> str:
        """All that is needed to go on with this game, as text; it holds all cards."""
        table = self.table
        content = {
            "seed": table.seed,
            "first": table.first,
            "moved": table.seat_shift,
            "done": self._done,
        }
        return json.dumps(sealed(content | {"stands": table.stands()}))

    def go_on(self, text: str) -> None:
        """Do again all that was done when a text was kept.

        Raises:
            ValueError: The text is damaged, or of another table; the table is of no use then.
        """
        content = _read(text)
        self.table.step = whole_number(content["first"], "first", 0)
        self.table.move_on(whole_number(content["moved"], "moved", 0) - self.table.seat_shift)
        self.table.deal(whole_number(content["seed"], "seed", 0))
        self._done = content["done"]
        message = (
            "the game that was kept is of another table, or of another version: give the game, "
            "players, opponents, seat and rules with which it was begun"
        )
        try:
            for entry in self._done:
                self._repeat(entry)
        except ValueError as error:
            raise ValueError(message) from error
        if self.table.stands() != content["stands"]:
            raise ValueError(message)
        self.table.remind()

    def _repeat(self, entry: Any) -> None:
        match entry:
            case [int(seat), dict(message)]:
                answer = self.table.hear(seat, message)[seat][0]
                if answer["type"] == "error":
                    raise ValueError(answer["error"])
            case _:
                self.table.play_on(whole_numbers(entry, "joint action").tolist())


def _read(text: str) -> dict[str, Any]:
    """What a text of ``saved_game`` holds."""
    try:
        content = read_json(text)
    except TooDeep as error:
        raise ValueError("the game that was kept is too deeply nested") from error
    except ValueError as error:
        raise ValueError("the game that was kept is no JSON, or was cut short") from error
    if not isinstance(content, dict):
        raise ValueError("a game that is kept is a JSON object")
    check_keys(content, FIELDS)
    check_sealed(content)
    if not isinstance(content["done"], list):
        raise ValueError(f"done must be a list, not {shown(content['done'])}")
    return content
