"""Trainings that take seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sb3_contrib import MaskablePPO

from agents.ppo.game_policy import GamePolicy
from agents.ppo.self_play_ppo import SelfPlayPPO
from agents.training.training_config import TrainConfig, default_config
from kododo_env.wrappers.vec import BatchVecEnv


def short(run_dir: Path, **changes: Any) -> TrainConfig:
    """Four updates of a small network at a table of three, to be changed."""
    settings: dict[str, Any] = {
        "steps": 4 * 16 * 3 * 21, "run_dir": run_dir, "players": 3, "games": 30, "evaluations": 2,
        "threads": 1, "num_envs": 16, "batch_size": 256, "width": 16,
    }  # fmt: skip
    return default_config(**settings | changes)


def learner(env: BatchVecEnv, algorithm: type[MaskablePPO] = SelfPlayPPO) -> MaskablePPO:
    """A learner with a small network, ours or sb3-contrib's own."""
    layouts = {
        "layout": env.game.layout,
        "actions": env.game.actions,
        "network": {"width": 16, "depth": 2},
    }
    return algorithm(
        GamePolicy, env, n_steps=18, batch_size=128, n_epochs=2, gamma=1.0, seed=0,
        policy_kwargs=layouts, device="cpu",
    )  # fmt: skip
