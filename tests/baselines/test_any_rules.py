"""The scripted players of every game play under any rules."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kododo_env import registry
from kododo_env.agent_registry import baselines, make_agent
from kododo_env.core.agent import joint_action
from kododo_env.held_out import held_out
from tests.game_tables import TABLES
from tests.games.rules_strategies import AT_THE_BOUNDS, rules_of, short_name
from tests.helpers import hypothesis_settings

STEPS = 15


def scripted_players(game: str) -> list[str]:
    """The names of a game's scripted players, with the held-out ones."""
    return [*baselines(game), *(name for name in held_out(game, 0) if name.count(":") == 1)]


RULES: list[tuple[str, dict[str, Any]]] = [
    *((name, {"num_players": players}) for name, players in TABLES),
    *(("kododo", {"num_players": players, "variant": "long"}) for players in (2, 3, 4, 5)),
    ("kododo", {"num_players": 2, "limit_offset": 1}),
    ("kado", {"num_players": 3, "discards": 1}),
    ("kado", {"num_players": 2, "discards": 0}),
]


@pytest.mark.parametrize(("game", "rules"), RULES)
def test_scripted_players_play_legally_to_the_end_and_with_nothing_to_decide(
    game: str, rules: dict[str, Any]
) -> None:
    for name in scripted_players(game):
        agent = make_agent(name, game)
        played = registry.batch_game(game, 20, 1, **rules)
        assert agent.name == name
        while True:
            chosen = [
                agent.act(played.view(player), np.random.default_rng(0))
                for player in range(played.num_players)
            ]
            assert {actions.shape for actions in chosen} == {(20,)}
            over = bool(played.terminated.all())
            played.step(np.stack(chosen, axis=1))  # raises if one is illegal
            if over:
                break


@pytest.mark.parametrize("game", registry.ENVIRONMENT_MODULES)
def test_the_same_generator_gives_the_same_choices_and_they_differ_else(game: str) -> None:
    for name in scripted_players(game):
        view = registry.batch_game(game, 500, 1).view(0)
        choices, repeat, other_choices = (
            make_agent(name, game).act(view, np.random.default_rng(s)) for s in (5, 5, 6)
        )
        assert (choices == repeat).all()
        assert (choices != other_choices).any()


def play(name: str, rules: Any) -> None:
    """Play some steps with each scripted player in every seat; illegal actions raise."""
    numbers = {number.name: getattr(rules, number.name) for number in fields(rules)}
    for player in scripted_players(name):
        game = registry.batch_game(name, 2, 0, **numbers)
        rng = np.random.default_rng(0)
        agent = make_agent(player, name)
        while not game.terminated.all() and game.steps_played < STEPS:
            game.step(joint_action([agent] * game.num_players, game, rng))


@pytest.mark.parametrize(
    ("name", "rules"),
    [(name, rules) for name, all_ in AT_THE_BOUNDS.items() for rules in all_],
    ids=lambda argument: argument if isinstance(argument, str) else short_name(argument),
)
def test_scripted_players_play_rules_at_their_bounds(name: str, rules: Any) -> None:
    """Regression: with values of 127 KADO's heuristic overflowed."""
    play(name, rules)


@pytest.mark.parametrize("name", registry.ENVIRONMENT_MODULES)
@hypothesis_settings(8)
@given(data=st.data())
def test_scripted_players_play_any_rules(name: str, data: st.DataObject) -> None:
    """Regression: with long series of 2s Combi-Combo's heuristic exceeded its table."""
    play(name, data.draw(rules_of(name)))
