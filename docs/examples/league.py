"""A league: stable-baselines3's MaskablePPO against a pool of its own past.

    pip install '.[play,export,sb3]'
    python docs/examples/league.py
    python docs/examples/league.py --plain

Two seats of every game learn. The opponents in the other seats are drawn for each game from a pool,
to which the learner is added every few updates: half of the opponents are its newest version, the
others older ones. With --plain all four seats learn, in half as many games: self-play without a
pool, with the same number of agent-steps. At the end the model is exported to a policy file, and
its win shares are printed. docs/libraries.md compares the results.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Callable

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.head_to_head import Match
from kododo_env.core.agent import Agent
from kododo_env.export import export
from kododo_env.networks import GamePolicy, NetworkAgent
from kododo_env.wrappers import OpponentPool
from kododo_env.wrappers.sb3 import BatchVecEnv

PLAYERS = 4
SEATS = 1024  # of all games together that learn
STEPS = 18  # of a game
POOL_INTERVAL = 5  # updates between two additions to the pool


class League(BaseCallback):
    """A callback that adds the learner to the pool of its opponents every few updates."""

    def __init__(self) -> None:
        super().__init__()
        self.past: list[NetworkAgent] = []
        self.updates = 0

    def _on_rollout_start(self) -> None:
        if self.updates % POOL_INTERVAL == 0:
            network = copy.deepcopy(self.model.policy.mlp_extractor.network)
            self.past.append(NetworkAgent(network, temperature=1, name=f"update-{self.updates}"))
            weights = [1] * (len(self.past) - 1) + [max(1, len(self.past) - 1)]
            self.training_env.set_attr("opponents", OpponentPool(self.past, weights))
        self.updates += 1

    def _on_step(self) -> bool:
        return True


def main() -> None:
    """Train, write the policy file, and print its win shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--plain", action="store_true", help="self-play without a pool")
    parser.add_argument("--steps", type=int, default=600_000, help="agent-steps of all learners")
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="league.onnx")
    options = parser.parse_args()
    torch.set_num_threads(1)
    opponents = None if options.plain else [None, None, "random", "random"]
    learners = PLAYERS if options.plain else 2
    game = kododo_v0.batch_game(SEATS // learners, num_players=PLAYERS)
    model = MaskablePPO(
        GamePolicy,
        BatchVecEnv(game, reward="margin+win", opponents=opponents),
        n_steps=STEPS,
        batch_size=SEATS * STEPS // 8,
        n_epochs=3,
        learning_rate=linear(1e-3, 1e-4),
        gamma=1.0,
        gae_lambda=0.7,
        ent_coef=0.01,
        seed=options.seed,
    )
    before = share(NetworkAgent(model.policy.mlp_extractor.network), "random", options.games)
    model.learn(options.steps, callback=None if options.plain else League())
    export(model, game, options.out)
    bot = kododo_env.load(options.out)
    after = share(bot, "random", options.games)
    print(f"share among three random: {before:.3f} before, {after:.3f} after")
    print(f"share among three heuristic: {share(bot, 'heuristic', options.games):.3f}")


def linear(first: float, last: float) -> Callable[[float], float]:
    """Return a schedule of a linearly changing learning rate, by the share of training left."""
    return lambda remaining: last + remaining * (first - last)


def share(agent: Agent, opponent: str, games: int) -> float:
    """Return the win share of one agent against three copies of an opponent."""
    return Match(agent, opponent, "kododo", PLAYERS, games).play().share.mean


if __name__ == "__main__":
    main()
