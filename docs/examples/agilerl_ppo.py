"""AgileRL: PPO with masks by self-play, on canonical observations of a Gymnasium VectorEnv.

    pip install '.[play,export]' agilerl peft
    python docs/examples/agilerl_ppo.py

One seat of every game learns. The same network plays the other seats (self-play). AgileRL expects
observations as arrays, and takes the mask from the info. At the end the networks of the agent are
written to a policy file, agilerl.onnx, and its win shares are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts.on_policy import collect_rollouts
from torch import nn

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.head_to_head import Match
from kododo_env.core.agent import Agent
from kododo_env.export import export
from kododo_env.networks import CanonicalNetwork, NetworkAgent

PLAYERS = 4
GAMES = 1024
STEPS = 18  # of a game of Kododo
FIRST_RATE = 1e-3
LAST_RATE = 1e-4
NETWORK = {"encoder_config": {"hidden_size": [256, 256]}}


class Network(nn.Module):
    """The network of a policy file: logits and values, both from the encoder of the actor."""

    def __init__(self, learner: PPO) -> None:
        super().__init__()
        self.encoder = learner.actor.encoder
        self.logits = learner.actor.head_net.wrapped  # without sampling of actions
        self.value = learner.critic.head_net

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (B, A) and values (B, 1) of canonical observations (B, F)."""
        hidden = self.encoder(observation)
        return self.logits(hidden), self.value(hidden)


def train(
    steps: int = 1_000_000, seed: int = 0, report: Callable[[Agent], None] = lambda agent: None
) -> Network:
    """Train by self-play for ``steps`` decisions; ``report`` gets the agent after each update."""
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002  AgileRL shuffles with it
    torch.set_num_threads(1)
    envs = new_envs()
    learner = new_learner(envs)
    network = Network(learner)
    envs.unwrapped.opponents = agent_of(network, temperature=1)
    agent = agent_of(network)
    observation, info = envs.reset(seed=seed)
    state = observation, np.zeros(GAMES), np.zeros(GAMES), info
    names = "last_obs", "last_done", "last_scores", "last_info"
    updates = max(1, steps // (GAMES * STEPS))
    for update in range(updates):
        rate = np.interp(update / updates, [0, 1], [FIRST_RATE, LAST_RATE])
        for group in learner.optimizer.optimizer.param_groups:
            group["lr"] = rate
        _, *state = collect_rollouts(learner, envs, STEPS, **dict(zip(names, state, strict=True)))
        learner.learn()
        report(agent)
    return network


def new_envs() -> gymnasium.vector.VectorEnv:
    """Return the games, with their initial opponents."""
    return gymnasium.make_vec(
        "kododo_env:kododo/Kododo-v0", num_envs=GAMES, num_players=PLAYERS, reward="margin+win",
        opponents="random", canonical=True, observation_dtype="float32", action_mask="info",
        autoreset_mode="SameStep", illegal_action="raise",
    )  # fmt: skip


def new_learner(envs: gymnasium.vector.VectorEnv) -> PPO:
    """Return a learner with random weights."""
    return PPO(
        envs.single_observation_space, envs.single_action_space, num_envs=GAMES,
        learn_step=GAMES * STEPS, batch_size=GAMES * STEPS // 8, update_epochs=3, lr=FIRST_RATE,
        gamma=1.0, ent_coef=0.03, normalize_images=False, net_config=NETWORK,
        # GAE of AgileRL 2.58 ends a game one step too early, so the final reward would not
        # reach earlier decisions; returns to the end of the game are correct.
        rollout_buffer_config={"use_gae": False},
    )  # fmt: skip


def agent_of(network: Network, temperature: float = 0.0) -> Agent:
    """Return the network as an agent that takes plain observations."""
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    plain = CanonicalNetwork(network, game.layout, game.actions)
    return NetworkAgent(plain, temperature)


def main() -> None:
    """Train, write the policy file, and print its win shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument("--out", default="agilerl.onnx")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    before = share(agent_of(Network(new_learner(new_envs()))), "random", options.games)
    network = train(options.steps, options.seed)
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    export(network, game, options.out, canonical=True, observation_dtype="float32")
    bot = kododo_env.load(options.out)
    after = share(bot, "random", options.games)
    print(f"share among three random: {before:.3f} before, {after:.3f} after")
    print(f"share among three heuristic: {share(bot, 'heuristic', options.games):.3f}")


def share(agent: Agent, opponent: str, games: int) -> float:
    """Return the win share of one agent against three copies of an opponent."""
    return Match(agent, opponent, "kododo", PLAYERS, games).play().share.mean


if __name__ == "__main__":
    main()
