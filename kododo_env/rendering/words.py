"""Translated texts for players: cards, lists, numbers of things, and sentences in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import Formatter
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.rendering.languages import say
from kododo_env.rendering.svg_cards import Card


def card_words(face: Card) -> str:
    """Return a card in words, such as "blue 3" or "socks 5 (violet ribbon)"."""
    suit = say(face.suit.name)
    if face.second is None:
        return say("card.name", suit=suit, value=face.value)
    ribbon = say(face.second.name)
    return say("card.name_with_ribbon", suit=suit, value=face.value, ribbon=ribbon)


def listed(words: Iterable[Any]) -> str:
    """Join at least one word to a list, such as "one", "one and two" or "one, two and three"."""
    return text_of(list_of([[str(word)] for word in words]))


def counted(number: Any, key: str, **parts: Any) -> str:
    """Return a number of things, such as "1 point" or "2 points", in the current language.

    Args:
        number: The number.
        key: The beginning of two keys: ``.one`` is the text for 1, ``.many`` that for all other
            numbers, with the placeholder ``{n}``.
        **parts: The values of other placeholders.
    """
    return say(f"{key}.one" if number == 1 else f"{key}.many", n=signed(number), **parts)


def signed(number: Any) -> str:
    """Return a number with the current language's minus sign."""
    return str(number).replace("-", say("game.minus"))


def cards_left(
    title: str, rows: Iterable[str], columns: Iterable[Any], copies: npt.ArrayLike, visible: Any
) -> dict[str, Any]:
    """Return a table of the numbers of cards that a player has not seen, for ``Words.memory``.

    Args:
        title: The key of the title of the table.
        rows: R names, such as colours, or their keys.
        columns: C names, such as values.
        copies: The number of cards of each kind, (R, C).
        visible: The number of cards of each kind that the player has seen, (R, C).

    Returns:
        A dictionary with "title", "columns", and "rows", each row with its "name", the cards "left"
        and the cards "of" each column in the whole game.
    """
    all_cards = np.asarray(copies, int)
    remaining = all_cards - np.asarray(visible, int)
    named = zip(map(say, rows), remaining.tolist(), all_cards.tolist(), strict=True)
    lines = [{"name": name, "left": count, "of": total} for name, count, total in named]
    return {"title": say(title), "columns": [say(str(column)) for column in columns], "rows": lines}


# --- sentences in pieces, so that a page can emphasise players and points -------------------

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
    """Join pieces to a list in words, as ``listed`` does."""
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
