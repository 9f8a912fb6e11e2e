"""A table inside a web page: the Python part of the static page's web worker."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

from kododo_env.bots.messages import MOST_EXACT, to_json
from kododo_env.core.numbers import whole_number
from kododo_env.rules_arguments import make_game, parse_rules
from kododo_env.table.factory import make_table
from kododo_env.table.saved_table import SavedTable
from kododo_env.table.table import Replies

LOOK = '{"type": "look"}'
WORK = 3000  # ``Table.work``, since policies are slow in Pyodide


def policy_of(game: str, players: int) -> str:
    """Return the name of the shipped policy that a page fetches for a table.

    Raises:
        ValueError: The game does not exist, or does not allow this number of players.
    """
    make_game(game, 1, players, {})
    return f"{game}-{players}p"


class WorkerTable:
    """A table for people who share one device; a reloaded page resumes its game.

    Several people pass the device on. The page gets messages for the person who has it, then a
    message of type ``handover``, and sends a message of type ``sit`` when the next person has it.

    Args:
        game: The game's name.
        players: The number of seats.
        opponents: The names of the agents; see ``make_table``.
        saved_game: A text of ``saved_game`` from a table with the same arguments. None, or an
            unusable text, starts a new game.
        people: The number of people.
        seat: The seat of the first person.
        rotate: Whether all players move to the next seat before other cards are dealt.
        names: The people's names.
        rules: Further rules, such as ``variant=long``.
        seed: The seed of a new game; None draws a random seed.
        lesson: Whether a new game begins with the first lesson.
        by_link: Whether a link led to the page, rather than a reload. Then ``seed`` and ``lesson``
            take effect even if another game is saved.

    Raises:
        ValueError: The arguments do not make a table (see ``make_table``), or the game has no
            lesson.
    """

    def __init__(
        self,
        game: str,
        players: int,
        opponents: Sequence[str] = (),
        saved_game: str | None = None,
        people: int = 1,
        seat: int = 0,
        rotate: bool = False,
        names: Sequence[str] = (),
        rules: Sequence[str] = (),
        seed: int | None = None,
        lesson: bool = False,
        by_link: bool = False,
    ) -> None:
        def make_kept_table() -> SavedTable:
            table = make_table(
                game,
                players,
                opponents,
                people,
                parse_rules(rules),
                seat=seat,
                rotate=rotate,
                names=names,
            )
            table.work = WORK
            return SavedTable(table)

        # The person who has the device; with several people None until one sends "sit".
        self._person = seat if people == 1 else None
        goes_on = False
        if saved_game is not None:
            with suppress(ValueError):  # the text may be damaged, or of another version
                self._table = make_kept_table()
                self._table.go_on(saved_game)
                another = seed is not None and seed != self._table.table.seed
                goes_on = not (by_link and another)
        if not goes_on:
            self._table = make_kept_table()
            if seed is not None:
                self._table.table.deal(whole_number(seed, "seed", 0, MOST_EXACT))
        if lesson and (by_link or not goes_on):
            self.hear(to_json({"type": "lesson", "step": self._table.step}))

    def hear(self, text: str) -> list[str]:
        """Return the table's responses to a message, each as JSON; see ``Table.hear``."""
        message = json.loads(text)
        people = self._table.people
        if message.get("type") == "sit" and message.get("person") in people:
            self._person = message["person"]
            text = LOOK
        if self._person is None:
            return self._handover()
        first = self._table.table.first
        replies = self._table.hear(self._person, text)
        if message["type"] == "new":  # the person who has the device asks for all people
            for person in people:
                if self._table.table.first == first:
                    replies = self._table.hear(person, text)
        return self._lines(replies)

    def play_on(self) -> list[str]:
        """Play a step if no person has to choose, and return its messages; see ``Table``."""
        replies = self._table.play_on()
        return self._lines(replies) if replies else []

    def saved_game(self) -> str:
        """Return all that is needed to resume this game, as text."""
        return self._table.saved_game()

    def _lines(self, replies: Replies) -> list[str]:
        messages = replies.get(self._table.people[0] if self._person is None else self._person, [])
        return [*map(to_json, messages), *self._handover()]

    def _handover(self) -> list[str]:
        """Return a message that names the next person, if the current one has nothing to do."""
        table = self._table.table
        waits = tuple(
            person for person in table.people if table.seat_of(person) in table.waiting_for
        )
        if self._person is not None and (table.over or not waits or self._person in waits):
            return []
        person = (waits or table.people)[0]
        called = table.display_name(table.seat_of(person))
        message = {"type": "handover", "step": table.step, "person": person, "called": called}
        return [to_json(message)]
