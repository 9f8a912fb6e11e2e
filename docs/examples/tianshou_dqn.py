"""Tianshou: DQN with masks on a batch of games in a Gymnasium VectorEnv.

    pip install '.[play,export]' tianshou
    python docs/examples/tianshou_dqn.py

One seat of every game learns among random players. At the end it is a policy file, tianshou.onnx,
whose share of the victory among random players is told beside that of the network before it
learned. Tianshou wants the mask beside the observation, as ``obs.mask``.
"""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net
from torch import nn

import kododo_env
from kododo_env.arena.match import Match
from kododo_env.arena.shares import share
from kododo_env.export import export

PLAYERS, GAMES, STEPS = 4, 64, 18  # a game of Kododo has 18 steps
EPOCHS, ROUND = 10, GAMES * STEPS  # a round plays each game once


class Games:
    """The batch as Tianshou's vector environment: all games of Kododo end together."""

    is_async = False

    def __init__(self) -> None:
        self.batch = gymnasium.make_vec(
            "kododo_env:kododo/Kododo-v0", num_envs=GAMES, num_players=PLAYERS, opponents="random",
            reward="win", action_mask="observation", normalize=True, illegal_action="raise",
            autoreset_mode="Disabled",  # Tianshou deals again itself
        )  # fmt: skip
        self.action_space = self.batch.single_action_space
        self.infos = np.array([{} for _ in range(GAMES)])

    def __len__(self) -> int:
        return GAMES

    def reset(self, env_id=None, seed=None):
        """Deal all games."""
        return seen(self.batch.reset(seed=seed)[0]), self.infos

    def step(self, actions, env_id):
        """Play an action in each game."""
        observation, *rest, _ = self.batch.step(actions)
        return seen(observation), *rest, self.infos


def seen(observation):
    """Observations and masks under Tianshou's names."""
    return Batch(obs=observation["observation"], mask=observation["action_mask"].astype(bool))


class Logits(nn.Module):
    """The Q-values alone; Tianshou's network gives a state beside them."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        """Q-values as logits."""
        return self.net(numbers)[0]


def main() -> None:
    """Train for some epochs, measure and export."""
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  Tianshou explores by it
    games = Games()
    shape = games.batch.single_observation_space["observation"].shape
    net = Net(state_shape=shape, action_shape=games.action_space.n, hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(model=net, action_space=games.action_space, eps_training=0.1)
    dqn = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=5e-4),
        gamma=1.0,
        n_step_return_horizon=5,
        target_update_freq=100,
    )

    def choose(numbers, mask):
        """The actions of the highest Q-values."""
        with torch.no_grad():
            return policy(Batch(obs=Batch(obs=numbers, mask=mask), info=Batch())).act

    before = share(choose, "kododo", PLAYERS, normalize=True)
    collector = Collector(dqn, games, VectorReplayBuffer(20 * ROUND, GAMES))
    collector.reset(gym_reset_kwargs={"seed": 0})
    result = dqn.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=EPOCHS,
            epoch_num_steps=10 * ROUND,
            collection_step_num_env_steps=ROUND,
            update_step_num_gradient_steps_per_sample=0.02,
            batch_size=256,
            show_progress=False,
        )
    )
    print(f"{EPOCHS} epochs: {result.train_step} choices")
    export(Logits(net), games.batch.unwrapped.game, "tianshou.onnx", normalize=True)
    learned = kododo_env.load("tianshou.onnx")
    after = Match(learned, "random", "kododo", PLAYERS, games=2000).play().share
    print(f"share among random players: {before.mean:.3f} before, {after.mean:.3f} after")


if __name__ == "__main__":
    main()
