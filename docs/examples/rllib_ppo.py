"""RLlib: its own PPO with masks by self-play, on canonical observations of a batch of games.

    pip install '.[ray]'
    python docs/examples/rllib_ppo.py

One seat of every game learns. The same network plays the other seats (self-play). At the end it is
exported to a policy file, rllib.onnx, and its win shares are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import gymnasium
import ray
import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.head_to_head import Match
from kododo_env.core.agent import Agent
from kododo_env.export import export
from kododo_env.networks import CanonicalNetwork, NetworkAgent

PLAYERS = 4
GAMES = 1024
STEPS = 18  # of a game of Kododo
TABLE = {
    "num_players": PLAYERS, "opponents": "random", "reward": "margin+win", "canonical": True,
    "observation_dtype": "float32", "action_mask": "rllib",
}  # fmt: skip


class Network(torch.nn.Module):
    """RLlib's module as a network from canonical observations to logits and values."""

    def __init__(self, algorithm: PPO) -> None:
        super().__init__()
        (module,) = algorithm.learner_group.foreach_learner(lambda learner: learner.module)
        self.module = module.get()["default_policy"]

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (B, A), without a mask, and values (B,) of observations (B, F)."""
        batch = {"obs": observation}
        logits = self.module.pi(self.module.encoder(batch)["encoder_out"]["actor"])
        return logits, self.module.compute_values(batch)


def train(
    steps: int = 1_000_000, seed: int = 0, report: Callable[[Agent], None] = lambda agent: None
) -> Network:
    """Train by self-play for ``steps`` decisions; ``report`` gets the agent after each update."""
    torch.set_num_threads(1)
    algorithm = new_algorithm(seed, steps)
    network = Network(algorithm)
    algorithm.env_runner.env.unwrapped.opponents = agent_of(network, temperature=1)
    agent = agent_of(network)
    for _ in range(max(1, steps // (GAMES * STEPS))):
        algorithm.train()
        report(agent)
    algorithm.stop()
    return network


def new_algorithm(seed: int, steps: int) -> PPO:
    """Return PPO with random weights and a learning rate that falls to a tenth in ``steps``."""
    ray.init("local", ignore_reinit_error=True)  # otherwise RLlib joins a running cluster
    config = (
        PPOConfig()
        .environment("kododo_env:kododo/Kododo-v0", env_config=TABLE)
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=GAMES,
            gym_env_vectorize_mode=gymnasium.VectorizeMode.VECTOR_ENTRY_POINT,
        )
        .rl_module(rl_module_spec=RLModuleSpec(
            module_class=ActionMaskingTorchRLModule,
            model_config=DefaultModelConfig(fcnet_hiddens=[256, 256], fcnet_activation="relu"),
        ))
        .training(
            train_batch_size_per_learner=GAMES * STEPS, minibatch_size=GAMES * STEPS // 8,
            num_epochs=3, lr=[[0, 1e-3], [max(1, steps), 1e-4]], gamma=1.0, lambda_=0.7,
            entropy_coeff=0.03, clip_param=0.2, grad_clip=0.5, use_kl_loss=False,
        )
        .debugging(seed=seed)
    )  # fmt: skip
    return config.build_algo()


def agent_of(network: Network, temperature: float = 0.0) -> Agent:
    """Return the network as an agent that takes plain observations."""
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    return NetworkAgent(CanonicalNetwork(network, game.layout, game.actions), temperature)


def main() -> None:
    """Train, write the policy file, and print its win shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument("--out", default="rllib.onnx")
    options = parser.parse_args()
    untrained = Network(new_algorithm(options.seed, options.steps))
    before = share(agent_of(untrained), "random", options.games)
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
