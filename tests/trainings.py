"""Trainings that take seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.training.training_config import TrainConfig, default_config


def short(run_dir: Path, **changes: Any) -> TrainConfig:
    """Four updates of a small network at a table of three, to be changed."""
    settings: dict[str, Any] = {
        "steps": 4 * 16 * 3 * 21, "run_dir": run_dir, "players": 3, "games": 30, "evaluations": 2,
        "threads": 1, "num_envs": 16, "batch_size": 256, "width": 16,
    }  # fmt: skip
    return default_config(**settings | changes)
