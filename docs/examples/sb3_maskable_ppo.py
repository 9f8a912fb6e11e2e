"""stable-baselines3: sb3-contrib's MaskablePPO with GamePolicy, by self-play.

    pip install '.[play,export,sb3]'
    python docs/examples/sb3_maskable_ppo.py
    python docs/examples/sb3_maskable_ppo.py --steps 9000000
    python docs/examples/sb3_maskable_ppo.py --policy MlpPolicy --canonical
    python docs/examples/sb3_maskable_ppo.py --game kado --players 3 \\
        --imitation 1000000 --steps 300000

All seats of every game learn. At the end the model is exported to a policy file, sb3.onnx, and its
win shares are printed. --policy MlpPolicy uses stable-baselines3's own network, which needs
canonical observations. With --imitation the policy first learns to predict decisions of the game's
heuristic.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import kododo_env
from kododo_env import registry
from kododo_env.arena.head_to_head import Match
from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.export import export
from kododo_env.networks import CanonicalNetwork, GamePolicy, NetworkAgent
from kododo_env.wrappers.sb3 import BatchVecEnv
from kododo_env.wrappers.spaces import layouts_of

SEATS = 1024  # in all games together
STEPS = 18  # of a rollout
SETTINGS: dict[str, dict[str, Any]] = {
    "kododo": {"learning_rate": 1e-3, "gae_lambda": 0.7},
    "combi_combo": {"learning_rate": 1e-3, "gae_lambda": 0.9},
    "kado": {"learning_rate": 1e-4, "gae_lambda": 0.95},
}
NETWORKS: dict[str, dict[str, Any]] = {"kado": {"width": 256, "depth": 2, "tied": True}}


class Progress(BaseCallback):
    """A callback that reports the agent after each update."""

    def __init__(self, agent: Agent, report: Callable[[Agent], None]) -> None:
        super().__init__()
        self.agent = agent
        self.report = report

    def _on_rollout_start(self) -> None:
        self.report(self.agent)

    def _on_training_end(self) -> None:
        self.report(self.agent)

    def _on_step(self) -> bool:
        return True


class Logits(torch.nn.Module):
    """The policy of stable-baselines3 as a module that returns logits."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.extractor = policy.mlp_extractor
        self.head = policy.action_net

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor]:
        """Return logits (B, A) of observations (B, F)."""
        return (self.head(self.extractor.forward_actor(observation.float())),)


def train(
    steps: int = 1_000_000,
    seed: int = 0,
    report: Callable[[Agent], None] = lambda agent: None,
    game: str = "kododo",
    players: int = 4,
    policy: str = "GamePolicy",
    canonical: bool = False,
    imitation: int = 0,
) -> MaskablePPO:
    """Train by self-play for ``steps`` agent-steps; ``report`` gets the agent after each update."""
    torch.set_num_threads(1)
    batch = registry.batch_game(game, SEATS // players, num_players=players)
    model = new_model(batch, policy, canonical, seed)
    agent = agent_of(model, batch)
    if imitation:
        imitate(model, batch, imitation, lambda: report(agent))
    model.learn(steps, callback=Progress(agent, report))
    return model


def new_model(batch: BatchGame, policy: str, canonical: bool, seed: int) -> MaskablePPO:
    """Return a model with random weights, which learns in all seats of a batch."""
    settings = SETTINGS[batch.name]
    network: type[GamePolicy] | str = GamePolicy
    options = NETWORKS.get(batch.name, {})
    if policy != "GamePolicy":
        network = policy
        options = {"net_arch": [256, 256]}
    return MaskablePPO(
        network,
        BatchVecEnv(batch, reward="margin+win", canonical=canonical),
        n_steps=STEPS,
        batch_size=SEATS * STEPS // 8,
        n_epochs=3,
        gamma=1.0,
        gae_lambda=settings["gae_lambda"],
        learning_rate=linear(settings["learning_rate"]),
        ent_coef=0.03,
        policy_kwargs=options,
        seed=seed,
    )


def linear(first: float) -> Callable[[float], float]:
    """Return a learning rate schedule that falls linearly to a tenth."""
    return lambda remaining: first * (0.1 + 0.9 * remaining)


def agent_of(model: MaskablePPO, game: BatchGame) -> Agent:
    """Return the model as an agent that plays the likeliest action."""
    if isinstance(model.policy, GamePolicy):
        return NetworkAgent(model.policy.mlp_extractor.network)
    network = Logits(model.policy)
    if layouts_of(model.observation_space).canonical:
        network = CanonicalNetwork(network, game.layout, game.actions)
    return NetworkAgent(network)


def imitate(
    model: MaskablePPO, game: BatchGame, decisions: int, report: Callable[[], None]
) -> None:
    """Learn to predict ``decisions`` decisions of the heuristic, which plays all seats."""
    expert = kododo_env.make_agent("heuristic", game.name)
    rng = np.random.default_rng(model.seed)
    optimizer = torch.optim.Adam(model.policy.parameters())
    learning_rate = linear(1e-3)
    learned = 0
    while learned < decisions:
        optimizer.param_groups[0]["lr"] = learning_rate(1 - learned / decisions)
        rows = [expert_decisions(game, expert, rng) for _ in range(STEPS)]
        columns = [torch.from_numpy(np.concatenate(column)) for column in zip(*rows, strict=True)]
        learned += len(columns[0])
        for indices in torch.randperm(len(columns[0])).chunk(8):
            observations, masks, actions = (column[indices] for column in columns)
            _, log_probabilities, _ = model.policy.evaluate_actions(observations, actions, masks)
            loss = -log_probabilities.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        report()


def expert_decisions(
    game: BatchGame, expert: Agent, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Play a step; return observations, masks and actions of all seats that have a choice."""
    observations = game.observe()
    masks = np.array(game.legal_action_mask())
    actions = joint_action([expert] * game.num_players, game, rng)
    game.step(actions)
    game.restart_finished()
    has_choice = masks.sum(axis=-1) > 1
    return observations[has_choice], masks[has_choice], actions[has_choice]


def main() -> None:
    """Train, write the policy file, and print its win shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", choices=SETTINGS, default="kododo")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--policy", choices=("GamePolicy", "MlpPolicy"), default="GamePolicy")
    parser.add_argument("--canonical", action="store_true", help="use canonical observations")
    parser.add_argument("--steps", type=int, default=1_000_000, help="agent-steps of all seats")
    parser.add_argument("--imitation", type=int, default=0, help="decisions to imitate first")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument("--out", default="sb3.onnx")
    options = parser.parse_args()
    game = registry.batch_game(options.game, SEATS, num_players=options.players)
    model = new_model(game, options.policy, options.canonical, options.seed)
    before = share(agent_of(model, game), "random", game, options.games)
    model = train(
        options.steps,
        options.seed,
        game=options.game,
        players=options.players,
        policy=options.policy,
        canonical=options.canonical,
        imitation=options.imitation,
    )
    export(model, game, options.out)
    bot = kododo_env.load(options.out)
    after = share(bot, "random", game, options.games)
    print(f"share among random players: {before:.3f} before, {after:.3f} after")
    print(f"share among heuristics: {share(bot, 'heuristic', game, options.games):.3f}")


def share(agent: Agent, opponent: str, game: BatchGame, games: int) -> float:
    """Return the win share of one agent against copies of an opponent."""
    return Match(agent, opponent, game.name, game.num_players, games).play().share.mean


if __name__ == "__main__":
    main()
