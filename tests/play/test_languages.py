"""The translations contain exactly the texts of the page and the tables."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

import kododo_env
from docs.static_page import build, puzzles, start
from kododo_env import registry
from kododo_env.rendering import languages
from kododo_env.rendering.languages import LANGUAGES, translations
from kododo_env.table.factory import make_table
from kododo_env.table.rules_page import sections
from kododo_env.table.table import Table

PLAY = build.PLAY
# The quoted texts that are translated: one after "say(", two in "plural(".
STRING = r'"((?:[^"\\]|\\.)*)"'
CALLS = (rf"\bsay\(\s*{STRING}", rf"\bplural\([^\"]*?{STRING},\s*{STRING}")
SHOWN = ("aria-label", "title", "placeholder", "alt")
SILENT = ("script", "style", "pre", "kbd", "svg")


class Words(HTMLParser):
    """Collects the texts of a page, as ``say.js`` finds them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self._within: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            # Parts of texts are translated too, such as the word for a level.
            if value and (name in SHOWN or name == "data-words"):
                self._add(value)
            if value and name == "data-told":
                levels = [
                    level
                    for table_levels in json.loads(value).values()
                    for level in table_levels.values()
                ]
                self.texts |= {text for text, _ in levels}
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
            self.texts.add(words)


def texts_of_page() -> set[str]:
    """Return the page's own texts: in its modules, its HTML, and what its build writes."""
    code = [*PLAY.glob("*/*.js"), *Path(build.__file__).parent.glob("*.py")]
    texts = {text for file in code for text in _texts_in_calls(file.read_text("utf-8"))}
    pages = [start.start_page(0), build.BACK, (PLAY / "served" / "index.html").read_text("utf-8")]
    pages.append((PLAY / "static" / "puzzles.html").read_text("utf-8"))
    return texts.union(puzzles.GRADES, _axes(), *(Words(page).texts for page in pages)) - _names()


def _texts_in_calls(code: str) -> Iterator[str]:
    for call in CALLS:
        for texts in re.findall(call, code):
            for text in [texts] if isinstance(texts, str) else texts:
                yield json.loads(f'"{text}"')


def _axes() -> Iterator[str]:
    """Return the names of the axes by which actions are chosen one after another."""
    for game in registry.ENVIRONMENT_MODULES:
        for piece in registry.batch_game(game, 1).actions.pieces:
            axes = getattr(piece, "axes", ())
            yield from axes if len(axes) > 1 else ()


def _names() -> set[str]:
    """Return the words of the start page that are the same in each language: names of games."""
    return set(map(start._title, registry.ENVIRONMENT_MODULES))


class Noting(dict[str, str]):
    """An empty translation that records which texts are looked up."""

    def __init__(self) -> None:
        self.requests: set[str] = set()

    def get(self, text: str, *default: Any) -> Any:
        self.requests.add(text)
        return text


def texts_of_python() -> set[str]:
    """Return all texts of ``kododo_env``: those in its code, and those that games bring."""
    texts: set[str] = set()
    for file in Path(kododo_env.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                texts.update(_texts_of_call(node.func.id, node.args))
    noting = Noting()
    with patch.object(languages, "translations", lambda language: noting):
        for game in registry.ENVIRONMENT_MODULES:
            _play(game)
    return {text for text in texts | noting.requests if any(map(str.isalpha, text))}


def _texts_of_call(function: str, arguments: list[ast.expr]) -> Iterator[str]:
    """Return the texts of a call of ``say``, or of ``counted``, which has two."""
    match function, arguments:
        case "say", [ast.Constant(value=str(text)), *_]:
            yield text
        case "counted", [_, ast.Constant(value=str(word))]:
            yield from (f"1 {word}", f"{{n}} {word}s")


def _play(game: str) -> None:
    """Play games at a table to their end, and request everything else that it can say."""
    for seed in range(6):
        people = {"opponents": ["random"], "hints": "heuristic", "pictures": not seed}
        table = make_table(game, seed=seed, **people)
        rng = Random(seed)
        while not table.stage.over:
            actions = table.talk(0, {"type": "look"})[0][-1]["actions"]
            chosen = rng.choice(actions)["action"]
            table.talk(0, {"type": "act", "step": table.step, "action": chosen})
    table.talk(0, {"type": "replay", "record": table.stage.record()})
    lesson = table.game.batch.first_lesson()
    with languages.speaking("en"):
        sections(table.game.batch, pictures=True)
        for text in [lesson.end, *(step.text for step in lesson.steps)]:
            languages.say(text)
        for suit in chain(*table.game.batch.suits()):
            languages.say(suit.name)


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_each_text_has_its_translation_with_the_same_parts(language: str) -> None:
    texts = texts_of_page() | texts_of_python()
    translation = translations(language)
    assert sorted(texts - set(translation)) == [], f"{language}.json lacks these"
    assert sorted(set(translation) - texts) == [], f"{language}.json has these, which nobody says"
    parts = re.compile(r"\{\w+\}").findall
    assert [text for text in texts if set(parts(text)) != set(parts(translation[text]))] == []


def test_each_person_is_told_in_their_language_also_what_was_before() -> None:
    table = make_table("combi_combo", people=2, opponents=["random"], seed=1)
    for person in (0, 1):
        table.talk(person, {"type": "act", "step": 0, "action": _first(table, person)})
    (german,) = table.talk(0, {"type": "speak", "language": "de"})[0]
    (message,) = table.talk(1, {"type": "look"})[1]
    assert german["log"][0]["lines"][0].startswith("player_0 gibt ")
    assert message["log"][0]["lines"][0].startswith("player_")
    assert " passes " in message["log"][0]["lines"][0]
    assert "Zug 2 von 8" in german["picture"]
    assert "turn 2 of 8" in message["picture"]
    assert german["actions"][0]["words"].endswith(" nach links geben")
    assert german["hand"][0]["words"].split()[0] in {
        "Blau",
        "Grün",
        "Gelb",
        "Orange",
        "Violett",
        "Rot",
    }
    (wrong,) = table.talk(0, {"type": "act", "step": 9, "action": 0})[0]
    assert wrong["error"] == "das galt für Schritt 9; der Tisch ist bei 1"
    english = message["actions"][0]["words"]  # accepted in every language
    table.talk(1, {"type": "speak", "language": "fr"})
    table.talk(1, {"type": "act", "step": 1, "action": english})
    assert table.game.chosen == {1: message["actions"][0]["action"]}


def test_a_lesson_is_led_in_another_language() -> None:
    table = make_table("combi_combo", opponents=["random"], seed=1)
    table.talk(0, {"type": "speak", "language": "fr"})
    for _ in range(2):
        (reply,) = table.talk(0, {"type": "lesson", "step": table.step})[0]
        expected = reply["lesson"]["wanted"]
        assert reply["lesson"]["text"].startswith("À chaque tour")
        wrong = next(action for action in reply["actions"] if action["action"] not in expected)
        act = {"type": "act", "step": reply["step"]}
        (error,) = table.talk(0, act | {"action": wrong["action"]})[0]
        assert error["error"].startswith("dans une partie, tu peux\u00a0: passer ")
        reply = table.talk(0, act | {"action": expected[0]})[0][-1]
        assert all(line.startswith("player_") for line in reply["lesson"]["shown"])
        assert " passe " in reply["lesson"]["shown"][0]


def _first(table: Table, person: int) -> int:
    """Return the first legal action of a person."""
    return int(table.talk(person, {"type": "look"})[person][0]["actions"][0]["action"])
