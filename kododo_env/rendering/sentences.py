"""Sentences in pieces, so that a page can emphasise players and points."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter
from typing import Any

from kododo_env.rendering.languages import say
from kododo_env.rendering.words import counted

Piece = str | dict[str, Any]
"""Text, or a dictionary with "text" and with "player" (a seat) or "points" (a number)."""


def player_piece(seat: int, names: Sequence[str]) -> list[Piece]:
    """Return the name of a player."""
    return [{"player": seat, "text": names[seat]}]


def points_piece(points: int) -> list[Piece]:
    """Return points in words, such as "2 points"."""
    return [{"points": points, "text": counted(points, "game.points")}]


def fill(key: str, /, **values: Any) -> list[Piece]:
    """Return a text in the current language, with its placeholders filled in.

    Args:
        key: The key of the text; see ``languages.say``.
        **values: The value of each placeholder: pieces, or anything that can be written as text.
    """
    pieces: list[Piece] = []
    for literal, name, *_ in Formatter().parse(say(key)):
        pieces.append(literal)
        if name is not None:
            value = values[name]
            pieces += value if isinstance(value, list) else [str(value)]
    return _merged(pieces)


def list_of(items: Sequence[list[Piece]]) -> list[Piece]:
    """Join pieces to a list in words, as ``words.listed`` does."""
    *first_items, last = items
    if not first_items:
        return last
    joined = first_items[0]
    for item in first_items[1:]:
        joined = [*joined, ", ", *item]
    return fill("game.list", most=joined, last=last)


def text_of(pieces: Sequence[Piece]) -> str:
    """Return pieces as one text."""
    return "".join(piece if isinstance(piece, str) else piece["text"] for piece in pieces)


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Join adjacent texts."""
    merged: list[Piece] = []
    for piece in pieces:
        if merged and isinstance(piece, str) and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece:
            merged.append(piece)
    return merged
