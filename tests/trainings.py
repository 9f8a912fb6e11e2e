"""Short training runs for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy.typing as npt
import onnx
import torch

from agents.ppo.ppo import PPO, Batch
from agents.recipes.recipe import Recipe
from agents.training.training_config import TrainConfig, default_config
from kododo_env.core import BatchGame


def short(run_dir: Path, **changes: Any) -> TrainConfig:
    """Four updates of a small network at a table of three, one of imitation; to be changed."""
    settings: dict[str, Any] = {
        "steps": 4 * 16 * 3 * 21, "run_dir": run_dir, "players": 3, "games": 30, "evaluations": 2,
        "threads": 1, "num_envs": 16, "batch_size": 256, "width": 16,
    }  # fmt: skip
    if changes.get("expert", True) and not changes.get("init"):
        settings |= {"imitation_steps": 1, "imitation_share": 0.0}
    return default_config(**settings | changes)


# For ``monkeypatch.setattr``: replaces the export of a policy file, which takes seconds.
NO_EXPORT = ("agents.commands.train.export_policy", lambda *_, **__: None)


def learner(game: BatchGame, threads: int = 1, device: str = "cpu", **changes: Any) -> PPO:
    """A learner with a small network; ``changes`` are of the recipe."""
    settings: dict[str, Any] = {
        "batch_size": 128, "n_epochs": 2, "learning_rate": 3e-4, "width": 16, "depth": 2,
        "one_hot": 0,
    }  # fmt: skip
    return PPO(game, Recipe(**settings | changes), 0, device, threads)


def self_play(model: PPO, game: BatchGame, seed: int = 0) -> Batch:
    """The decisions of a learner in all seats."""
    return model.play(game, [None] * game.num_players, seed).decisions


def update(model: PPO, game: BatchGame, seed: int = 0) -> Batch:
    """Let a learner play itself and learn from it; the decisions."""
    decisions = self_play(model, game, seed)
    model.learn(decisions, *model.recipe.self_play_rates(1.0))
    return decisions


def weights(policy: Path) -> list[npt.NDArray[Any]]:
    """The numbers of a policy file."""
    return [onnx.numpy_helper.to_array(weight) for weight in onnx.load(policy).graph.initializer]


def numbers_of(network: torch.nn.Module | None) -> torch.Tensor:
    """The weights of a network, one after the other."""
    assert network is not None
    return torch.cat([weights.detach().flatten() for weights in network.parameters()])
