"""Save the game of a table as text, so that another process can resume it.

The text has the seed, from which the cards follow, the messages of people, and all joint actions,
since an agent with a time budget might choose differently when asked again.
"""

from __future__ import annotations

import json
from typing import Any

from kododo_env.checks.numbers import quote, whole_number, whole_numbers
from kododo_env.records.lines import check_keys, check_sealed, parse_object, sealed
from kododo_env.system.digests import digest
from kododo_env.table.table import Table

FIELDS = {"seed", "first", "moved", "done", "stands", "digest"}
OTHER_TABLE = (
    "the saved game is of another table or version: use the same game, players, opponents, seat "
    "and rules as when it was started"
)


def saved_game(table: Table) -> str:
    """Return all that is needed to resume a table's game, as text; it reveals all cards."""
    content = {
        "seed": table.game.seed,
        "first": table.game.first,
        "moved": table.seat_shift,
        "done": table.history,
        "stands": _state_digest(table),
    }
    return json.dumps(sealed(content))


def resume(table: Table, text: str) -> None:
    """Resume a saved game by repeating its messages and actions.

    Args:
        table: A table with the same arguments as that of the saved game.
        text: A text of ``saved_game``.

    Raises:
        ValueError: The text is damaged, or is of another table. The table must not be used
            afterwards.
    """
    content = parse_object(text)
    check_keys(content, FIELDS)
    check_sealed(content)
    if not isinstance(content["done"], list):
        raise ValueError(f"done must be a list, not {quote(content['done'])}")
    table.step = whole_number(content["first"], "first", 0)
    table.seat_shift = whole_number(content["moved"], "moved", 0, len(table.game.players) - 1)
    table.deal(whole_number(content["seed"], "seed", 0))
    try:
        for entry in content["done"]:
            _repeat(table, entry)
    except ValueError as error:
        raise ValueError(OTHER_TABLE) from error
    if _state_digest(table) != content["stands"]:
        raise ValueError(OTHER_TABLE)
    table.game.remind()


def _repeat(table: Table, entry: Any) -> None:
    match entry:
        case [int(person), dict(message)]:
            answer = table.hear(person, message)[person][0]
            if answer["type"] == "error":
                raise ValueError(answer["error"])
        case _:
            table.play_on(whole_numbers(entry, "joint action").tolist())


def _state_digest(table: Table) -> str:
    """Return a digest of a game: its rules, players, cards and points so far."""
    game = table.game
    header = {**vars(game.recorder.header), "date": ""}
    state = [header, table.stage.joint, game.rewards, game.over, game.counts]
    return digest(json.dumps(state, sort_keys=True))
