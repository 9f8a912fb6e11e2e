"""The rules of a game for a page: sections with an address, as HTML, with worked examples drawn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from kododo_env.core.batch_game import BatchGame
from kododo_env.rendering.languages import say

HEADING = re.compile(r"^#{1,6} +", re.M)
FENCE = "```"


def sections(game: BatchGame, pictures: bool) -> list[dict[str, str]]:
    """The rules by their headings.

    Args:
        game: Any batch of it.
        pictures: Whether there is HTML, with drawings as SVG.

    Returns:
        For each heading of ``rules.md`` its ``anchor``, ``title`` and ``text``, the Markdown below
        it in English; and with pictures ``html``, the same for a page, in the language spoken. The
        words before the first heading stand under the game's name.

    Raises:
        ValueError: The game has no rules in words.
    """
    examples = _examples(game) if pictures else None
    entries = []
    before, *parts = HEADING.split(game.rules_text())
    if before.strip():
        parts.insert(0, f"{game.name}\n{before}")
    for part in parts:
        title, _, text = part.partition("\n")
        section = {"anchor": anchor(title), "title": say(title), "text": text.strip()}
        entries.append(section | ({"html": _html(text, examples)} if pictures else {}))
    return entries


def anchor(title: str) -> str:
    """The name of a section in an address, as hosts of Markdown make it from its heading."""
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))


def example_of(block: str) -> tuple[list[str], list[str]]:
    """A worked example, a fenced block of ``rules.md``: its cards, and the game's words on them."""
    cards, _, words = block.strip("\n").partition("\n\n")
    return cards.splitlines(), words.splitlines()


def _examples(game: BatchGame) -> ModuleType | None:
    """The module ``examples`` beside the game's class, if there is one; it draws them."""
    package = type(game).__module__.rpartition(".")[0]
    name = f"{package}.examples"
    return import_module(name) if package and find_spec(name) else None


# --- the HTML -----------------------------------------------------------------------------
#
# As much of Markdown as the rules need: paragraphs, lists, tables, fenced blocks, and words that
# stand out. All else is text; no tag in the rules is a tag on the page.


def _html(text: str, examples: ModuleType | None) -> str:
    return "\n".join(_block(block, examples) for block in _blocks(text))


def _blocks(text: str) -> Iterator[str]:
    """The parts of a section between empty lines; a fenced block is one."""
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
        return f"<ol>{_tags('li', map(_translate, entries))}</ol>"
    if block.startswith("- "):
        entries = re.split(r"^- ", block, flags=re.M)[1:]
        return f"<ul>{_tags('li', map(_translate, entries))}</ul>"
    return f"<p>{_inline(_translate(block))}</p>"


def _translate(text: str) -> str:
    """A text of the rules in the language that is spoken."""
    return say(" ".join(text.split()))


def _inline(words: str) -> str:
    """Words that stand out, and nothing else that could be a tag."""
    safe = escape(words)
    safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", safe)


def _tags(tag: str, words: Iterable[str]) -> str:
    return "".join(f"<{tag}>{_inline(text)}</{tag}>" for text in words)


def _table(lines: list[str]) -> str:
    head, _, *rows = ([_translate(cell) for cell in line.strip("|").split("|")] for line in lines)
    body = "".join(f"<tr>{_tags('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{_tags('th', head)}</tr></thead><tbody>{body}</tbody></table>"


def _example(block: str, examples: Any) -> str:
    """The drawing of a worked example, and below it what the game says."""
    if examples is None:
        return f"<pre>{escape(block)}</pre>"
    drawing = examples.worked(example_of(block)[0])
    caption = f"<figcaption><ul>{_tags('li', drawing.lines)}</ul></figcaption>"
    return f"<figure>{drawing.picture}{caption}</figure>"
