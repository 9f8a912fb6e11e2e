"""Tianshou: DQN with masks by self-play, with GameNetwork as a dueling network.

    pip install '.[play,export]' tianshou
    python docs/examples/tianshou_dqn.py

All seats of every game learn. The targets are Monte Carlo returns, which a hook of Tianshou
computes when a game is over. At the end the network is exported to a policy file, tianshou.onnx,
and its win shares are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import torch
from gymnasium.spaces import Discrete
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory, LRSchedulerFactoryLinear
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.data.collector import EpisodeRolloutHookMCReturn
from tianshou.trainer import OffPolicyTrainerParams
from torch import nn

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.head_to_head import Match
from kododo_env.core.agent import Agent
from kododo_env.core.rewards import reward_function
from kododo_env.export import export
from kododo_env.networks import GameNetwork, NetworkAgent

PLAYERS = 4
SEATS = 1024  # in all games together
STEPS = 18  # of a game
ROUND = SEATS * STEPS  # agent-steps of one game of all seats
ROUNDS_KEPT = 4
GRADIENT_STEPS = 24  # per round


class Seats:
    """All seats of a batch as a Tianshou vector environment; all games of Kododo end together."""

    is_async = False

    def __init__(self, seed: int) -> None:
        self.game = kododo_v0.batch_game(SEATS // PLAYERS, num_players=PLAYERS, seed=seed)
        self.action_space = Discrete(self.game.actions.size)
        self.reward = reward_function("margin+win")
        self.infos = np.array([{} for _ in range(SEATS)])

    def __len__(self) -> int:
        return SEATS

    def reset(self, env_id=None):
        """Deal all games again if they are over."""
        self.game.restart_finished()
        return self.observations(), self.infos

    def step(self, actions, env_id=None):
        """Play one action for every seat."""
        self.game.step(actions.reshape(-1, PLAYERS))
        rewards = self.reward(self.game).flatten()
        terminations = np.repeat(self.game.just_terminated, PLAYERS)
        return self.observations(), rewards, terminations, np.zeros(SEATS, bool), self.infos

    def observations(self) -> Batch:
        """Return observations and masks under the names of Tianshou."""
        observations = np.array(self.game.observe()).reshape(SEATS, -1)
        masks = np.array(self.game.legal_action_mask()).reshape(SEATS, -1)
        return Batch(obs=observations, mask=masks)


class QNetwork(nn.Module):
    """A dueling network: the value and the logits of GameNetwork add up to Q-values."""

    def __init__(self, network: GameNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, observations, state=None, info=None):
        """Return Q-values (B, A) and no state."""
        advantages, values = self.network(torch.as_tensor(observations))
        return values[:, None] + advantages, None


class MonteCarloDQN(DQN):
    """DQN whose targets are the Monte Carlo returns of the game."""

    def _preprocess_batch(self, batch, buffer, indices):
        batch.returns = torch.from_numpy(batch[EpisodeRolloutHookMCReturn.MC_RETURN_TO_GO_KEY])
        return batch


def train(
    steps: int = 800_000, seed: int = 0, report: Callable[[Agent], None] = lambda agent: None
) -> GameNetwork:
    """Train by self-play for ``steps`` agent-steps; ``report`` gets the agent after each update."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002  Tianshou explores with it
    seats = Seats(seed)
    network = new_network()
    policy = DiscreteQLearningPolicy(
        model=QNetwork(network), action_space=seats.action_space, eps_training=0.1
    )
    rounds = max(1, steps // ROUND)
    optimizer = AdamOptimizerFactory(lr=1e-3)
    # Tianshou's epochs count gradient steps.
    schedule = LRSchedulerFactoryLinear(
        max_epochs=rounds * GRADIENT_STEPS, epoch_num_steps=1, collection_step_num_env_steps=1
    )
    optimizer.with_lr_scheduler_factory(schedule)
    dqn = MonteCarloDQN(policy=policy, optim=optimizer, gamma=1.0)
    buffer = VectorReplayBuffer(ROUNDS_KEPT * ROUND, SEATS, ignore_obs_next=True)
    hook = EpisodeRolloutHookMCReturn(gamma=1.0)
    collector = Collector(dqn, seats, buffer, on_episode_done_hook=hook)
    collector.reset()
    agent = NetworkAgent(network)
    dqn.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=rounds,
            epoch_num_steps=ROUND,
            collection_step_num_env_steps=None,
            collection_step_num_episodes=SEATS,
            update_step_num_gradient_steps_per_sample=GRADIENT_STEPS / ROUND,
            batch_size=ROUND // 8,
            training_fn=lambda epoch, step: report(agent),
            show_progress=False,
        )
    )
    report(agent)
    return network


def new_network() -> GameNetwork:
    """Return a network with random weights."""
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    return GameNetwork(game.layout, game.actions, width=256, depth=3, one_hot=8)


def main() -> None:
    """Train, write the policy file, and print its win shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=800_000, help="agent-steps of all seats")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument("--out", default="tianshou.onnx")
    options = parser.parse_args()
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    torch.manual_seed(options.seed)
    before = share(NetworkAgent(new_network()), "random", options.games)
    network = train(options.steps, options.seed)
    export(network, game, options.out)
    bot = kododo_env.load(options.out)
    after = share(bot, "random", options.games)
    print(f"share among three random: {before:.3f} before, {after:.3f} after")
    print(f"share among three heuristic: {share(bot, 'heuristic', options.games):.3f}")


def share(agent: Agent, opponent: str, games: int) -> float:
    """Return the win share of one agent against three copies of an opponent."""
    return Match(agent, opponent, "kododo", PLAYERS, games).play().share.mean


if __name__ == "__main__":
    main()
