"""Bad input: each a ValueError of one line that says what was wrong. Rules that can be played."""

from __future__ import annotations

from typing import Any

import pytest

from kododo_env import combi_combo_v0
from kododo_env.games.combi_combo import Rules
from tests.games.combi_combo.written_deals import cards, start
from tests.helpers import differences


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_players": 3}, "Combi-Combo is for 4 or 5 players, not 3"),
        ({"num_players": 6}, "4 or 5 players, not 6"),
        ({"copies": (1, 2, 3)}, r"copies must count the cards of the values 1 to 4 .*\(1, 2, 3\)"),
        ({"copies": (1, 2, 3, -1)}, "each of copies must be 0 to 250, not -1"),
        ({"copies": (0, 0, 0, 0)}, r"copies must count .* not \(0, 0, 0, 0\)"),
        ({"copies": (1, 2, 3, 4.0)}, "each of copies must be a whole number, not 4.0"),
        ({"copies": 10}, "copies must be a tuple of whole numbers, not 10"),
        ({"copies": (20, 20, 20, 20)}, "at most 250 cards, not 480"),
        ({"num_turns": 12}, "60 cards do not reach for 4 piles of 16; .* at least 64"),
        ({"num_players": 5, "opening_hand": 5}, "60 cards do not reach for 5 piles of 13"),
        ({"opening_hand": 6}, "4 cards are left over, too few to turn one up in each of 8 turns"),
        ({"fours_points": (0, 0, 0, 1)}, "fours_points needs 7 entries, .* not 4"),
        ({"fours_points": (0,) * 28}, "fours_points .* has 27 at most, not 28"),
        ({"fours_points": (0,) * 6 + (101,)}, "each of fours_points must be -100 to 100, not 101"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Rules(**changes)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=message):
        combi_combo_v0.parallel_env(**changes)


# --- actions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ("B1 Y3 O4 R4", "game 0, player 1, action 10 .pass yellow 3 to the left.; legal now: 4, 5"),
        ("B1 G1 B1 R4", "game 0, player 2, action 0 .pass blue 1 to the left."),
    ],
)
def test_a_card_one_does_not_have_cannot_be_passed(actions: str, message: str) -> None:
    game = start(["B1 B2 B3 B4 B4", "G1 G2 G3 G4 G4", "O4 O4 O4 V4 V4", "R4 R4 R4 R3 R3"])
    before = game.state()
    with pytest.raises(ValueError, match=f"illegal action in combi_combo: {message}"):
        game.step([cards(actions)])
    assert differences(before, game.state()) == []
