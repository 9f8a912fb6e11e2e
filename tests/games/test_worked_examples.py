"""The worked examples in the rules of each game: the words beside the cards are the game's own."""

from __future__ import annotations

import re
from importlib import import_module
from xml.etree import ElementTree

import pytest

from kododo_env import registry
from kododo_env.play.rules_page import example_of, sections
from tests.doors import GAMES


@pytest.mark.parametrize("name", GAMES)
def test_the_game_says_of_the_cards_what_the_rules_say(name: str) -> None:
    game = registry.batch_game(name, 1)
    blocks = re.findall(r"```text\n(.*?)```", game.rules_text(), flags=re.S)
    assert blocks
    examples = import_module(f"{type(game).__module__.rpartition('.')[0]}.examples")
    for block in blocks:
        cards, said = example_of(block)
        found = examples.worked(cards)
        assert found.lines == said
        assert ElementTree.fromstring(found.picture).get("aria-label")


@pytest.mark.parametrize("name", GAMES)
def test_sections_as_html(name: str) -> None:
    game = registry.batch_game(name, 1)
    found = sections(game, pictures=True)
    plain = sections(game, pictures=False)
    assert len({each["anchor"] for each in found}) == len(found) > 5
    assert [{**each, "html": ""} for each in found] == [{**each, "html": ""} for each in plain]
    whole = "".join(each["html"] for each in found)
    assert whole.count("<figure><svg ") == game.rules_text().count("```text")
    assert "|" not in re.sub(r"<svg.*?</svg>", "", whole, flags=re.S)
    ElementTree.fromstring(f"<div>{whole}</div>")  # each tag is closed
