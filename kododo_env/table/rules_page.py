"""The rules of a game for the web page: sections as HTML, with drawn examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from types import ModuleType
from typing import Any

from kododo_env.core.batch_game import BatchGame
from kododo_env.registry import examples_of, rules_text
from kododo_env.rendering.languages import current_language

HEADING = re.compile(r"^#{1,6} +", re.M)
FENCE = "```"


def sections(game: BatchGame, pictures: bool) -> list[dict[str, str]]:
    """Return the rules split by their headings.

    Args:
        game: Any batch of the game.
        pictures: Whether to return HTML, with SVG drawings.

    Returns:
        For each heading of ``rules.md`` a dictionary with "anchor", "title" (in the current
        language), "text" (the English Markdown below the heading) and, with ``pictures``, "html"
        (the same as HTML, in the current language). Text before the first heading has the game's
        name as title. A translation is a file such as ``rules.de.md`` beside ``rules.md``, with
        the same headings; without one, all is in English.

    Raises:
        ValueError: The game has no rules in words.
    """
    examples = examples_of(game) if pictures else None
    entries = []
    english = _chapters(game, rules_text(game))
    translated = _chapters(game, rules_text(game, current_language()))
    for (name, text), (title, words) in zip(english, translated, strict=True):
        section = {"anchor": anchor(name), "title": title, "text": text}
        entries.append(section | ({"html": _html(words, examples)} if pictures else {}))
    return entries


def _chapters(game: BatchGame, rules: str) -> list[tuple[str, str]]:
    """Return the heading and the text of each section."""
    before, *parts = HEADING.split(rules)
    if before.strip():
        parts.insert(0, f"{game.name}\n{before}")
    headings = (part.partition("\n") for part in parts)
    return [(title, text.strip()) for title, _, text in headings]


def anchor(title: str) -> str:
    """Return a heading's anchor, in the form that Markdown hosts such as GitHub use."""
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))


# --- the HTML -----------------------------------------------------------------------------
#
# The subset of Markdown that the rules use: paragraphs, lists, tables, fenced blocks and emphasis.
# Everything else is text; HTML tags in the rules are escaped.


def _html(text: str, examples: ModuleType | None) -> str:
    return "\n".join(_block(block, examples) for block in blocks(text))


def blocks(text: str) -> Iterator[str]:
    """Split a section at empty lines; a fenced block is one part."""
    for place, part in enumerate(re.split(rf"^{FENCE}.*\n?", text, flags=re.M)):
        if place % 2:
            yield FENCE + part
        else:
            yield from filter(None, (paragraph.strip() for paragraph in part.split("\n\n")))


def _block(block: str, examples: ModuleType | None) -> str:
    if block.startswith(FENCE):
        return _example(block.removeprefix(FENCE), examples)
    if block.startswith("|"):
        return _table(block.splitlines())
    if block.startswith("1. "):
        entries = re.split(r"^\d+\. ", block, flags=re.M)[1:]
        return f"<ol>{_tags('li', map(_line, entries))}</ol>"
    if block.startswith("- "):
        entries = re.split(r"^- ", block, flags=re.M)[1:]
        return f"<ul>{_tags('li', map(_line, entries))}</ul>"
    return f"<p>{_inline(_line(block))}</p>"


def _line(text: str) -> str:
    """Return a text as one line, with single spaces."""
    return re.sub(r"[ \n]+", " ", text).strip()


def _inline(words: str) -> str:
    """Convert emphasis to HTML and escape everything else."""
    safe = escape(words)
    safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", safe)


def _tags(tag: str, words: Iterable[str]) -> str:
    return "".join(f"<{tag}>{_inline(text)}</{tag}>" for text in words)


def _table(lines: list[str]) -> str:
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    body = "".join(f"<tr>{_tags('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{_tags('th', head)}</tr></thead><tbody>{body}</tbody></table>"


def _example(block: str, examples: Any) -> str:
    """Return the drawing of a worked example with its words below."""
    if examples is None:
        return f"<pre>{escape(block)}</pre>"
    cards, *_ = block.strip("\n").partition("\n\n")  # the words follow, which the game knows
    drawing = examples.worked(cards.splitlines())
    caption = f"<figcaption><ul>{_tags('li', drawing.lines)}</ul></figcaption>"
    return f"<figure>{drawing.picture}{caption}</figure>"
