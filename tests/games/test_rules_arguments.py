"""Rules as text."""

from __future__ import annotations

import pytest

from kododo_env.rules_arguments import default_players, parse_rules


def test_rules_are_read_as_names_and_values() -> None:
    assert parse_rules(["variant=long", "target_score=30", "copies=[1,2]"]) == {
        "variant": "long",
        "target_score": 30,
        "copies": (1, 2),
    }
    for bad in (["variant"], ["=3"], ["a="], ["variant=long", "variant=long"]):
        with pytest.raises(ValueError, match="--rules"):
            parse_rules(bad)


def test_four_players_unless_the_game_says_otherwise() -> None:
    assert default_players("kododo") == 4
