"""A record step by step, for the eye: as text, and as pictures one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.record import Record
from kododo_env.records.replay import replay
from kododo_env.rendering.svg import FELT, HEIGHT, PALE, WIDTH, Box, label, picture, rectangle
from kododo_env.rendering.words import counted

LINE = 22  # pixels from one line of the caption to the next
MOST_CHARACTERS = 95  # characters of a line, so that it does not run into the step's number


def as_text(record: Record, agent: Agent | None = None) -> Iterator[str]:
    """The header in words, then for each step the choices, and the table after it.

    Args:
        record: Of a game.
        agent: Its choices are told beside those from which they differ, and how many do.

    Raises:
        ValueError: The record is not true, as ``replay`` says, or not of the agent's game.
    """
    own, decisions = _beside(record, agent)
    for number, game in enumerate(replay(record)):
        if number == 0:
            yield f"{_title(record)}\n\n{game.text()}"
        else:
            choices = "\n".join(_choices(record, number, own))
            yield f"step {number}\n{choices}\n\n{game.text()}"
    yield _ending(record, record.lines[-1])
    if agent is not None:
        others = sum(bool(words) for step in own for words in step)
        yield f"{agent.name} would have chosen otherwise in {others} of {decisions} decisions"


def frames(record: Record, agent: Agent | None = None) -> Iterator[str]:
    """A picture of the table after the deal and after each step, below it the choices: SVG.

    Each is ``WIDTH`` by ``height_of(record)`` pixels. The rest is as in ``as_text``.
    """
    own, _ = _beside(record, agent)
    last = len(record.lines)
    for number, game in enumerate(replay(record)):
        said = _choices(record, number, own) if number else [_title(record)]
        if game.terminated[0]:
            said.append(_ending(record, record.lines[-1]))
        yield _captioned(game, said, f"step {number} of {last}", height_of(record))


def _beside(record: Record, agent: Agent | None) -> tuple[list[list[str]], int]:
    """By step and player what an agent would have done, where it is another choice, in words.

    And how many decisions there were. The agent sees what the player saw.
    """
    players = len(record.players)
    if agent is None:
        return [[""] * players] * len(record.lines), 0
    found, decisions, rng = [], 0, np.random.default_rng(0)
    positions = [*replay(record)]  # every line is checked before the agent is asked of any
    for line, game in zip(record.lines, positions, strict=False):  # before each step
        own = joint_action([agent] * players, game, rng)[0].tolist()
        decisions += int(game.deciding().sum())
        both = enumerate(zip(own, line["actions"], strict=True))
        found.append([_otherwise(agent, game, seat, *actions) for seat, actions in both])
    return found, decisions


def _otherwise(agent: Agent, game: BatchGame, seat: int, own: int, played: int) -> str:
    """What an agent would have done, in words; nothing if it is what was played."""
    words = game.describe_choice(own, seat)
    same = words == game.describe_choice(played, seat)  # equal cards are the same choice
    return "" if same else f"  ({agent.name}: {words})"


def height_of(record: Record) -> int:
    """Of a picture with its caption: a line for each player, and one for how the game ended."""
    return HEIGHT + LINE * (len(record.players) + 1) + LINE // 2


def _captioned(game: BatchGame, said: list[str], step: str, height: int) -> str:
    """The game's own picture, with words below it."""
    box = Box(0, HEIGHT, WIDTH, height - HEIGHT)
    pieces = [game.svg(), rectangle(box, 0, FELT)]
    for place, words in enumerate(said):
        pieces.append(label(shortened(words), 16, HEIGHT + LINE * (place + 1), 14))
    pieces.append(label(step, WIDTH - 16, HEIGHT + LINE, 14, PALE, anchor="end"))
    return picture(pieces, f"{step}: {'; '.join(said)}", height=height)


def shortened(words: str) -> str:
    """A line as far as there is room for it."""
    return words if len(words) <= MOST_CHARACTERS else f"{words[:MOST_CHARACTERS]}…"


def _title(record: Record) -> str:
    header = record.header
    players = ", ".join(f"player_{seat} {name}" for seat, name in enumerate(record.players))
    return f"{header.game} v{header.game_version}, {header.date}: {players}"


def _choices(record: Record, step: int, own: list[list[str]]) -> list[str]:
    """The action of each player, the points that it brought them, and an agent's own choice."""
    names, line = names_of(record), record.lines[step - 1]
    width = max(map(len, names)) + 1
    gained = [f"  {points:+}" if points else "" for points in line["points"]]
    return [
        f"{name + ':':{width}} {words}{points}{other}"
        for name, words, points, other in zip(
            names, line["words"], gained, own[step - 1], strict=True
        )
    ]


def names_of(record: Record) -> list[str]:
    """The players by seat, as the drawings call them, and by name where they have another one."""
    seats = [f"player_{seat}" for seat in range(len(record.players))]
    return [
        seat if seat == name else f"{seat} {name}"
        for seat, name in zip(seats, record.players, strict=True)
    ]


def _ending(record: Record, line: dict[str, Any]) -> str:
    """The winners, and their points."""
    named = zip(names_of(record), line["outcome"], line["scores"], strict=True)
    winners = [f"{name} with {counted(score, 'point')}" for name, share, score in named if share]
    return f"won by {' and '.join(winners)}"
