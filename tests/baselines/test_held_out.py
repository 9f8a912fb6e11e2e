"""The held-out opponents, and a check that scripted players use only their view."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.agent_registry import (
    FLAT,
    SEARCHES,
    baselines,
    load,
    make_agent,
    policy_path,
    policy_tables,
)
from kododo_env.arena.head_to_head import Match
from kododo_env.held_out import HELD_OUT, HELD_OUT_POLICIES, held_out, held_out_policies
from tests.game_tables import TABLES
from tests.helpers import play_random

SCRIPTED = [
    (game, name)
    for game in registry.ENVIRONMENT_MODULES
    for name in (*baselines(game)[1:], *held_out(game, 0))
    if not name.startswith(SEARCHES)
]
NOT_LEARNED_FROM = [entry for entry in SCRIPTED if entry[1] not in baselines(entry[0])]
POLICIES = [name for name, file in held_out_policies().items() if file.parent == HELD_OUT_POLICIES]


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_each_table_has_some_of_each_kind(game: str, players: int) -> None:
    names = held_out(game, players)
    assert names[0].startswith(HELD_OUT)
    assert [name for name in names if name.startswith(FLAT)]
    assert not {*names} & {*baselines(game)}
    for name in names:
        assert make_agent(name, game).name == name
    held_out_policy = f"{HELD_OUT}{game}-{players}p"
    assert (held_out_policy in names) == (HELD_OUT_POLICIES / f"{game}-{players}p.onnx").exists()


@pytest.mark.parametrize("name", POLICIES)
def test_held_out_policies_are_of_their_table_and_small(name: str) -> None:
    game, players = policy_tables()[name.removeprefix(HELD_OUT)]
    batch = registry.batch_game(game, 5, 0, num_players=players)
    load(name).check(batch)  # type: ignore[attr-defined]
    play_random(batch, np.random.default_rng(0), 1)
    legal = batch.legal_action_mask()[np.arange(5), 0]
    assert legal[np.arange(5), load(name).act(batch.view(0), np.random.default_rng(0))].all()
    assert policy_path(name).stat().st_size < 400_000


@pytest.mark.parametrize("name", POLICIES)
def test_held_out_policies_have_learned_from_nobody(name: str) -> None:
    training = load(name).metadata.training  # type: ignore[attr-defined]
    recipe = training["recipe"]
    assert (recipe["expert"], recipe["opponents"]) == ("", [])
    assert (recipe["width"], recipe["depth"], recipe["one_hot"]) == (128, 2, 0)
    assert training["seed"] == 1000


@pytest.mark.parametrize(("game", "name"), SCRIPTED)
def test_hidden_cards_change_nothing(game: str, name: str) -> None:
    players = max(registry.environment_module(game).PLAYERS)
    batch = registry.batch_game(game, 20, 1, num_players=players)
    agent = make_agent(name, game)
    while not batch.terminated.all():
        for player in range(players):
            other_world = batch.determinize(player, np.random.default_rng(2), 1)
            choices, other_choices = (
                agent.act(g.view(player), np.random.default_rng(3)) for g in (batch, other_world)
            )
            assert np.array_equal(choices, other_choices)
        play_random(batch, np.random.default_rng(4), 3)


@pytest.mark.parametrize(("game", "name"), SCRIPTED)
def test_a_batch_is_played_like_its_games_one_by_one(game: str, name: str) -> None:
    """Compares action values, since the noise is drawn for all games of a batch at once."""
    batch = registry.batch_game(game, 6, 1)
    agent = make_agent(name, game)
    while not batch.terminated.all():
        for player in range(batch.num_players):
            values = agent.action_values(batch.view(player))  # type: ignore[attr-defined]
            alone = [
                agent.action_values(batch.take(np.array([i])).view(player))  # type: ignore[attr-defined]
                for i in range(6)
            ]
            legal = batch.legal_action_mask()[:, player].T
            legal = legal & (legal.sum(axis=0) > 1)  # players without a decision have no values
            differ = np.abs(values - np.concatenate(alone, axis=1))
            assert np.where(legal, differ, 0).max() < 1e-4
        play_random(batch, np.random.default_rng(4), 2)


@pytest.mark.parametrize(("game", "name"), NOT_LEARNED_FROM)
def test_they_are_far_better_than_greedy(game: str, name: str) -> None:
    players = min(registry.environment_module(game).PLAYERS)
    share = Match(name, "greedy", game, players, games=400, seed=3).play().share
    assert share.low > 1.25 / players
