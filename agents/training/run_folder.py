"""A run's folder: finding or making it, and what is written there."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import kododo_env
from agents.training.training_config import Task, TrainConfig, task_of
from kododo_env.system.files import write_json
from kododo_env.system.folders import filled_folder, remove_empty

LIBRARIES = ("torch", "stable-baselines3", "sb3-contrib", "numpy")
CHECKPOINT = "checkpoint.zip"
POLICY, METADATA = "policy.onnx", "policy.meta.json"
FILES = (CHECKPOINT, POLICY, METADATA, "results.json", "learning_curve.png", "config.json")


@contextmanager
def run_folder(config: TrainConfig) -> Iterator[Path]:
    """The folder of a run; what is made of it, and empty at the end, is removed again.

    Args:
        config: If it names no folder, a free one is found in ``runs``.

    Raises:
        ValueError: It cannot be made, or its name depends on a game that cannot be played.
    """
    if config.run_dir is not None:
        with filled_folder(config.run_dir):
            yield config.run_dir
        return
    task = task_of(config)
    with filled_folder(Path("runs")):
        folder = _free_folder(f"{task.game}-{task.num_players}p")
        try:
            yield folder
        finally:
            remove_empty([folder])


def _free_folder(name: str) -> Path:
    """Make it, so that nobody who begins at the same time has it as well."""
    for number in count(1):
        folder = Path("runs") / (name if number == 1 else f"{name}-{number}")
        with suppress(FileExistsError):
            folder.mkdir()
            return folder
    raise AssertionError("there is always a next number")


def unbegun(folder: Path) -> Task | None:
    """The task of a run that was killed before its first checkpoint, None if it was not."""
    if any((folder / name).exists() for name in (CHECKPOINT, POLICY)):
        return None
    try:
        return Task.from_dict(json.loads((folder / "config.json").read_text())["task"])
    except (OSError, KeyError, TypeError, ValueError, RecursionError):
        return None


def write_config(folder: Path, task: Task, config: TrainConfig) -> None:
    """Write config.json."""
    write_json(folder / "config.json", config_facts(task, config))


def config_facts(task: Task, config: TrainConfig) -> dict[str, Any]:
    """What config.json says: what is learned, how, and with which libraries."""
    return {
        "task": task.to_dict(),
        "minutes": config.minutes,
        "steps": config.steps,
        "threads": config.threads,
        "bfloat16": config.bfloat16,
        "python": platform.python_version(),
        "kododo_env": kododo_env.__version__,
        "libraries": {name: version(name) for name in LIBRARIES},
    }
