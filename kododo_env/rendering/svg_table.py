"""Drawing tables: seats, panels with rows of cards, and meters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kododo_env.core.batch_game import BatchGame
from kododo_env.rendering.languages import say
from kododo_env.rendering.scene import Meter
from kododo_env.rendering.svg import (
    GOLD,
    HEIGHT,
    INK,
    PALE,
    PAPER,
    WIDTH,
    Box,
    at,
    badge,
    label,
    number,
    rectangle,
    shadow,
)
from kododo_env.rendering.svg_cards import CARD, Blank, Card, card

HEAD = 40
"""The height of a panel's head, which has the name and the points."""


def seats(num_players: int, band: float, front: int | None = None, margin: float = 10) -> list[Box]:
    """Return the box of each player, clockwise around a horizontal band in the middle.

    Args:
        num_players: The number of players.
        band: The height of the band.
        front: The player who sits below the band, in the middle of that row or left of it; None
            means the first player.
        margin: The space between boxes, and to the edge of the picture.
    """
    lower = num_players // 2
    if num_players % 2 and lower % 2 == 0:
        lower += 1  # the player in front has equally many neighbours on each side
    left_of = (lower - 1) // 2
    below = [(left_of - place) % num_players for place in range(lower)]
    above = range(left_of + 1, left_of + 1 + num_players - lower)
    height = (HEIGHT - band) / 2 - 2 * margin
    boxes: dict[int, Box] = {}
    for places, y in ((above, margin), (below, HEIGHT - margin - height)):
        width = (WIDTH - margin) / max(len(places), 2) - margin
        left_edge = (WIDTH - len(places) * (width + margin) + margin) / 2
        for nth, place in enumerate(places):
            boxes[place] = Box(left_edge + nth * (width + margin), y, width, height)
    return [boxes[(player - (front or 0)) % num_players] for player in range(num_players)]


@dataclass(frozen=True)
class Seat:
    """The head of a player's panel."""

    name: str  # of the player
    points: float  # so far
    gained: float  # points of the last step
    note: str  # additional words
    tag: str  # words on a gold tag at the panel's foot; empty draws no tag
    highlight: bool  # whether this is the viewer

    @classmethod
    def of(
        cls,
        game: BatchGame,
        index: int,
        seat: int,
        player: int | None,
        name: str,
        note: str,
        gained: Any = 0,
    ) -> Seat:
        """Return the head of a seat's panel in one game of a batch, as ``player`` sees it."""
        share = game.outcome()[index, seat] if game.terminated[index] else 0
        tag = say("game.winner") if share == 1 else say("game.shared_win") if share else ""
        points = float(game.scores[index, seat])
        return cls(name, points, float(gained), note, tag, player == seat)


def panel(box: Box, seat: Seat, content: str = "") -> str:
    """Draw a player's part of the table: a tray with a head, and SVG content below the head."""
    stroke, thick = (GOLD, 3) if seat.highlight else ("#4d7f8b", 1)
    right = box.x + box.width - 14
    line = box.y + 26
    points = number(seat.points)
    left_of_points = right - max(46, 12 + 16 * len(points))
    pieces = [
        rectangle(box, 12, "#0f2d35", opacity=0.45, stroke=stroke, thick=thick),
        label(seat.name, box.x + 14, line, 15, bold=True),
        label(seat.note, left_of_points, line, 12, PALE, anchor="end"),
        label(points, right, line + 2, 24, GOLD, anchor="end", bold=True),
    ]
    if seat.gained:
        beside = box.x + 39 + 9.5 * len(seat.name)
        pieces.append(badge(f"{seat.gained:+g}", beside, line - 5, "#7fd6a4"))
    tag = badge(seat.tag, box.x + box.width / 2, box.y + box.height - 2) if seat.tag else ""
    return "".join([*pieces, content, tag])


def rows(box: Box, named: Sequence[tuple[str, Sequence[Card | Blank]]], places: int) -> str:
    """Draw rows of cards below a panel's head, with their names at the left.

    A row has room for ``places`` cards side by side; more cards overlap.
    """
    margin = 13.0
    gap = 10.0
    name = 18.0
    width = box.width - 2 * margin - name
    height = (box.height - HEAD - margin - gap * (len(named) - 1)) / len(named)
    # As high as the row allows and narrow enough for all places, but at least half that size.
    max_width = height * CARD.width / CARD.height
    size = max(max_width / 2, min(max_width, (width + 5) / places - 5))
    tall = size * CARD.height / CARD.width
    pieces: list[str] = []
    for place, (words, cards) in enumerate(named):
        x = box.x + margin
        y = box.y + HEAD + place * (height + gap)
        middle = y + height / 2
        pieces.append(label(words, x + 8, middle, 12, PALE, anchor="middle", turn=-90))
        longest = max(places, len(cards))
        pitch = min(size + 14, (width - size) / max(longest - 1, 1))
        left_edge = x + name
        top_edge = middle - tall / 2
        for k, face in enumerate(cards):
            pieces.append(card(face, left_edge + k * pitch, top_edge, size))
    return "".join(pieces)


def meter(reading: Meter, box: Box) -> str:
    """Draw a tile with an emblem, a big count, a bar of steps and a tag."""
    centre = box.x + box.width / 2
    right = box.x + box.width - 11
    fit = min(1, box.width / 100)  # narrow tiles have smaller contents
    pieces = [
        shadow(box, 9),
        rectangle(box, 9, PAPER, stroke=GOLD if reading.lit else "", thick=4),
        at(box.x + 27 * fit, box.y + 28, 19 * fit, reading.emblem),
        label(str(reading.count), right, box.y + 39, 30 * fit, INK, anchor="end", bold=True),
        label(reading.name, centre, box.y + 65, 13 * fit, INK, anchor="middle", bold=True),
        _bar(reading, Box(box.x + 10, box.y + 74, box.width - 20, 9)),
        label(reading.note, centre, box.y + 98, 11, "#56646a", anchor="middle"),
    ]
    if reading.mark:
        fill = GOLD if reading.lit else "#5b666b"
        pieces.append(badge(reading.mark, centre, box.y + box.height - 13, fill))
    return "".join(pieces)


def _bar(reading: Meter, box: Box) -> str:
    """Draw a step for each number up to the goal, filled up to the count."""
    width = box.width / reading.goal
    steps = []
    for step in range(reading.goal):
        fill = reading.fill if step < reading.count else "#dcd6c6"
        place = Box(box.x + step * width + 0.8, box.y, width - 1.6, box.height)
        steps.append(rectangle(place, 2, fill))
    return "".join(steps)
