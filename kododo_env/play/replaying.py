"""A record as somebody pages through it: a picture and the story of every step."""

from __future__ import annotations

from typing import Any

from kododo_env.bots.showing import news
from kododo_env.core.batch_game import BatchGame
from kododo_env.records import parse_record, replay


def replayed(text: str, pictures: bool) -> dict[str, Any]:
    """A game from the text of its record, all cards face up, each line checked against the core.

    It has "game", "players" and "steps": for the deal and after each step "text", "lines", the
    sections of the "rules" that these follow from, "scores", and with ``pictures`` a "picture"
    as SVG.

    Raises:
        ValueError: It is no record, or not a true one; the line and the reason.
    """
    record = parse_record(text)
    steps: list[dict[str, Any]] = []
    before: BatchGame | None = None
    for number, game in enumerate(replay(record)):
        told: dict[str, list[Any]] = {"lines": [], "rules": []}
        if before is not None:
            gained = [each["points"] for each in record.lines]
            told = news(game, before, record.lines[number - 1]["actions"], None, gained)
        drawn = {"picture": game.svg()} if pictures else {}
        steps.append({"text": game.text(), **drawn, **told, "scores": game.scores[0].tolist()})
        before = game
    return {"game": record.header.game, "players": record.players, "steps": steps}
