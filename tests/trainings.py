"""Trainings that take seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.ppo.self_play_ppo import SelfPlayPPO
from agents.recipes.recipe import Recipe
from agents.training.training_config import TrainConfig, default_config
from kododo_env.wrappers.vec import BatchVecEnv


def short(run_dir: Path, **changes: Any) -> TrainConfig:
    """Four updates of a small network at a table of three, to be changed."""
    settings: dict[str, Any] = {
        "steps": 4 * 16 * 3 * 21, "run_dir": run_dir, "players": 3, "games": 30, "evaluations": 2,
        "threads": 1, "num_envs": 16, "batch_size": 256, "width": 16,
    }  # fmt: skip
    return default_config(**settings | changes)


def learner(env: BatchVecEnv, steps: int | None = None, **changes: Any) -> SelfPlayPPO:
    """A learner with a small network and settings to be changed.

    Args:
        env: What it plays.
        steps: Of a rollout; None: a whole game.
        **changes: Of the recipe; or ``threads`` and ``device``.
    """
    others = {name: changes.pop(name) for name in ("threads", "device") if name in changes}
    settings: dict[str, Any] = {"batch_size": 128, "n_epochs": 2, "learning_rate": 3e-4}
    recipe = Recipe(**settings | changes)
    network = {"width": 16, "depth": 2}
    model = SelfPlayPPO(env, recipe, network, 0, lambda: 1.0, **others)
    if steps is not None:
        model.n_steps = model.rollout_buffer.buffer_size = steps
    return model
