"""``GamePolicy``: the network as a policy of stable-baselines3."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO

from kododo_env import registry
from kododo_env.export import export
from kododo_env.networks import GamePolicy
from kododo_env.wrappers.sb3 import BatchVecEnv

SMALL = {"width": 16, "depth": 1}
TABLES = [("kododo", 3, False), ("kado", 2, True)]


def environment(name: str, players: int, **options: Any) -> BatchVecEnv:
    return BatchVecEnv(registry.batch_game(name, 4, num_players=players), **options)


@pytest.mark.parametrize(("name", "players", "tied"), TABLES)
def test_maskable_ppo_learns_and_its_policy_is_exported(
    name: str, players: int, tied: bool, tmp_path: Path
) -> None:
    env = environment(name, players)
    model = MaskablePPO(
        GamePolicy, env, n_steps=8, batch_size=32, seed=0, policy_kwargs={**SMALL, "tied": tied}
    )
    before = [weight.clone() for weight in model.policy.parameters()]
    model.learn(2 * 8 * env.num_envs)
    after = list(model.policy.parameters())
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))
    model.save(tmp_path / "model.zip")
    restored = MaskablePPO.load(tmp_path / "model.zip")
    observation = env.reset()
    masks = env.action_masks()
    chosen, _ = model.predict(observation, action_masks=masks, deterministic=True)
    assert np.array_equal(
        chosen, restored.predict(observation, action_masks=masks, deterministic=True)[0]
    )
    export(model, env.game, tmp_path / "policy.onnx")


@pytest.mark.parametrize("algorithm", [PPO, A2C])
def test_without_maskable_ppo_the_mask_in_the_observation_counts(algorithm: Any) -> None:
    """An illegal action would raise."""
    env = environment("kododo", 4, action_mask="observation", illegal_action="raise")
    model = algorithm(GamePolicy, env, n_steps=8, seed=0, policy_kwargs=SMALL)
    model.learn(8 * env.num_envs)
    observation = env.reset()
    for _ in range(3):
        actions, _ = model.predict(observation)
        observation, *_ = env.step(actions)


def test_one_environment_of_gymnasium_serves_too() -> None:
    model = MaskablePPO(
        GamePolicy, "kododo_env:kododo/Kododo-v0", n_steps=8, batch_size=8, policy_kwargs=SMALL
    )
    model.learn(8)


def test_a_space_is_rejected_of_another_or_a_normalised_environment() -> None:
    with pytest.raises(ValueError, match="no game layouts"):
        PPO(GamePolicy, gymnasium.make("CartPole-v1"))
    with pytest.raises(ValueError, match="normalize"):
        MaskablePPO(GamePolicy, environment("kododo", 2, normalize=True))


def test_a_space_keeps_its_layouts_when_it_is_pickled() -> None:
    env = environment("kado", 3, action_mask="observation")
    space = pickle.loads(pickle.dumps(env.observation_space))
    assert isinstance(space, spaces.Dict)
    assert space == env.observation_space
    assert space["observation"].layouts == env.observation_space["observation"].layouts
