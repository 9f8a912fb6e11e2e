"""The files of the languages: they translate all texts of page and tables, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docs.static_page import build, puzzles, start
from kododo_env import registry
from kododo_env.rendering.languages import LANGUAGES, translations

PLAY = build.PLAY
# The words between quotes that are said: one text after "say(", two in "plural(".
STRING = r'"((?:[^"\\]|\\.)*)"'
CALLS = (rf"\bsay\(\s*{STRING}", rf"\bplural\([^\"]*?{STRING},\s*{STRING}")
SHOWN = ("aria-label", "title", "placeholder", "alt")
SILENT = ("script", "style", "pre", "kbd", "svg")


class Words(HTMLParser):
    """The texts of a page, as ``say.js`` finds them there."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._within: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            # Parts are said too, such as the word for a level.
            if value and (name in SHOWN or name == "data-words"):
                self._add(value)
            if value and name == "data-told":
                levels = [each for told in json.loads(value).values() for each in told.values()]
                self.found |= {text for text, _ in levels}
        if tag in SILENT:
            self._within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT:
            self._within.remove(tag)

    def handle_data(self, data: str) -> None:
        if not self._within:
            self._add(data)

    def _add(self, text: str) -> None:
        words = " ".join(text.split())
        if any(map(str.isalpha, words)):
            self.found.add(words)


def texts_of_page() -> set[str]:
    """All that the page says of itself: in its modules, in its HTML, and what its build writes."""
    code = [*PLAY.glob("*/*.js"), *Path(build.__file__).parent.glob("*.py")]
    said = {text for file in code for text in _said(file.read_text("utf-8"))}
    pages = [start.start_page(0), build.BACK, (PLAY / "served" / "index.html").read_text("utf-8")]
    pages.append((PLAY / "static" / "puzzles.html").read_text("utf-8"))
    return said.union(puzzles.GRADES, _axes(), *(Words(page).found for page in pages)) - _names()


def _said(code: str) -> Iterator[str]:
    for call in CALLS:
        for texts in re.findall(call, code):
            for text in [texts] if isinstance(texts, str) else texts:
                yield json.loads(f'"{text}"')


def _axes() -> Iterator[str]:
    """The names of the axes by which actions are chosen one after the other."""
    for game in registry.DOORS:
        for piece in registry.batch_game(game, 1).actions.pieces:
            axes = getattr(piece, "axes", ())
            yield from axes if len(axes) > 1 else ()


def _names() -> set[str]:
    """Words of the start page that are names in each language: games."""
    return set(map(start._title, registry.DOORS))


def texts_of_python() -> set[str]:
    """All that is said in ``kododo_env``."""
    return set()


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_each_text_has_its_translation_with_the_same_parts(language: str) -> None:
    texts, found = texts_of_page() | texts_of_python(), translations(language)
    assert sorted(texts - set(found)) == [], f"{language}.json lacks these"
    assert sorted(set(found) - texts) == [], f"{language}.json has these, which nobody says"
    parts = re.compile(r"\{\w+\}").findall
    assert [text for text in texts if set(parts(text)) != set(parts(found[text]))] == []
