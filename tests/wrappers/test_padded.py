"""Environments with padded=True: the same game with the sizes of its largest table."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from kododo_env import registry
from kododo_env.all_tables import padding_of
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame, IllegalAction
from kododo_env.layouts.canonical import CanonicalForm
from kododo_env.wrappers.aec import AECGame
from kododo_env.wrappers.gymnasium_vector import BatchVectorEnv
from kododo_env.wrappers.parallel import ParallelGame
from kododo_env.wrappers.sb3 import BatchVecEnv
from kododo_env.wrappers.single import SingleSeatEnv
from kododo_env.wrappers.spaces import layouts_of
from tests.game_tables import TABLES


def batch(name: str, players: int, num_envs: int) -> BatchGame:
    return registry.batch_game(name, num_envs, 1, num_players=players)


@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_slots_see_and_play_padded(name: str, players: int, canonical: bool) -> None:
    env = BatchVecEnv(batch(name, players, 4), padded=True, canonical=canonical)
    padding = padding_of(env.game)
    rng = np.random.default_rng(0)
    layouts = layouts_of(env.observation_space)
    assert layouts.observation == padding.layout
    assert env.action_space.n == layouts.actions.size == padding.actions.size
    form = CanonicalForm(padding.layout, padding.actions)
    observations = env.reset()
    for _ in range(25):
        expected = padding.observations(env.game.observe()).reshape(env.num_envs, -1)
        masks = padding.masks(env.game.legal_action_mask()).reshape(env.num_envs, -1)
        if canonical:
            expected, masks, _ = form(expected, masks)
        assert np.array_equal(observations, expected)
        assert np.array_equal(env.action_masks(), masks)
        observations, *_ = env.step(random_legal_actions(masks, rng))


@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize("name", registry.ENVIRONMENT_MODULES)
def test_all_interfaces_play_to_the_end(name: str, canonical: bool) -> None:
    """With opponents, who see their own table unpadded."""
    players = min(registry.environment_module(name).PLAYERS)
    options: dict[str, Any] = {"padded": True, "canonical": canonical, "illegal_action": "raise"}
    rng = np.random.default_rng(0)
    parallel = ParallelGame(batch(name, players, 1), **options)
    observations, _ = parallel.reset(seed=3)
    while parallel.agents:
        masks = [observations[agent]["action_mask"] > 0 for agent in parallel.agents]
        chosen = random_legal_actions(np.array(masks), rng).tolist()
        observations, *_ = parallel.step(dict(zip(parallel.agents, chosen, strict=True)))
    aec = AECGame(batch(name, players, 1), **options)
    aec.reset(seed=3)
    for agent in aec.agent_iter():
        _, _, terminated, _, info = aec.last()
        mask = info["action_mask"][None] > 0
        aec.step(None if terminated else int(random_legal_actions(mask, rng)[0]))
        assert aec.action_space(agent).n == mask.shape[1]
    single = SingleSeatEnv(batch(name, players, 1), 1, "heuristic", **options)
    observation, info = single.reset(seed=3)
    over = False
    while not over:
        assert single.observation_space.contains(observation)
        action = int(random_legal_actions(info["action_mask"][None] > 0, rng)[0])
        observation, _, over, _, info = single.step(action)
    vector = BatchVectorEnv(
        batch(name, players, 6), "random", "heuristic", max_episode_steps=5, **options
    )
    observation, _ = vector.reset(seed=3)
    for _ in range(30):
        assert vector.observation_space.contains(observation)
        observation, *_ = vector.step(random_legal_actions(vector.action_masks(), rng))


def test_scaled_numbers_are_divided_by_the_common_maxima() -> None:
    env = BatchVecEnv(batch("kododo", 2, 2), padded=True, normalize=True)
    maxima = padding_of(env.game).layout.maxima
    expected = padding_of(env.game).observations(env.game.observe()).reshape(4, -1)
    assert np.array_equal(np.rint(env.reset() * maxima).shape, expected.shape)
    expected = padding_of(env.game).observations(env.game.observe()).reshape(4, -1)
    assert np.array_equal(np.rint(env._observations() * maxima), expected)


def test_an_action_of_a_larger_table_is_illegal() -> None:
    env = ParallelGame(batch("kado", 2, 1), padded=True)
    observations, _ = env.reset(seed=0)
    actions = {
        name: int(observation["action_mask"].argmax()) for name, observation in observations.items()
    }
    with pytest.raises(IllegalAction, match="player_0: 3; legal now"):
        env.step(actions | {"player_0": 3})
    with pytest.raises(ValueError, match="must be 0 to 66, not 67"):
        env.step(actions | {"player_0": 67})
    single = SingleSeatEnv(batch("kado", 2, 1), padded=True, illegal_action="raise")
    single.reset(seed=0)
    with pytest.raises(IllegalAction, match="illegal action of player 0: 3; legal now"):
        single.step(3)
    with pytest.raises(ValueError, match="padded must be True or False"):
        ParallelGame(batch("kado", 2, 1), padded="yes")


def test_the_option_reaches_every_interface() -> None:
    options = {"num_players": 2, "padded": True}
    spaces = [
        gymnasium.make("kododo_env:kododo/Kododo-v0", **options).observation_space,
        gymnasium.make_vec("kododo/Kododo-v0", **options).single_observation_space,
        pettingzoo.make("parallel", "kododo/Kododo-v0", **options).observation_space("player_0"),
        pettingzoo.make("aec", "kododo/Kododo-v0", **options).observation_space("player_0"),
    ]
    assert [space["observation"].shape for space in spaces] == [(143,)] * 4
