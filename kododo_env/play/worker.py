"""A table inside a page: the part of the static page's web worker in Python."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from secrets import randbits

from kododo_env.bots.messages import to_json
from kododo_env.play.seating import make_table
from kododo_env.play.table import Said, Table
from kododo_env.rules_arguments import make_game

SEAT = 0  # the person's
WORLDS = 64  # of an analysis: here a policy takes several times as long as elsewhere
LOOK = '{"type": "look"}'


def policy_of(game: str, players: int) -> str:
    """The policy that a page fetches for a table.

    Raises:
        ValueError: There is no such game, or it is not for this number of players.
    """
    make_game(game, 1, players, {})
    return f"{game}-{players}p"


class WorkerTable:
    """A table with one person, which a page that is loaded again goes on with.

    The cards and the agents' choices follow from a seed, so the seed and the messages of the
    person are all that has to be kept.

    Args:
        game: Its name.
        players: How many seats.
        opponents: The agents in the other seats, as ``make_table`` takes it.
        kept: The text of ``kept`` at the same table; None, or a text of no use, begins again.

    Raises:
        ValueError: There is no such table.
    """

    def __init__(
        self, game: str, players: int, opponents: Sequence[str] = (), kept: str | None = None
    ) -> None:
        self._given = (game, players, tuple(opponents))
        self._begin(randbits(62), 0)
        if kept is not None:
            self._go_on(kept)

    def _begin(self, seed: int, step: int) -> None:
        """Deal from a seed, at a step that the page has not yet seen."""
        self._table: Table = make_table(*self._given, seed=seed)
        self._table.worlds = WORLDS
        self._table.step = step
        self._seed, self._first, self._done = seed, step, list[str]()
        self._last = ""

    def _go_on(self, kept: str) -> None:
        """Do again all that has been done, or nothing of it."""
        try:
            seed, step, done, last = json.loads(kept)
            self._begin(int(seed), int(step))
            for text in done:
                self.hear(text)
                while self.play_on():
                    pass
            if json.loads(self.kept())[-1] == last:
                return
        except (TypeError, ValueError):
            pass  # it is of another version, or nothing that was kept
        self._begin(randbits(62), 0)

    def hear(self, text: str) -> list[str]:
        """The answers of the table to a message, each as JSON; see ``Table.hear``."""
        said = self._table.hear(SEAT, text)
        if said[SEAT][0]["type"] == "position":  # it was a message that was done
            message = json.loads(text)
            if message["type"] == "new" and message["deck"] == "other":
                # From a seed of its own, so that the text kept does not grow from game to game.
                self._begin(randbits(62), self._table.step)
                said = self._table.hear(SEAT, LOOK)
            elif message["type"] != "look":
                self._done.append(text)
        return self._lines(said)

    def play_on(self) -> list[str]:
        """Play a step if nobody has to be waited for: the messages then; see ``Table``."""
        return self._lines(self._table.play_on())

    def kept(self) -> str:
        """All that is needed to go on with this game, and how it must then stand, as text."""
        last = sha256(self._last.encode()).hexdigest()
        return json.dumps([str(self._seed), self._first, self._done, last])

    def _lines(self, said: Said) -> list[str]:
        lines = [to_json(message) for message in said.get(SEAT, [])]
        positions = [line for line in lines if line.startswith('{"type":"position"')]
        self._last = (positions or [self._last])[-1]
        return lines
