"""Records of games that are damaged, or changed by somebody who knows the digests."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from kododo_env import registry
from kododo_env.play.seating import make_table
from kododo_env.play.table import Table
from kododo_env.records import read_record, replay
from tests.doors import TABLES
from tests.fuzz.expected import ACCEPTED, REFUSED, Wrong, check_message, refuses
from tests.fuzz.odd import byte_edits, edited_bytes, edited_json, json_edits
from tests.records.games import recorded, resealed


@cache
def text_of(game: str, players: int) -> str:
    """The record of a game that was played."""
    return recorded(registry.batch_game(game, 1, 0, num_players=players))[0].text()


def generate(rng: Random) -> dict[str, Any]:
    """Changes of a record's bytes, or of one line's JSON with digests that fit or do not."""
    game, players = rng.choice(TABLES)
    given: dict[str, Any] = {"game": game, "players": players}
    if rng.random() < 0.4:
        return {**given, "bytes": byte_edits(rng)}
    line = rng.choice((0.0, rng.random(), 0.9999))
    return {**given, "line": line, "json": json_edits(rng), "sealed": rng.random() < 0.7}


def content_of(given: dict[str, Any]) -> bytes:
    """The file."""
    text = text_of(given["game"], given["players"])
    if "bytes" in given:
        return edited_bytes(text.encode(), given["bytes"])
    lines = text.splitlines(keepends=True)
    place = int(given["line"] * len(lines))
    lines[place] = edited_json(json.loads(lines[place]), given["json"]) + "\n"
    changed = "".join(lines)
    if given["sealed"]:
        with suppress(ValueError, AttributeError, RecursionError):  # then it is no JSON object
            changed = resealed(changed)
    return changed.encode(errors="surrogatepass")


def check(given: dict[str, Any], base: Path) -> str:
    """It is refused in one line, by a table as well, or it plays the game that was played."""
    content = content_of(given)
    path = Path("game.jsonl")
    path.write_bytes(content)
    refused = bool(refuses(lambda: list(replay(read_record(path)))))
    _check_table(content, refused)
    if refused:
        return REFUSED
    if _steps(content.decode()) != _steps(text_of(given["game"], given["players"])):
        raise Wrong("a record of what was not played was taken")
    return ACCEPTED


def _steps(text: str) -> list[dict[str, Any]]:
    """The steps that were played; the digests are another thing."""
    return [json.loads(line) | {"digest": ""} for line in text.splitlines()[1:]]


def _check_table(content: bytes, refused: bool) -> None:
    """A table answers with the same, an error or pictures, and nothing else becomes of it."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return
    (answer,) = _table().hear(0, {"type": "replay", "record": text})[0]
    if (answer["type"] == "error") != refused:
        raise Wrong("a table takes another record than the reader", answer["type"])
    if refused:
        check_message(answer["error"])


@cache
def _table() -> Table:
    return make_table("kododo", 2, pictures=False)
