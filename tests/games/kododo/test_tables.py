"""Kododo's look-up tables, rebuilt without the cache."""

from __future__ import annotations

from itertools import combinations

import pytest

from kododo_env.games.kododo.game import KododoGame
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.tables import KododoTables, tables

ALL_RULES = [
    Rules(num_players=4),
    Rules(
        num_players=2, num_colours=3, copies=(2, 1, 3), hand_size=3, plays=(2, 1), removed_cards=0
    ),
]


def made_again(rules: Rules) -> KododoTables:
    fresh: KododoTables = tables.__wrapped__(rules)
    return fresh


@pytest.mark.parametrize("rules", ALL_RULES)
def test_an_action_is_legal_if_it_lays_as_many_cards_as_it_must_and_they_are_there(
    rules: Rules,
) -> None:
    remade = made_again(rules)
    slots = range(rules.hand_size)
    actions = [(slot,) for slot in slots] + list(combinations(slots, 2))
    assert remade.slots == tuple(actions)
    assert remade.ends.T.tolist() == [[action[0], action[-1]] for action in actions]
    for plays in range(3):
        for held in range(rules.hand_size + 1):
            legal = [len(action) == plays and max(action) < held for action in actions]
            assert remade.legal[plays][held].tolist() == legal


def test_how_many_decks_is_a_whole_number_in_the_long_variant_too() -> None:
    game = KododoGame(1, Rules(variant="long"), 0)
    with pytest.raises(ValueError, match=r"^num must be at least 1, not 0$"):
        game.sample_decks(0, game.rng)
