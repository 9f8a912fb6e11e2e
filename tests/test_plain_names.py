"""The check of names finds the names that it should."""

from __future__ import annotations

import pytest

from tests.plain_names import check_source


@pytest.mark.parametrize(
    "source",
    [
        "found = 1",
        "for each in cards: pass",
        "def given_cards(): pass",
        "def play(other): pass",
        "class Told: pass",
        "game.left = 1",
        "card, seat = cards[0], 1",
    ],
)
def test_it_finds_vague_names_and_crowded_assignments(source: str) -> None:
    assert len(check_source(source)) == 1


@pytest.mark.parametrize(
    "source", ["card, seat = seat, card", "card, seat = pick(hand)", "print(each)", "leftover = 1"]
)
def test_it_accepts_plain_statements(source: str) -> None:
    assert check_source(source) == []
