"""The steps of a recorded game as text and as SVG images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.record import Record
from kododo_env.records.replay import Line, replay, replay_lines
from kododo_env.registry import picture_of, words_of
from kododo_env.rendering.svg import FELT, HEIGHT, PALE, WIDTH, Box, label, picture, rectangle

LINE = 22  # pixels from one line of the caption to the next
MOST_CHARACTERS = 95  # the maximum of a line, so that it does not overlap the step's number


def as_text(record: Record, agent: Agent | None = None) -> Iterator[str]:
    """Yield the header and the table, then for each step what happened and the table.

    Args:
        record: The record of a game.
        agent: An agent whose choices are added where they differ from the players' choices.

    Raises:
        ValueError: The record contradicts the rules (see ``replay``), or the agent cannot play its
            game.
    """
    alternatives, decisions = _alternatives(record, agent)
    names = names_of(record.players)
    for number, (game, line) in enumerate(replay_lines(record)):
        news = [f"step {number}", *_sentences(game, line, names)] if number else [_title(record)]
        if agent is not None and number:
            choices = zip(names, alternatives[number - 1], strict=True)
            news += [f"{agent.name} for {name}: {words}" for name, words in choices if words]
        yield "\n".join([*news, "", picture_of(game).text()])
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
    for number, (game, line) in enumerate(replay_lines(record)):
        caption = [_title(record)]
        if number:
            caption = _choices(record, line, agent, alternatives[number - 1])
        if game.terminated[0]:
            caption.append(_sentences(game, line, names_of(record.players))[-1])
        yield _captioned(game, caption, f"step {number} of {last}", height_of(record))


def _sentences(game: BatchGame, line: Line, names: Sequence[str]) -> list[str]:
    words = words_of(game)
    return [words.sentence(event, names) for event in line["events"]]


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
    words = words_of(game)
    choice_words = words.describe_choice(choice, seat)
    # Equal cards are the same choice.
    return "" if choice_words == words.describe_choice(played, seat) else choice_words


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


def _choices(
    record: Record, line: Line, agent: Agent | None, alternatives: Sequence[str]
) -> list[str]:
    """Return each player's action, the points for it, and an agent's differing choice."""
    names = names_of(record.players)
    width = max(map(len, names)) + 1
    lines = []
    for name, words, points, choice in zip(
        names, line["words"], line["points"], alternatives, strict=True
    ):
        gained = f"  {points:+}" if points else ""
        alternative = f"  ({agent.name}: {choice})" if agent is not None and choice else ""
        lines.append(f"{name + ':':{width}} {words}{gained}{alternative}")
    return lines


def names_of(players: Sequence[str]) -> list[str]:
    """Return ``player_0`` and so on, followed by the player's name if that is different."""
    seats = [f"player_{seat}" for seat in range(len(players))]
    return [
        seat if seat == name else f"{seat} {name}"
        for seat, name in zip(seats, players, strict=True)
    ]
