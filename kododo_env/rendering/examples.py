"""Worked examples of the rules: cards by their short names, drawn as a small picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kododo_env.rendering.svg import FELT, GOLD, Box, document, label, rectangle
from kododo_env.rendering.svg_cards import Blank, Card, card

WIDTH = 440
"""Of the picture of an example, which is to be read on a phone."""


class Worked(NamedTuple):
    """A worked example.

    Attributes:
        picture: SVG.
        lines: What the game says of the cards.
    """

    picture: str
    lines: list[str]


def on_felt(pieces: Iterable[str], title: str, height: float) -> str:
    """An SVG document of pieces on a piece of the table."""
    background = rectangle(Box(0, 0, WIDTH, height), 12, FELT)
    return document([background, *pieces], title, WIDTH, int(height))


def named_row(
    name: str, note: str, cards: Sequence[Card | Blank], box: Box, width: float
) -> list[str]:
    """Cards of this width side by side in a box, below a name and, at the right, a note in gold."""
    pitch = min(width + 5, (box.width - width) / max(len(cards) - 1, 1))
    return [
        label(name, box.x, box.y + 13, 13, bold=True),
        label(note, box.x + box.width, box.y + 13, 13, GOLD, anchor="end", bold=True),
        *(card(face, box.x + k * pitch, box.y + 20, width) for k, face in enumerate(cards)),
    ]
