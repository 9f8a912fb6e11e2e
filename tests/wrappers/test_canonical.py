"""Environments with canonical=True: the same game in canonical form."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from kododo_env import registry
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.layouts.canonical import CanonicalForm
from kododo_env.wrappers.aec import AECGame
from kododo_env.wrappers.gymnasium_vector import BatchVectorEnv
from kododo_env.wrappers.parallel import ParallelGame
from kododo_env.wrappers.sb3 import BatchVecEnv
from kododo_env.wrappers.single import SingleSeatEnv

GAMES = [*registry.ENVIRONMENT_MODULES]


def canonical_of(game: BatchGame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return canonical observations, masks and plain actions of all seats, (N, P, ...)."""
    form = CanonicalForm(game.layout, game.actions)
    rows = np.array(game.observe(), order="C").reshape(-1, game.layout.size)
    masks = np.array(game.legal_action_mask(), order="C").reshape(-1, game.num_actions)
    shape = game.num_envs, game.num_players, -1
    observations, legal, actions = form(rows, masks)
    return observations.reshape(shape), legal.reshape(shape), actions.reshape(shape)


def batch(name: str, num_envs: int) -> BatchGame:
    return registry.batch_game(name, num_envs, num_players=4, seed=1)


@pytest.mark.parametrize("name", GAMES)
def test_a_parallel_game_is_the_plain_game_in_another_form(name: str) -> None:
    env = ParallelGame(batch(name, 1), canonical=True)
    plain = ParallelGame(batch(name, 1))
    rng = np.random.default_rng(0)
    observations, _ = env.reset(seed=3)
    plain.reset(seed=3)
    while env.agents:
        expected, legal, table = canonical_of(env.game)
        for player, agent in enumerate(env.agents):
            assert np.array_equal(observations[agent]["observation"], expected[0, player])
            assert np.array_equal(observations[agent]["action_mask"], legal[0, player])
        chosen = random_legal_actions(legal, rng)[0]
        actions = dict(zip(env.agents, chosen.tolist(), strict=True))
        plain_actions = {
            agent: int(table[0, player, actions[agent]]) for player, agent in enumerate(env.agents)
        }
        observations, rewards, *_ = env.step(actions)
        assert rewards == plain.step(plain_actions)[1]


@pytest.mark.parametrize("name", GAMES)
def test_an_aec_game_takes_canonical_actions(name: str) -> None:
    env = AECGame(batch(name, 1), canonical=True)
    rng = np.random.default_rng(0)
    env.reset(seed=3)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        player = int(agent.removeprefix("player_"))
        expected, legal, _ = canonical_of(env.game)
        assert observation is not None
        assert np.array_equal(observation["observation"], expected[0, player])
        assert np.array_equal(info["action_mask"], legal[0, player])
        env.step(int(random_legal_actions(legal[0, player : player + 1], rng)[0]))
    assert env.game.terminated.all()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seat", [2, "random"])
def test_one_seat_takes_canonical_actions(name: str, seat: Any) -> None:
    single = SingleSeatEnv(batch(name, 1), seat, "greedy", illegal_action="raise", canonical=True)
    rng = np.random.default_rng(0)
    observation, info = single.reset(seed=3)
    over = False
    while not over:
        expected = canonical_of(single.game)[0][0, single.seat]
        assert np.array_equal(observation["observation"], expected)
        action = int(random_legal_actions(info["action_mask"][None] > 0, rng)[0])
        observation, _, over, _, info = single.step(action)
    vector = BatchVectorEnv(
        batch(name, 6), seat, "greedy", illegal_action="raise", canonical=True,
        max_episode_steps=9,
    )  # fmt: skip
    observation, info = vector.reset(seed=3)
    for _ in range(60):
        expected = canonical_of(vector.game)[0][np.arange(6), vector.seats]
        assert np.array_equal(observation["observation"], expected)
        observation, *_, info = vector.step(random_legal_actions(vector.action_masks(), rng))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("opponents", [None, [None, "greedy", None, "random"]])
def test_slots_of_stable_baselines3_take_canonical_actions(name: str, opponents: Any) -> None:
    env = BatchVecEnv(batch(name, 5), opponents=opponents, canonical=True)
    rng = np.random.default_rng(0)
    observation = env.reset()
    for _ in range(60):
        expected = canonical_of(env.game)[0][:, env.seats]
        assert np.array_equal(observation, expected.reshape(env.num_envs, -1))
        masks = env.action_masks()
        slot = int(rng.integers(env.num_envs))
        assert np.array_equal(env.env_method("action_masks", indices=[slot])[0], masks[slot])
        observation, *_ = env.step(random_legal_actions(masks, rng))


def test_scaled_numbers_are_canonical_too() -> None:
    env = BatchVecEnv(batch("kododo", 2), canonical=True, normalize=True)
    numbers = env.reset() * env.game.layout.maxima
    assert np.array_equal(np.rint(numbers), canonical_of(env.game)[0].reshape(8, -1))


def test_what_is_no_canonical_action_is_refused() -> None:
    env = BatchVecEnv(batch("kododo", 2), canonical=True)
    env.reset()
    with pytest.raises(ValueError, match="actions must be 0 to 14"):
        env.step(np.full(8, 15))
    with pytest.raises(ValueError, match="canonical must be True or False"):
        BatchVecEnv(batch("kododo", 2), canonical="yes")


def test_the_option_reaches_every_interface() -> None:
    layouts = [
        gymnasium.make("kododo_env:kododo/Kado-v0", canonical=True).observation_space,
        gymnasium.make_vec("kododo/Kado-v0", canonical=True).single_observation_space,
        pettingzoo.make("parallel", "kododo/Kado-v0", canonical=True).observation_space("player_0"),
        pettingzoo.make("aec", "kododo/Kado-v0", canonical=True).observation_space("player_0"),
    ]
    assert all(space["observation"].layouts.canonical for space in layouts)
