"""A table inside a page: the part of the static page's web worker in Python."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

from kododo_env.bots.messages import MOST_EXACT, to_json
from kododo_env.core.numbers import whole_number
from kododo_env.play.kept import KeptTable
from kododo_env.play.seating import make_table
from kododo_env.play.table import Replies
from kododo_env.rules_arguments import make_game, parse_rules

LOOK = '{"type": "look"}'
WORK = 3000  # of an analysis: here a policy takes some twenty times as long as elsewhere


def policy_of(game: str, players: int) -> str:
    """The policy that a page fetches for a table.

    Raises:
        ValueError: There is no such game, or it is not for this number of players.
    """
    make_game(game, 1, players, {})
    return f"{game}-{players}p"


class WorkerTable:
    """A table for the people at one device, which a page that is loaded again goes on with.

    Several people hand the device over: the page is sent the positions of the person who has it,
    then a message of the type ``handover``, and answers ``sit`` when the next person is there.

    Args:
        game: Its name.
        players: How many seats.
        opponents: The agents in the other seats, as ``make_table`` takes it.
        saved_game: The text of ``saved_game`` at the same table; None, or a text of no use,
            begins again.
        people: How many there are.
        seat: That of the first of them.
        rotate: Whether all players move one seat on before other cards are dealt.
        names: How the people are called.
        rules: Further rules, such as ``variant=long``.
        seed: Of the first game, if it is not gone on with; None draws one.
        lesson: Whether it begins with the first lesson, if it is not gone on with.
        by_link: Whether a link has led to the page, and it was not loaded again. Then the seed is
            dealt and the lesson given even if another game is kept.

    Raises:
        ValueError: There is no such table, or no lesson.
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
        def make_kept_table() -> KeptTable:
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
            return KeptTable(table)

        # The person who has the device. Of several people nobody has it until one says so.
        self._person = seat if people == 1 else None
        goes_on = False
        if saved_game is not None:
            with suppress(ValueError):  # it is of another version, or nothing that was kept
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
        """The answers of the table to a message, each as JSON; see ``Table.hear``."""
        message = json.loads(text)
        people = self._table.people
        if message.get("type") == "sit" and message.get("person") in people:
            self._person = message["person"]
            text = LOOK
        if self._person is None:
            return self._handover()
        first = self._table.table.first
        replies = self._table.hear(self._person, text)
        if message["type"] == "new":  # the one who has the device asks for all
            for person in people:
                if self._table.table.first == first:
                    replies = self._table.hear(person, text)
        return self._lines(replies)

    def play_on(self) -> list[str]:
        """Play a step if nobody has to be waited for: the messages then; see ``Table``."""
        replies = self._table.play_on()
        return self._lines(replies) if replies else []

    def saved_game(self) -> str:
        """All that is needed to go on with this game, as text."""
        return self._table.saved_game()

    def _lines(self, replies: Replies) -> list[str]:
        messages = replies.get(self._table.people[0] if self._person is None else self._person, [])
        return [*map(to_json, messages), *self._handover()]

    def _handover(self) -> list[str]:
        """To whom the device goes, if the person who has it has nothing to do."""
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
