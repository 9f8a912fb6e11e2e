"""The translations contain exactly the texts of the page and the tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import pytest

import kododo_env
from docs.static_page import build, start
from kododo_env import registry
from kododo_env.rendering import languages
from kododo_env.rendering.languages import LANGUAGES, say, translations
from kododo_env.table.factory import make_table
from kododo_env.table.rules_page import sections
from kododo_env.table.table import Table

PLAY = build.PLAY
PYTHON = [
    *Path(kododo_env.__file__).parent.rglob("*.py"),
    *Path(build.__file__).parent.glob("*.py"),
]
SCRIPTS = [*PLAY.glob("*/*.js")]
ENGLISH = translations("en")
KEY = rf"(?:{'|'.join({key.partition('.')[0] for key in ENGLISH})})(?:\.\w+)+"
SHOWN = {"aria-label": "data-label", "placeholder": "data-placeholder"}
SILENT = ("script", "style", "pre", "kbd", "svg")
VOID = ("meta", "link", "img", "input", "br")


class Words(HTMLParser):
    """Collects the texts of a page, each with its key, as ``say.js`` finds them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[tuple[str | None, str]] = []
        self.keys: set[str] = set()
        self._within: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        data = [value for name, value in attributes.items() if name.startswith("data-")]
        self.keys |= set(re.findall(rf"(?<!\w){KEY}", " ".join(data)))
        for name, key in SHOWN.items():
            self._add(attributes.get(name, ""), attributes.get(key))
        if tag not in VOID:
            self._within.append((tag, attributes))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._within.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if self._within and not {tag for tag, _ in self._within}.intersection(SILENT):
            _, attributes = self._within[-1]
            parts = {name.removeprefix("data-"): say(part) for name, part in attributes.items()}
            self._add(data, attributes.get("data-text"), parts)

    def _add(
        self, text: str, key: str | None, parts: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        words = " ".join(text.split())
        if any(map(str.isalpha, words)):
            self.texts.append((key and say(key, **parts), words))


def pages() -> Iterator[Words]:
    """Yield the pages of HTML."""
    yield Words(start.start_page(0))
    yield Words(build.BACK.removesuffix("</body>"))
    yield Words((PLAY / "served" / "index.html").read_text("utf-8"))
    yield Words((PLAY / "static" / "puzzles.html").read_text("utf-8"))


class Noting(dict[str, str]):
    """An empty translation that records which keys are looked up."""

    def __init__(self) -> None:
        self.requests: set[str] = set()

    def get(self, key: str, *default: Any) -> Any:
        self.requests.add(key)
        return key


def requested_keys() -> set[str]:
    """Return the keys that are looked up when games are played and the pages are made."""
    noting = Noting()
    with patch.object(languages, "translations", lambda language: noting):
        for game in registry.ENVIRONMENT_MODULES:
            _play(game)
        start.start_page(0)
    return {key for key in noting.requests if re.fullmatch(KEY, key)}


def _play(game: str) -> None:
    """Play games at a table to their end, and request everything else that it can say."""
    for seed in range(6):
        people: dict[str, Any] = {
            "opponents": ["random"],
            "hints": "heuristic",
            "pictures": not seed,
        }
        table = make_table(game, seed=seed, **people)
        rng = Random(seed)
        while not table.stage.over:
            actions = table.talk(0, {"type": "look"})[0][-1]["actions"]
            table.talk(0, {"type": "hint", "step": table.step})
            for text in ("?", actions[0]["short"].partition(" ")[0]):
                table.talk(0, {"type": "interpret", "step": table.step, "text": text})
            chosen = rng.choice(actions)["action"]
            table.talk(0, {"type": "act", "step": table.step, "action": chosen})
    table.talk(0, {"type": "replay", "record": table.stage.record()})
    sections(table.game.batch, pictures=True)


def keys_in_calls() -> set[str]:
    """Return the keys in calls of ``say``, ``counted`` and ``plural``."""
    code = "\n".join(file.read_text("utf-8") for file in (*PYTHON, *SCRIPTS))
    keys = set(re.findall(rf"\bsay\(\s*[\"']({KEY})[\"']", code))
    for stem in re.findall(rf"\b(?:counted|plural)\([^\"']*[\"']({KEY})[\"']", code):
        keys |= {f"{stem}.one", f"{stem}.many"}
    return keys


def quoted_keys() -> set[str]:
    """Return all keys that stand in quotes in the code."""
    code = "\n".join(file.read_text("utf-8") for file in (*PYTHON, *SCRIPTS))
    return set(re.findall(rf"[\"']({KEY})[\"']", code))


def stems() -> tuple[str, ...]:
    """Return the beginnings of keys to which JavaScript adds the rest."""
    code = "\n".join(file.read_text("utf-8") for file in SCRIPTS)
    return tuple(re.findall(rf"`({KEY}\.)\$", code))


def axis_keys() -> set[str]:
    """Return the keys of the axes by which actions are chosen one after another."""
    pieces = chain.from_iterable(
        registry.batch_game(game, 1).actions.pieces for game in registry.ENVIRONMENT_MODULES
    )
    axes = [getattr(piece, "axes", ()) for piece in pieces]
    return {f"game.axis.{axis}" for names in axes if len(names) > 1 for axis in names}


def test_each_key_has_a_text_and_each_text_is_used() -> None:
    required = (
        keys_in_calls()
        | requested_keys()
        | axis_keys()
        | set().union(*(page.keys for page in pages()))
    )
    assert sorted(required - set(ENGLISH)) == [], "en.json lacks these"
    unspoken = set(ENGLISH) - required - quoted_keys()
    unused = sorted(key for key in unspoken if not key.startswith(stems()))
    assert unused == [], "en.json has these, which nobody says"


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_each_language_has_the_same_keys_with_the_same_parts(language: str) -> None:
    translation = translations(language)
    assert translation.keys() == ENGLISH.keys()
    parts = re.compile(r"\{\w+\}").findall
    assert [
        key for key in ENGLISH if set(parts(ENGLISH[key])) != set(parts(translation[key]))
    ] == []


def test_the_pages_have_the_english_texts_of_their_keys() -> None:
    names = set(map(start._title, registry.ENVIRONMENT_MODULES))
    for page in pages():
        assert [
            (key, words) for key, words in page.texts if key != words and words not in names
        ] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", registry.ENVIRONMENT_MODULES)
def test_the_rules_have_the_same_sections_and_examples(game: str, language: str) -> None:
    batch = registry.batch_game(game, 1)
    english = sections(batch, pictures=True)
    with languages.speaking(language):
        translation = sections(batch, pictures=True)
    assert [part["anchor"] for part in translation] == [part["anchor"] for part in english]
    for tag in ("<svg", "<p>", "<li>", "<td>"):
        assert [part["html"].count(tag) for part in translation] == [
            part["html"].count(tag) for part in english
        ]
    assert (translation == english) == (language == "en")


def test_what_is_no_key_is_shown_as_it_is() -> None:
    with languages.speaking("de"):
        assert say("draw {card}", card="the ace") == "draw the ace"


def test_each_person_is_told_in_their_language_also_what_was_before() -> None:
    table = make_table("combi_combo", people=2, opponents=["random"], seed=1)
    for person in (0, 1):
        table.talk(person, {"type": "act", "step": 0, "action": _first(table, person)})
    (german,) = table.talk(0, {"type": "speak", "language": "de"})[0]
    (message,) = table.talk(1, {"type": "look"})[1]
    assert german["log"][0]["lines"][0].startswith("player_0 gibt ")
    assert message["log"][0]["lines"][0].startswith("player_")
    assert " passes " in message["log"][0]["lines"][0]
    assert "Zug 2 von 8" in german["moment"]
    assert "turn 2 of 8" in message["moment"]
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
        names = [player["called"] for player in reply["players"]]
        assert names[0] == "Invité"
        assert all(event["text"].startswith(tuple(names)) for event in reply["lesson"]["shown"])
        assert " passe " in reply["lesson"]["shown"][0]["text"]


def _first(table: Table, person: int) -> int:
    """Return the first legal action of a person."""
    return int(table.talk(person, {"type": "look"})[person][0]["actions"][0]["action"])
