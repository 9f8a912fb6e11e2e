"""Damaged records of games, and modified ones with valid digests."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from kododo_env import registry
from kododo_env.records import read_record, replay
from kododo_env.table.factory import make_table
from kododo_env.table.table import Table
from tests.fuzz.odd_values import byte_edits, edited_bytes, edited_json, json_edits
from tests.fuzz.promises import ACCEPTED, REFUSED, FaultFound, check_message, refuses
from tests.game_tables import TABLES
from tests.records.games import recorded, resealed


@cache
def text_of(game: str, players: int) -> str:
    """Return the record of a played game."""
    return recorded(registry.batch_game(game, 1, 0, num_players=players))[0].text()


def generate(rng: Random) -> dict[str, Any]:
    """Return changes of a record's bytes, or of one line's JSON with or without new digests."""
    game, players = rng.choice(TABLES)
    case: dict[str, Any] = {"game": game, "players": players}
    if rng.random() < 0.4:
        return {**case, "bytes": byte_edits(rng)}
    line = rng.choice((0.0, rng.random(), 0.9999))
    return {**case, "line": line, "json": json_edits(rng), "sealed": rng.random() < 0.7}


def content_of(case: dict[str, Any]) -> bytes:
    """Return the content of the file."""
    text = text_of(case["game"], case["players"])
    if "bytes" in case:
        return edited_bytes(text.encode(), case["bytes"])
    lines = text.splitlines(keepends=True)
    place = int(case["line"] * len(lines))
    lines[place] = edited_json(json.loads(lines[place]), case["json"]) + "\n"
    changed = "".join(lines)
    if case["sealed"]:
        with suppress(ValueError, AttributeError, RecursionError):  # the line is not a JSON object
            changed = resealed(changed)
    return changed.encode(errors="surrogatepass")


def check(case: dict[str, Any], base: Path) -> str:
    """Check that a record is rejected in one line, also by a table, or replays the same game."""
    content = content_of(case)
    path = Path("game.jsonl")
    path.write_bytes(content)
    refused = bool(refuses(lambda: list(replay(read_record(path)))))
    _check_table(content, refused)
    if refused:
        return REFUSED
    if _steps(content.decode()) != _steps(text_of(case["game"], case["players"])):
        raise FaultFound("a record of what was not played was taken")
    return ACCEPTED


def _steps(text: str) -> list[dict[str, Any]]:
    """Return the steps without their digests."""
    return [json.loads(line) | {"digest": ""} for line in text.splitlines()[1:]]


def _check_table(content: bytes, refused: bool) -> None:
    """Check that a table accepts or rejects a record like the reader."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return
    (answer,) = _table().hear(0, {"type": "replay", "record": text})[0]
    if (answer["type"] == "error") != refused:
        raise FaultFound("a table takes another record than the reader", answer["type"])
    if refused:
        check_message(answer["error"])


@cache
def _table() -> Table:
    return make_table("kododo", 2, pictures=False)
