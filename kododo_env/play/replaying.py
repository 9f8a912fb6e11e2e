"""A record as somebody pages through it: a picture and the story of every step."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.bots.showing import story
from kododo_env.core.batch_game import BatchGame
from kododo_env.records import parse_record, replay


def replayed(text: str, pictures: bool) -> dict[str, Any]:
    """A game from the text of its record, all cards face up, each line checked against the core.

    It has "game", "players" and "steps": for the deal and after each step "text", "lines",
    "scores", and with ``pictures`` a "picture" as SVG.

    Raises:
        ValueError: It is no record, or not a true one; the line and the reason.
    """
    record = parse_record(text)
    steps: list[dict[str, Any]] = []
    before: BatchGame | None = None
    for number, game in enumerate(replay(record)):
        lines = []
        if before is not None:
            chosen = np.asarray(record.lines[number - 1]["actions"])
            lines = story(game, before, chosen, None, [each["points"] for each in record.lines])
        drawn = {"picture": game.svg()} if pictures else {}
        scores = game.scores[0].tolist()
        steps.append({"text": game.text(), **drawn, "lines": lines, "scores": scores})
        before = game
    return {"game": record.header.game, "players": record.players, "steps": steps}
