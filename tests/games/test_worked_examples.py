"""The worked examples in the rules use the game's own sentences."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from kododo_env import registry
from kododo_env.table.rules_page import sections
from tests.game_tables import GAMES


@pytest.mark.parametrize("name", GAMES)
def test_the_game_says_of_the_cards_what_the_rules_say(name: str) -> None:
    game = registry.batch_game(name, 1)
    blocks = re.findall(r"```text\n(.*?)```", registry.rules_text(game), flags=re.S)
    assert blocks
    examples = registry.examples_of(game)
    for block in blocks:
        cards, _, words = block.strip("\n").partition("\n\n")
        example = examples.worked(cards.splitlines())
        assert example.lines == words.splitlines()
        assert ElementTree.fromstring(example.picture).get("aria-label")


@pytest.mark.parametrize("name", GAMES)
def test_sections_as_html(name: str) -> None:
    game = registry.batch_game(name, 1)
    illustrated = sections(game, pictures=True)
    plain = sections(game, pictures=False)
    assert len({section["anchor"] for section in illustrated}) == len(illustrated) > 5
    assert [{**section, "html": ""} for section in illustrated] == [
        {**section, "html": ""} for section in plain
    ]
    whole = "".join(section["html"] for section in illustrated)
    assert whole.count("<figure><svg ") == registry.rules_text(game).count("```text")
    assert "player_" not in whole  # regression: these were the names in the examples
    assert "|" not in re.sub(r"<svg.*?</svg>", "", whole, flags=re.S)
    ElementTree.fromstring(f"<div>{whole}</div>")  # each tag is closed
