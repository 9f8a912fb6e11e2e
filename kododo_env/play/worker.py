"""A table inside a page: the part of the static page's web worker in Python."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from kododo_env.bots.messages import to_json
from kododo_env.core.numbers import whole_number
from kododo_env.play.kept import KeptTable
from kododo_env.play.seating import make_table
from kododo_env.play.table import MOST_SEED, Said
from kododo_env.rules_arguments import make_game

SEAT = 0  # the person's
WORK = 3000  # of an analysis: here a policy takes some twenty times as long as elsewhere


def policy_of(game: str, players: int) -> str:
    """The policy that a page fetches for a table.

    Raises:
        ValueError: There is no such game, or it is not for this number of players.
    """
    make_game(game, 1, players, {})
    return f"{game}-{players}p"


class WorkerTable:
    """A table with one person, which a page that is loaded again goes on with.

    Args:
        game: Its name.
        players: How many seats.
        opponents: The agents in the other seats, as ``make_table`` takes it.
        kept: The text of ``kept`` at the same table; None, or a text of no use, begins again.
        seed: Of the first game, if it is not gone on with; None draws one.

    Raises:
        ValueError: There is no such table.
    """

    def __init__(
        self,
        game: str,
        players: int,
        opponents: Sequence[str] = (),
        kept: str | None = None,
        seed: int | None = None,
    ) -> None:
        def made() -> KeptTable:
            table = make_table(game, players, opponents)
            table.work = WORK
            return KeptTable(table)

        if kept is not None:
            with suppress(ValueError):  # it is of another version, or nothing that was kept
                self._table = made()
                self._table.go_on(kept)
                return
        self._table = made()
        if seed is not None:
            self._table.table.deal(whole_number(seed, "seed", 0, MOST_SEED))

    def hear(self, text: str) -> list[str]:
        """The answers of the table to a message, each as JSON; see ``Table.hear``."""
        return _lines(self._table.hear(SEAT, text))

    def play_on(self) -> list[str]:
        """Play a step if nobody has to be waited for: the messages then; see ``Table``."""
        return _lines(self._table.play_on())

    def kept(self) -> str:
        """All that is needed to go on with this game, as text."""
        return self._table.kept()


def _lines(said: Said) -> list[str]:
    return [to_json(message) for message in said.get(SEAT, [])]
