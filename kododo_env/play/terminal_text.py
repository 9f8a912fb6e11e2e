"""Texts that fit into a terminal: wrapped at spaces, and cards in their colours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import fill
from typing import Any

from kododo_env.bots.messages import Message
from kododo_env.rendering.languages import say
from kododo_env.rendering.svg import ink_on
from kododo_env.rendering.svg_cards import Card, Suit
from kododo_env.rendering.words import card_words
from kododo_env.table.rules_page import FENCE, blocks


def wrapped(text: str, width: int, indent: int = 0) -> list[str]:
    """Return a text's lines, those that are too wide broken at spaces.

    Args:
        text: The text.
        width: The number of columns.
        indent: The number of spaces before the second and later parts of a broken line.
    """
    lines = []
    for line in text.splitlines():
        parts = fill(line, width, subsequent_indent=" " * indent, break_on_hyphens=False)
        lines += parts.splitlines() if len(line) > width else [line]
    return lines


def news_lines(events: Sequence[Message], width: int, room: int) -> list[str]:
    """Return the sentences of events, one per line as long as there is room.

    Otherwise events of one kind share lines, and if there is still no room, all of them do.

    Args:
        events: The events, with their sentences as "text".
        width: The number of columns.
        room: The number of lines.
    """
    keys: list[Callable[[Message], Any]] = [id, lambda event: event["key"], lambda event: None]
    for key in keys:
        sentences = ("; ".join(event["text"] for event in run) for _, run in groupby(events, key))
        lines = [line for sentence in sentences for line in wrapped(sentence, width, 2)]
        if len(lines) <= room:
            break
    return lines


def listed_actions(actions: Sequence[Message], width: int) -> list[str]:
    """List actions on lines: short forms grouped by kind, or the number and words of each."""
    lines = []
    for kind, group in groupby(actions, lambda action: str(action["kind"])):
        kind_actions = [*group]
        forms = [*dict.fromkeys(map(_short_form, kind_actions))]
        if all(forms):
            name = "" if forms == [kind] else f"{_heading(kind_actions[0])}: "
            # Non-breaking spaces keep a short form on one line.
            text = _as_product(forms) or ", ".join(form.replace(" ", "\xa0") for form in forms)
            listing = wrapped(f"{name}{text}", width, len(name))
            lines += [line.replace("\xa0", " ") for line in listing]
        else:
            lines += [f"{action['action']:4}  {action['words']}" for action in kind_actions]
    return lines


def _heading(action: Message) -> str:
    """Return the name of an action's kind, and what the parts of its short form stand for."""
    name = str(action["kind"]).replace("_", " ")
    parts = [*action["at"]]
    return (
        f"{name} ({', '.join(parts)})" if 1 < len(parts) == len(action["short"].split()) else name
    )


def _short_form(action: Message) -> str:
    """Return an action's short form, with the name of the player for whose seat it stands."""
    short = str(action["short"])
    name = action["labels"].get("seat", "")
    return f"{short} ({name})" if name and re.fullmatch(r"P\d+", short) else short


def _as_product(forms: Sequence[str]) -> str:
    """Return forms of two letters in a few words if each first letter goes with each second."""
    parts = [form.split(" ") for form in forms]
    if any(len(form) != 2 for form in parts):
        return ""
    firsts, seconds = (list(dict.fromkeys(column)) for column in zip(*parts, strict=True))
    if len(forms) < 12 or len(forms) != len(firsts) * len(seconds):
        return ""
    return f"one of {' '.join(firsts)} and one of {' '.join(seconds)}, such as {forms[-1]}"


def legend(suits: Sequence[Sequence[Suit]]) -> list[str]:
    """Return lines that explain the letters of the short forms of cards."""
    return [", ".join(f"{suit.letter} {say(suit.name)}" for suit in kind) for kind in suits]


def card_example(suits: Sequence[Sequence[Suit]]) -> str:
    """Return the short form of a card and its words, or nothing if cards have no suits."""
    if not suits:
        return ""
    suit, *ribbons = (kind[-1] for kind in suits)
    card = Card(suit, 3, second=ribbons[0] if ribbons else None)
    return f"{card.short} is {card_words(card)}"


# --- rules ----------------------------------------------------------------------------------


def reflowed(markdown: str, width: int) -> str:
    """Return Markdown of the rules as text: paragraphs, lists and tables wrapped at spaces."""
    return "\n\n".join("\n".join(_block_lines(block, width)) for block in blocks(markdown))


def _block_lines(block: str, width: int) -> list[str]:
    """Return the lines of a block."""
    if block.startswith(FENCE):
        return wrapped(block.removeprefix(FENCE).strip("\n"), width, 2)
    if block.startswith("|"):
        items = _table_rows(block.splitlines())
    else:
        items = (" ".join(item.split()) for item in re.split(r"\n(?=- |\d+\. )", block))
    is_list = block.startswith(("|", "- ", "1. "))
    return [line for item in items for line in wrapped(item, width, 2 * is_list)]


def _table_rows(lines: Sequence[str]) -> Iterator[str]:
    """Yield each row of a table, with the headings before its numbers if it has many columns."""
    heads, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    for first, *cells in rows:
        if len(cells) == 1:
            yield f"- {first}: {cells[0]}"
        else:
            named = zip(heads[1:], cells, strict=True)
            yield f"- {first} {heads[0]}: " + ", ".join(f"{head} {cell}" for head, cell in named)


# --- colours --------------------------------------------------------------------------------


def painted(words: str, suits: Sequence[Sequence[Suit]]) -> list[tuple[str, str]]:
    """Split words into prompt_toolkit's fragments, with cards and colours on a coloured background.

    Args:
        words: A text such as "lay blue 3", "B3" or "PR3 (red ribbon)".
        suits: The suits of the game's cards; see ``Words.suits``.
    """
    if not suits:
        return [("", words)]
    by_name = {say(suit.name): suit for kind in suits for suit in kind}
    by_letter = [{suit.letter: suit for suit in kind} for kind in suits]
    card = "".join(f"({_alternatives(kind)})" for kind in by_letter) + r"(\d+)"
    name = rf"({_alternatives(by_name)})(?: \d+)?"
    fragments = []
    end = 0
    for match in re.finditer(rf"(?<!\w)(?:{name}|{card})(?!\w)", words):
        name, *letters, value = match.groups()
        fragments.append(("", words[end : match.start()]))
        end = match.end()
        if name:
            fragments.append((_style(by_name[name]), match[0]))
        else:
            texts = [*letters[:-1], letters[-1] + value]
            styles = [_style(kind[letter]) for kind, letter in zip(by_letter, letters, strict=True)]
            fragments += zip(styles, texts, strict=True)
    return [*fragments, ("", words[end:])]


def _alternatives(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _style(suit: Suit) -> str:
    return f"bg:{suit.fill} fg:{ink_on(suit.fill)}"
