"""Words for people who play: cards, several things, numbers of things."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.rendering.languages import say
from kododo_env.rendering.svg_cards import Card


def card_words(face: Card) -> str:
    """A card in words, such as "blue 3" or "socks 5 (violet ribbon)"."""
    suit = say(face.suit.name)
    if face.second is None:
        return say("{suit} {value}", suit=suit, value=face.value)
    ribbon = say(face.second.name)
    return say("{suit} {value} ({ribbon} ribbon)", suit=suit, value=face.value, ribbon=ribbon)


def card_short(face: Card) -> str:
    """A card in short, by the letters of its suits and its value, such as "B3" or "SV5"."""
    return f"{face.suit.letter}{face.second.letter if face.second else ''}{face.value}"


def listed(words: Iterable[Any]) -> str:
    """Words as people list them: "one", "one and two", "one, two and three"."""
    *first_words, last = map(str, words)
    return say("{most} and {last}", most=", ".join(first_words), last=last) if first_words else last


def cards_in_words(faces: Sequence[Card]) -> str:
    """Several cards in words, at least one."""
    return listed(map(card_words, faces))


def counted(number: Any, word: str, **parts: Any) -> str:
    """A number of things, such as "1 point" or "2 points", which have a text each."""
    return say(f"1 {word}", **parts) if number == 1 else say(f"{{n}} {word}s", n=number, **parts)


def cards_left(
    title: str, rows: Iterable[str], columns: Iterable[Any], copies: npt.ArrayLike, visible: Any
) -> dict[str, Any]:
    """A table of the cards that a player has not seen, for one who need not count them.

    Args:
        title: What is left.
        rows: Their names, R, such as colours.
        columns: Their names, C, such as values.
        copies: How many cards of each kind there are, (R, C).
        visible: How many of them the player has seen, (R, C).
    """
    all_cards = np.asarray(copies, int)
    remaining = all_cards - np.asarray(visible, int)
    named = zip(map(say, rows), remaining.tolist(), all_cards.tolist(), strict=True)
    lines = [{"name": name, "left": count, "of": total} for name, count, total in named]
    return {"title": say(title), "columns": [say(str(column)) for column in columns], "rows": lines}
