"""Worked examples of the rules, as small pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kododo_env.rendering.svg import FELT, GOLD, Box, document, label, rectangle
from kododo_env.rendering.svg_cards import Blank, Card, card

WIDTH = 440
"""The width of an example's picture, which must be readable on a phone."""


class WorkedExample(NamedTuple):
    """A worked example.

    Attributes:
        picture: The cards as an SVG document.
        lines: The sentences in which the game explains them.
    """

    picture: str
    lines: list[str]


def on_felt(pieces: Iterable[str], title: str, height: float) -> str:
    """Return an SVG document of this height in pixels, with SVG elements on a felt background."""
    background = rectangle(Box(0, 0, WIDTH, height), 12, FELT)
    return document([background, *pieces], title, WIDTH, int(height))


def named_row(
    name: str, note: str, cards: Sequence[Card | Blank], box: Box, width: float
) -> list[str]:
    """Draw cards of this width in a row, below a name at the left and a gold note at the right."""
    pitch = min(width + 5, (box.width - width) / max(len(cards) - 1, 1))
    return [
        label(name, box.x, box.y + 13, 13, bold=True),
        label(note, box.x + box.width, box.y + 13, 13, GOLD, anchor="end", bold=True),
        *(card(face, box.x + k * pitch, box.y + 20, width) for k, face in enumerate(cards)),
    ]
