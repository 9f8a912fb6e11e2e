"""Tianshou: one Q-network for all seats of the PettingZoo AEC environment.

    python docs/examples/tianshou_dqn.py

The reward comes when the last player has chosen, so the n-step horizon must be P at least.
"""

from __future__ import annotations

import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from kododo_env import kododo_v0

PLAYERS, GAMES, EPOCHS, STEPS = 4, 8, 2, 1000


def make():
    """One game."""
    return PettingZooEnv(kododo_v0.env(num_players=PLAYERS, reward="win", normalize=True))


def main() -> None:
    """Train for some epochs."""
    torch.manual_seed(0)
    env = make()
    shape, actions = env.observation_space["observation"].shape, env.action_space.n
    net = Net(state_shape=shape, action_shape=actions, hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
    dqn = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=PLAYERS,
        target_update_freq=100,
    )
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[dqn] * PLAYERS, env=env)
    envs = DummyVectorEnv([make] * GAMES)
    envs.seed(0)
    collector = Collector(algorithm, envs, VectorReplayBuffer(20_000, GAMES))
    collector.reset()
    result = algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=EPOCHS,
            epoch_num_steps=STEPS,
            collection_step_num_env_steps=200,
            update_step_num_gradient_steps_per_sample=0.05,
            batch_size=64,
        )
    )
    steps, updates = result.train_step, result.update_step
    print(f"{EPOCHS} epochs: {steps} choices, {updates} times learned from them")


if __name__ == "__main__":
    main()
