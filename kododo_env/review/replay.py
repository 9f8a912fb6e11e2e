"""Replay a record step by step, with the text, picture and news of each position."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kododo_env.bots.protocol import news
from kododo_env.records import Record, parse_record
from kododo_env.records.replay import replay_lines
from kododo_env.registry import picture_of, words_of
from kododo_env.rendering.languages import say

# Each step has up to 60,000 characters. With default rules, the longest games have 100 steps.
MOST_STEPS = 500


def parse_short_record(text: str) -> Record:
    """Parse a record that is short enough to be shown at a table.

    Raises:
        ValueError: The text is not a record, or has more than ``MOST_STEPS`` steps.
    """
    if text.count("\n") > MOST_STEPS + 1:  # the header has a line too
        raise ValueError(say("table.long_record"))
    return parse_record(text)


def replayed_steps(record: Record, pictures: bool) -> Iterator[dict[str, Any]]:
    """Replay a game with all cards face up, and check each line of the record by the rules.

    Args:
        record: The record of the game.
        pictures: Whether to draw SVG pictures.

    Yields:
        For the deal and after each step a dictionary with "title", "text", "scores", "events" and
        "lines" (see ``bots.protocol.news``), and "picture" if ``pictures`` is True.

    Raises:
        ValueError: The record is invalid, and the message has the line number and the reason.
    """
    for game, line in replay_lines(record):
        picture = picture_of(game)
        step = {
            "title": words_of(game).title(),
            "text": picture.text(),
            "scores": game.scores[0].tolist(),
            **news(game, line.get("events", [])),
        }
        if pictures:
            step["picture"] = picture.svg()
            step["scene"] = picture.scene().to_json()
        yield step
