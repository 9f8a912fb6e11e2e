"""A table inside a web page: the Python part of the static page's web worker."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from kododo_env.bots.messages import MOST_EXACT, to_json
from kododo_env.checks.numbers import whole_number
from kododo_env.rules_arguments import parse_rules
from kododo_env.table.factory import make_table
from kododo_env.table.saved_game import resume, saved_game
from kododo_env.table.table import Replies, Table

LOOK = '{"type": "look"}'
WORK = 3000  # ``Table.work``, since policies are slow in Pyodide


class SharedDevice:
    """A device at which people share a table; a reloaded page resumes its game.

    Several people pass the device on. The page gets messages for the person who has it, then a
    message of type ``handover``, and sends a message of type ``sit`` when the next person has it.

    Args:
        game: The game's name.
        players: The number of seats.
        opponents: The names of the agents; see ``make_table``.
        saved: A text of ``saved_game`` from a table with the same arguments. None, or an unusable
            text, starts a new game.
        rules: Further rules, such as ``variant=long``.
        seed: The seed of a new game; None draws a random seed.
        lesson: Whether a new game begins with the first lesson.
        by_link: Whether a link led to the page, rather than a reload. Then ``seed`` and ``lesson``
            take effect even if another game is saved.
        seats: Further arguments of ``make_table``: ``people``, ``seat``, ``rotate``, ``names``.

    Raises:
        ValueError: The arguments do not make a table (see ``make_table``), or the game has no
            lesson.
    """

    def __init__(
        self,
        game: str,
        players: int,
        opponents: Sequence[str] = (),
        saved: str | None = None,
        rules: Sequence[str] = (),
        seed: int | None = None,
        lesson: bool = False,
        by_link: bool = False,
        **seats: Any,
    ) -> None:
        def new_table() -> Table:
            table = make_table(game, players, opponents, rules=parse_rules(rules), **seats)
            table.work = WORK
            return table

        self._table = new_table()
        goes_on = False
        if saved is not None:
            with suppress(ValueError):  # the text may be damaged, or of another version
                resume(self._table, saved)
                goes_on = not (by_link and seed not in (None, self._table.game.seed))
            if not goes_on:
                self._table = new_table()
        if seed is not None and not goes_on:
            self._table.deal(whole_number(seed, "seed", 0, MOST_EXACT))
        people = self._table.people
        # The person who has the device; with several people None until one sends "sit".
        self._person = people[0] if len(people) == 1 else None
        if lesson and (by_link or not goes_on):
            self.receive(to_json({"type": "lesson", "step": self._table.step}))

    def receive(self, text: str) -> list[str]:
        """Return the table's responses to a message, each as JSON; see ``Table.hear``."""
        message = json.loads(text)
        people = self._table.people
        if message.get("type") == "sit" and message.get("person") in people:
            self._person = message["person"]
            text = LOOK
        if self._person is None:
            return self._handover()
        game = self._table.game
        replies = self._table.hear(self._person, text)
        if message["type"] == "new":  # the person who has the device asks for all people
            for person in people:
                if self._table.game is game:
                    replies = self._table.hear(person, text)
        return self._lines(replies)

    def advance(self) -> list[str] | None:
        """Return the messages of ``Table.play_on``, or None if there was nothing to do."""
        replies = self._table.play_on()
        return self._lines(replies) if replies else None

    def saved_game(self) -> str:
        """Return all that is needed to resume this game, as text."""
        return saved_game(self._table)

    def _lines(self, replies: Replies) -> list[str]:
        messages = replies.get(self._table.people[0] if self._person is None else self._person, [])
        return [*map(to_json, messages), *self._handover()]

    def _handover(self) -> list[str]:
        """Return a message that names the next person, if the current one has nothing to do."""
        table = self._table
        stage = table.stage
        people = [person for person in table.people if stage.seat_of(person) in stage.waiting_for]
        if self._person is not None and (stage.over or not people or self._person in people):
            return []
        person = (people or table.people)[0]
        called = table.name_of(person, self._person)
        message = {"type": "handover", "step": table.step, "person": person, "called": called}
        return [to_json(message)]
