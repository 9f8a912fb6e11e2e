"""Replay a record step by step, with the text, picture and news of each position."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kododo_env.bots.protocol import news
from kododo_env.core.batch_game import BatchGame
from kododo_env.records import Record, parse_record, replay
from kododo_env.registry import picture_of, words_of
from kododo_env.rendering.languages import say

# With default rules, the longest games have about 100 steps and 6 million characters.
MOST_STEPS = 500
MOST_CHARACTERS = 1 << 24


def parse_short_record(text: str) -> Record:
    """Parse a record that is short enough to be shown at a table.

    Raises:
        ValueError: The text is not a record, or has more than ``MOST_STEPS`` steps.
    """
    if text.count("\n") > MOST_STEPS + 1:  # the header has a line too
        raise _too_long()
    return parse_record(text)


def replayed_steps(record: Record, pictures: bool) -> Iterator[dict[str, Any]]:
    """Replay a game with all cards face up, and check each line of the record by the rules.

    Args:
        record: The record of the game.
        pictures: Whether to draw SVG pictures.

    Yields:
        For the deal and after each step a dictionary with "title", "text", "scores", "events",
        "lines" and "rules" (see ``bots.protocol.news``), and "picture" if ``pictures`` is True.

    Raises:
        ValueError: The record is invalid, and the message has the line number and the reason; or
            the texts and pictures together have more than ``MOST_CHARACTERS`` characters.
    """
    before: BatchGame | None = None
    rewards: list[list[int]] = []
    characters = 0
    for number, game in enumerate(replay(record)):
        picture = picture_of(game)
        step: dict[str, Any] = {
            "title": words_of(game).title(),
            "text": picture.text(),
            "events": [],
            "lines": [],
            "rules": [],
        }
        if before is not None:
            line = record.lines[number - 1]
            rewards.append(line["points"])
            step |= news(game, before, line["actions"], None, rewards)
        if pictures:
            step["picture"] = picture.svg()
        characters += (
            len(step["text"]) + len(step.get("picture", "")) + sum(map(len, step["lines"]))
        )
        if characters > MOST_CHARACTERS:
            raise _too_long()
        yield step | {"scores": game.scores[0].tolist()}
        before = game


def _too_long() -> ValueError:
    return ValueError(say("table.long_record"))
