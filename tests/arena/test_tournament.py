"""Tournaments that can be played, and those that cannot."""

from __future__ import annotations

from typing import Any

import pytest

from tests.arena.players import tournament


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"agents": ("random",)}, "name two agents at least, not 1"),
        ({"games": 3}, "4 players need 4 games at least"),
        ({"games": 0}, "4 players need 4 games at least"),
        ({"games": -20}, "not -20"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"players": 1}, "2 to 5 players"),
        ({"games": 10**12}, "games must be 10000000 or less"),
        ({"rules": {"nonsense": 1}}, "kododo has no rule 'nonsense'"),
        ({"rules": {"num_players": 3}}, "num_players is no further rule: say it as players"),
        ({"agents": tuple("abcdef"), "games": 4}, "4 games are too few for 6 agents"),
    ],
)
def test_tournaments_that_cannot_be_played(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tournament(**changes)
