"""The steps of a recorded game as text and as SVG images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.record import Record
from kododo_env.records.replay import replay
from kododo_env.registry import picture_of, words_of
from kododo_env.rendering.svg import FELT, HEIGHT, PALE, WIDTH, Box, label, picture, rectangle
from kododo_env.rendering.words import counted

LINE = 22  # pixels from one line of the caption to the next
MOST_CHARACTERS = 95  # the maximum of a line, so that it does not overlap the step's number


def as_text(record: Record, agent: Agent | None = None) -> Iterator[str]:
    """Yield the header, then for each step the choices and the table, then the result.

    Args:
        record: The record of a game.
        agent: An agent whose choices are added where they differ from the players' choices.

    Raises:
        ValueError: The record contradicts the rules (see ``replay``), or the agent cannot play its
            game.
    """
    alternatives, decisions = _alternatives(record, agent)
    for number, game in enumerate(replay(record)):
        if number == 0:
            yield f"{_title(record)}\n\n{picture_of(game).text()}"
        else:
            choices = "\n".join(_choices(record, number, alternatives))
            yield f"step {number}\n{choices}\n\n{picture_of(game).text()}"
    yield _ending(record, record.lines[-1])
    if agent is not None:
        differing = sum(bool(words) for step in alternatives for words in step)
        yield f"{agent.name} would have chosen differently in {differing} of {decisions} decisions"


def frames(record: Record, agent: Agent | None = None) -> Iterator[str]:
    """Yield an SVG image of the table after the deal and after each step, above the choices.

    Each image has ``WIDTH`` by ``height_of(record)`` pixels. Arguments and errors are those of
    ``as_text``.
    """
    alternatives, _ = _alternatives(record, agent)
    last = len(record.lines)
    for number, game in enumerate(replay(record)):
        caption = _choices(record, number, alternatives) if number else [_title(record)]
        if game.terminated[0]:
            caption.append(_ending(record, record.lines[-1]))
        yield _captioned(game, caption, f"step {number} of {last}", height_of(record))


def _alternatives(record: Record, agent: Agent | None) -> tuple[list[list[str]], int]:
    """Return an agent's differing choices by step and player, and the number of decisions.

    A choice is in words, and empty where the agent would have played the same. The agent sees
    only what the player saw.
    """
    players = len(record.players)
    if agent is None:
        return [[""] * players] * len(record.lines), 0
    alternatives = []
    decisions = 0
    rng = np.random.default_rng(0)
    positions = [*replay(record)]  # checks every line before the agent chooses
    for line, game in zip(record.lines, positions, strict=False):  # before each step
        choices = joint_action([agent] * players, game, rng)[0].tolist()
        decisions += int(game.deciding().sum())
        pairs = enumerate(zip(choices, line["actions"], strict=True))
        alternatives.append([_alternative(agent, game, seat, *pair) for seat, pair in pairs])
    return alternatives, decisions


def _alternative(agent: Agent, game: BatchGame, seat: int, choice: int, played: int) -> str:
    """Return an agent's choice in words; empty if the same was played."""
    game_words = words_of(game)
    words = game_words.describe_choice(choice, seat)
    if words == game_words.describe_choice(played, seat):  # equal cards are the same choice
        return ""
    return f"  ({agent.name}: {words})"


def height_of(record: Record) -> int:
    """Return the height of an image in pixels, with a line for each player and the result."""
    return HEIGHT + LINE * (len(record.players) + 1) + LINE // 2


def _captioned(game: BatchGame, caption: list[str], step: str, height: int) -> str:
    """Return the picture of the game with lines of text below it."""
    box = Box(0, HEIGHT, WIDTH, height - HEIGHT)
    pieces = [picture_of(game).svg(), rectangle(box, 0, FELT)]
    for row, line in enumerate(caption):
        pieces.append(label(shortened(line), 16, HEIGHT + LINE * (row + 1), 14))
    pieces.append(label(step, WIDTH - 16, HEIGHT + LINE, 14, PALE, anchor="end"))
    return picture(pieces, f"{step}: {'; '.join(caption)}", height=height)


def shortened(line: str) -> str:
    """Return a line, shortened to the width of the image."""
    return line if len(line) <= MOST_CHARACTERS else f"{line[:MOST_CHARACTERS]}…"


def _title(record: Record) -> str:
    header = record.header
    players = ", ".join(f"player_{seat} {name}" for seat, name in enumerate(record.players))
    return f"{header.game} v{header.game_version}, {header.date}: {players}"


def _choices(record: Record, step: int, alternatives: list[list[str]]) -> list[str]:
    """Return each player's action, the points for it, and an agent's differing choice."""
    names = names_of(record)
    line = record.lines[step - 1]
    width = max(map(len, names)) + 1
    gained = [f"  {points:+}" if points else "" for points in line["points"]]
    return [
        f"{name + ':':{width}} {words}{points}{alternative}"
        for name, words, points, alternative in zip(
            names, line["words"], gained, alternatives[step - 1], strict=True
        )
    ]


def names_of(record: Record) -> list[str]:
    """Return ``player_0`` and so on, followed by the player's name if that is different."""
    seats = [f"player_{seat}" for seat in range(len(record.players))]
    return [
        seat if seat == name else f"{seat} {name}"
        for seat, name in zip(seats, record.players, strict=True)
    ]


def _ending(record: Record, line: dict[str, Any]) -> str:
    """Return the winners and their points in a line."""
    results = zip(names_of(record), line["outcome"], line["scores"], strict=True)
    winners = [
        f"{name} with {counted(score, 'game.points')}" for name, share, score in results if share
    ]
    return f"won by {' and '.join(winners)}"
