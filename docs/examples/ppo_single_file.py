"""PPO with masks in one file: Gymnasium's vector environment, torch, and GameNetwork.

    pip install '.[play,export]'
    python docs/examples/ppo_single_file.py

One seat of every game learns. The same network plays the other seats (self-play). At the end it is
exported to a policy file, ppo.onnx, and its win shares are printed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import gymnasium
import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.head_to_head import Match
from kododo_env.core.agent import Agent
from kododo_env.export import export
from kododo_env.networks import GameNetwork, NetworkAgent

PLAYERS = 4
GAMES = 1024
STEPS = 18  # of a game of Kododo
FIRST_RATE = 1e-3
LAST_RATE = 1e-4
EPOCHS = 3
MINIBATCHES = 8
GAMMA = 1.0
GAE_LAMBDA = 0.7
CLIP = 0.2
ENTROPY = 0.03
VALUE = 0.5


class Rollout(NamedTuple):
    """The B decisions of an update."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor


def train(
    steps: int = 1_000_000, seed: int = 0, report: Callable[[Agent], None] = lambda agent: None
) -> GameNetwork:
    """Train by self-play for ``steps`` decisions; in each update every game is played once."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    network = new_network()
    envs = gymnasium.make_vec(
        "kododo_env:kododo/Kododo-v0", num_envs=GAMES, num_players=PLAYERS,
        opponents=NetworkAgent(network, temperature=1), reward="margin+win",
        autoreset_mode="SameStep", action_mask="info",
    )  # fmt: skip
    optimizer = torch.optim.Adam(network.parameters(), eps=1e-5)
    agent = NetworkAgent(network)
    observations, info = envs.reset(seed=seed)
    updates = max(1, steps // (GAMES * STEPS))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = np.interp(
            update / updates, [0, 1], [FIRST_RATE, LAST_RATE]
        )
        rollout, observations, info = play(envs, network, observations, info)
        learn(network, optimizer, rollout)
        report(agent)
    return network


def new_network() -> GameNetwork:
    """Return a network with random weights."""
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    return GameNetwork(game.layout, game.actions, width=256, depth=3, one_hot=8)


def distribution(logits: Tensor, mask: Tensor) -> Categorical:
    """Return the policy's distribution over the legal actions."""
    return Categorical(logits=logits.masked_fill(~mask, -1e9), validate_args=False)


@torch.no_grad()
def play(envs, network, observations, info) -> tuple[Rollout, np.ndarray, dict]:
    """Play some steps; return the rollout, and the observations and info for the next one."""
    decisions = []
    rewards = []
    ends = []
    values = []
    for _ in range(STEPS):
        observation = torch.from_numpy(observations)
        mask = torch.from_numpy(info["action_mask"]).bool()
        logits, value = network(observation)
        policy = distribution(logits, mask)
        action = policy.sample()
        decisions.append((observation, mask, action, policy.log_prob(action)))
        observations, reward, terminated, _, info = envs.step(action.numpy())
        rewards.append(torch.as_tensor(reward, dtype=torch.float32))
        ends.append(torch.from_numpy(terminated))
        values.append(value)
    next_value = network(torch.from_numpy(observations))[1]
    advantages = generalized_advantages(rewards, ends, values, next_value)
    columns = [torch.cat(column) for column in zip(*decisions, strict=True)]
    returns = torch.cat(advantages) + torch.cat(values)
    return Rollout(*columns, torch.cat(advantages), returns), observations, info


def generalized_advantages(rewards, ends, values, next_value) -> list[Tensor]:
    """Return the advantages of each step, by GAE (Schulman et al., 2016)."""
    advantages = []
    advantage = torch.zeros_like(next_value)
    for reward, end, value in zip(rewards[::-1], ends[::-1], values[::-1], strict=True):
        discount = GAMMA * (~end).float()  # 0 at the end of a game
        error = reward + discount * next_value - value
        advantage = error + discount * GAE_LAMBDA * advantage
        advantages.append(advantage)
        next_value = value
    return advantages[::-1]


def learn(network, optimizer, rollout) -> None:
    """Minimise PPO's clipped loss over several epochs of minibatches."""
    for _ in range(EPOCHS):
        for indices in torch.randperm(len(rollout.actions)).chunk(MINIBATCHES):
            batch = Rollout(*(column[indices] for column in rollout))
            logits, value = network(batch.observations)
            policy = distribution(logits, batch.masks)
            ratio = (policy.log_prob(batch.actions) - batch.log_probs).exp()
            advantage = batch.advantages - batch.advantages.mean()
            advantage = advantage / (advantage.std() + 1e-8)
            clipped = torch.clamp(ratio, 1 - CLIP, 1 + CLIP)
            policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            value_loss = (batch.returns - value).square().mean()
            loss = policy_loss + VALUE * value_loss - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    """Train, write the policy file, and print its win shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument("--out", default="ppo.onnx")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    before = share(NetworkAgent(new_network()), "random", options.games)
    start = time.perf_counter()
    network = train(options.steps, options.seed)
    print(f"{options.steps / (time.perf_counter() - start):,.0f} decisions/s")
    export(network, kododo_v0.batch_game(1, num_players=PLAYERS), options.out)
    bot = kododo_env.load(options.out)
    after = share(bot, "random", options.games)
    print(f"share among three random: {before:.3f} before, {after:.3f} after")
    print(f"share among three heuristic: {share(bot, 'heuristic', options.games):.3f}")


def share(agent: Agent, opponent: str, games: int) -> float:
    """Return the win share of one agent against three copies of an opponent."""
    return Match(agent, opponent, "kododo", PLAYERS, games).play().share.mean


if __name__ == "__main__":
    main()
