"""``kododo rules`` and the rules in words."""

from __future__ import annotations

import pytest

from kododo_env import registry
from kododo_env.commands.rules import RulesConfig, rules
from kododo_env.play.seating import make_table
from tests.doors import GAMES
from tests.toy_game.high_card import high_card_v0


@pytest.mark.parametrize("game", GAMES)
def test_command_and_table_tell_the_rules(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    rules(RulesConfig(game))
    told = capsys.readouterr().out
    assert told == registry.batch_game(game, 1).rules_text()
    table = make_table(game, opponents=["random"], seed=0, pictures=False)
    (answer,) = table.talk(0, {"type": "rules"})[0]
    assert answer["text"] == told
    assert all(f"### {each['title']}\n\n{each['text']}\n" in told for each in answer["sections"])


def test_a_game_without_them_says_so() -> None:
    with pytest.raises(ValueError, match=r"high_card has no rules\.md that tells its rules"):
        high_card_v0.batch_game(1).rules_text()
