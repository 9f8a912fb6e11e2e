"""Replay a record step by step, with the table and the news of each position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kododo_env.bots.protocol import news, table_fields
from kododo_env.records import Record, parse_record
from kododo_env.records.replay import replay_lines
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


def replayed_steps(
    record: Record, pictures: bool, names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Replay a game with all cards face up, and check each line of the record by the rules.

    Args:
        record: The record of the game.
        pictures: Whether to describe the table as a scene; then texts have the players' names, and
            otherwise ``player_0``, ...
        names: The players' names by seat.

    Yields:
        For the deal and after each step a dictionary with the fields of ``table_fields``, "scores",
        and "events" and "lines" (see ``bots.protocol.news``).

    Raises:
        ValueError: The record is invalid, and the message has the line number and the reason.
    """
    text_names = names if pictures else None
    for game, line in replay_lines(record):
        yield {
            **table_fields(game, pictures, names=text_names),
            "scores": game.scores[0].tolist(),
            **news(game, line.get("events", []), text_names),
        }
