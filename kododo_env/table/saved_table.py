"""A table whose game is saved as text, so that another process can resume it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from kododo_env.bots.messages import Message, read_message
from kododo_env.core.json_text import NestingError, read_json
from kododo_env.core.numbers import quote, whole_number, whole_numbers
from kododo_env.records.lines import check_keys, check_sealed, sealed
from kododo_env.table.table import Replies, Table

FIELDS = {"seed", "first", "moved", "done", "stands", "digest"}


class SavedTable:
    """A table that can be saved at any moment.

    The saved text has the seed, from which the cards follow, the messages of people, and all joint
    actions, since an agent with a time budget might choose differently when asked again.

    Args:
        table: A new table.
        write: A function that is called with the text of ``saved_game`` whenever the text has
            changed, before anybody receives a message.
    """

    def __init__(self, table: Table, write: Callable[[str], None] = lambda text: None) -> None:
        self.table = table
        self.write = write
        self._done: list[Any] = []  # in this game: (seat, message), or a joint action

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return self.table.people

    @property
    def step(self) -> int:
        """The step of the table; see ``Table``."""
        return self.table.step

    def hear(self, seat: int, message: object) -> Replies:
        """Return the table's complete response to a person's message; see ``Table.hear``."""
        *_, replies = self.hear_in_pieces(seat, message)
        return replies

    def hear_in_pieces(self, seat: int, message: object) -> Iterator[Replies]:
        """Yield the table's response to a person's message; see ``Table.hear_in_pieces``."""
        first = self.table.first
        for replies in self.table.hear_in_pieces(seat, message):
            if replies and replies[seat][0]["type"] == "position":  # the message was accepted
                self._keep(seat, read_message(message), self.table.first != first)
            yield replies

    def _keep(self, seat: int, message: Message, new_game: bool) -> None:
        """Save an accepted message, except for those that do not change the game."""
        if message["type"] in ("look", "speak"):
            return
        if new_game:
            self._done = []
        else:
            self._done.append([seat, message])
        self.write(self.saved_game())

    def play_on(self) -> Replies:
        """Play a step if no person has to choose; see ``Table.play_on``."""
        step = self.table.step
        replies = self.table.play_on()
        if self.table.step != step:
            self._done.append(self.table.joint)
            self.write(self.saved_game())
        return replies

    def saved_game(self) -> str:
        """Return all that is needed to resume this game, as text; it reveals all cards."""
        table = self.table
        content = {
            "seed": table.seed,
            "first": table.first,
            "moved": table.seat_shift,
            "done": self._done,
        }
        return json.dumps(sealed(content | {"stands": table.stands()}))

    def go_on(self, text: str) -> None:
        """Resume a saved game by repeating its messages and actions.

        Args:
            text: A text of ``saved_game``, from a table with the same arguments.

        Raises:
            ValueError: The text is damaged, or is of another table. This table must not be used
                afterwards.
        """
        content = _read(text)
        self.table.step = whole_number(content["first"], "first", 0)
        self.table.move_on(whole_number(content["moved"], "moved", 0) - self.table.seat_shift)
        self.table.deal(whole_number(content["seed"], "seed", 0))
        self._done = content["done"]
        message = (
            "the saved game is of another table or version: use the same game, players, "
            "opponents, seat and rules as when it was started"
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
    """Parse and check a text of ``saved_game``."""
    try:
        content = read_json(text)
    except NestingError as error:
        raise ValueError("the saved game is too deeply nested") from error
    except ValueError as error:
        raise ValueError("the saved game is not JSON, or is truncated") from error
    if not isinstance(content, dict):
        raise ValueError("the saved game must be a JSON object")
    check_keys(content, FIELDS)
    check_sealed(content)
    if not isinstance(content["done"], list):
        raise ValueError(f"done must be a list, not {quote(content['done'])}")
    return content
