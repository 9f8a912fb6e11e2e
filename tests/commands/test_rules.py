"""``kododo rules`` and the rules in words."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from kododo_env import registry
from kododo_env.commands.play import RulesConfig, rules
from kododo_env.registry import rules_text
from kododo_env.rendering.languages import speaking
from kododo_env.table import rules_page
from kododo_env.table.factory import make_table
from kododo_env.table.rules_page import sections
from tests.game_tables import GAMES
from tests.toy_game.high_card import high_card_v0


@pytest.mark.parametrize("game", GAMES)
def test_command_and_table_tell_the_rules(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    rules(RulesConfig(game))
    text = capsys.readouterr().out
    assert text == rules_text(registry.batch_game(game, 1))
    table = make_table(game, opponents=["random"], seed=0, pictures=False)
    (message,) = table.talk(0, {"type": "rules"})[0]
    assert message["text"] == text
    for section in message["sections"]:
        assert f"### {section['title']}\n\n{section['text']}\n" in text


@pytest.mark.parametrize(
    ("language", "winning"), [("en", "wins"), ("de", "gewinnt"), ("fr", "gagne")]
)
@pytest.mark.parametrize("game", GAMES)
def test_rules_begin_with_the_aim_in_words(game: str, language: str, winning: str) -> None:
    with speaking(language):
        first, *_ = sections(registry.batch_game(game, 1), pictures=True)
    assert first["anchor"] == "aim"
    assert first["html"].endswith(f" {winning}.</p>")
    assert not re.search(r"[×*+=]|<table|\bP\b", first["html"])


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("Play *high*.\n\n- one\n- two\n", ["high_card"]),
        ("Play high.\n\n## The end & more\n\nNone.", ["high_card", "The end & more"]),
        ("# High Card\n\n```py\n1 < 2\n```\n\n## Cards\n\nSome.", ["High Card", "Cards"]),
    ],
)
def test_rules_of_any_headings_are_told(
    text: str,
    titles: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Rules of other packages without ``###`` were once an empty page."""
    game = high_card_v0.batch_game(1)
    replace_rules(monkeypatch, text)
    page = sections(game, pictures=True)
    assert [section["title"] for section in page] == titles
    html = "".join(section["html"] for section in page)
    ElementTree.fromstring(f"<div>{html}</div>")
    for words in re.findall(r"\w+", re.sub(r"#.*|```\w*", "", text)):
        assert words in html
    assert ("<ul><li>one</li><li>two</li></ul>" in html) == ("- one" in text)
    assert html.count("<pre>1 &lt; 2") == text.count("```py")
    monkeypatch.setattr(registry, "batch_game", lambda *_: game)
    rules(RulesConfig("high_card"))
    assert capsys.readouterr().out == text.rstrip("\n") + "\n"


def test_a_game_without_them_says_so() -> None:
    with pytest.raises(ValueError, match=r"high_card has no rules\.md"):
        rules_text(high_card_v0.batch_game(1))


def test_a_game_in_a_module_of_no_package_has_no_rules_and_no_examples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = high_card_v0.batch_game(1)
    monkeypatch.setattr(type(game), "__module__", "high_card")
    with pytest.raises(ValueError, match=r"high_card has no rules\.md"):
        sections(game, pictures=False)
    replace_rules(monkeypatch, "Play.")
    assert sections(game, pictures=True)[0]["html"] == "<p>Play.</p>"


def replace_rules(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    for module in (registry, rules_page):
        monkeypatch.setattr(module, "rules_text", lambda *_: text)
