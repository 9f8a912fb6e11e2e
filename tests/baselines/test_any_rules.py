"""The scripted players of every game play whatever rules it takes."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kododo_env import registry
from kododo_env.agent_registry import scripted
from kododo_env.core.agent import joint_action
from tests.games.rules_strategies import AT_THE_BOUNDS, rules_of, short_name
from tests.helpers import few

STEPS = 15


def play(name: str, rules: Any) -> None:
    """Play some steps with each scripted player in every seat; an illegal action raises."""
    numbers = {each.name: getattr(rules, each.name) for each in fields(rules)}
    for make in scripted(name).values():
        game, rng = registry.batch_game(name, 2, 0, **numbers), np.random.default_rng(0)
        agent = make()
        while not game.terminated.all() and game.steps_played < STEPS:
            game.step(joint_action([agent] * game.num_players, game, rng))


@pytest.mark.parametrize(
    ("name", "rules"),
    [(name, rules) for name, all_ in AT_THE_BOUNDS.items() for rules in all_],
    ids=lambda each: each if isinstance(each, str) else short_name(each),
)
def test_scripted_players_play_rules_at_their_bounds(name: str, rules: Any) -> None:
    """With values of 127 KADO's heuristic once reckoned with infinity."""
    play(name, rules)


@pytest.mark.parametrize("name", registry.DOORS)
@few(8)
@given(data=st.data())
def test_scripted_players_play_any_rules(name: str, data: st.DataObject) -> None:
    """With long series of 2s Combi-Combo's heuristic once looked beyond its table."""
    play(name, data.draw(rules_of(name)))
