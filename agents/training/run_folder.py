"""A run's folder: finding or making it, and what is written there."""

from __future__ import annotations

import json
import platform
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import kododo_env
from agents.training.training_config import Task, TrainConfig
from kododo_env.system.files import write_json

LIBRARIES = ("torch", "stable-baselines3", "sb3-contrib", "numpy")


CHECKPOINT = "checkpoint.zip"
POLICY, METADATA = "policy.onnx", "policy.meta.json"
FILES = (CHECKPOINT, POLICY, METADATA, "results.json", "learning_curve.png", "config.json")


@contextmanager
def fresh_folder(run_dir: Path | None, task: Task) -> Iterator[Path]:
    """The folder of a fresh run; what is made of it, and empty at the end, is removed again.

    Args:
        run_dir: The folder asked for; None finds a free one in ``runs``.
        task: What is learned, for the name.

    Raises:
        ValueError: It cannot be written.
    """
    if run_dir is not None:
        with filled_folder(run_dir):
            yield run_dir
        return
    with filled_folder(Path("runs")):
        folder = _free_folder(f"{task.game}-{task.num_players}p")
        try:
            yield folder
        finally:
            _remove_empty([folder])


@contextmanager
def filled_folder(folder: Path) -> Iterator[None]:
    """Inside, a folder can be written; what is made of it, and empty at the end, is removed.

    Raises:
        ValueError: It cannot be written.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        check_writable(folder)
        yield
    finally:
        _remove_empty(missing)


def _remove_empty(folders: Sequence[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def _free_folder(name: str) -> Path:
    """Make it, so that nobody who begins at the same time has it as well."""
    for number in count(1):
        folder = Path("runs") / (name if number == 1 else f"{name}-{number}")
        with suppress(FileExistsError):
            folder.mkdir(parents=True)
            return folder
    raise AssertionError("there is always a next number")


def check_fresh(folder: Path) -> None:
    """Raise ValueError if a folder holds a run of which something was kept."""
    if unbegun(folder) is None and (folder / "config.json").exists():
        go_on = "go on with it with --resume, or " if (folder / CHECKPOINT).exists() else ""
        raise ValueError(f"{folder} holds a run already: {go_on}give another --run-dir")


def unbegun(folder: Path) -> Task | None:
    """The task of a run that was killed before its first checkpoint, None if it was not."""
    if any((folder / name).exists() for name in (CHECKPOINT, POLICY)):
        return None
    try:
        return Task.from_dict(json.loads((folder / "config.json").read_text())["task"])
    except (OSError, KeyError, TypeError, ValueError, RecursionError):
        return None


def check_writable(folder: Path) -> None:
    """Make a folder if need be and try whether files can be written; ValueError if not."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(f"cannot write to the run folder {folder}: {error.strerror}") from error


def write_config(folder: Path, task: Task, config: TrainConfig) -> None:
    """Write config.json: what is learned, how, and with which libraries."""
    content = {
        "task": task.to_dict(),
        "minutes": config.minutes,
        "steps": config.steps,
        "threads": config.threads,
        "bfloat16": config.bfloat16,
        "python": platform.python_version(),
        "kododo_env": kododo_env.__version__,
        "libraries": {name: version(name) for name in LIBRARIES},
    }
    write_json(folder / "config.json", content)


def training_facts(task: Task, config: TrainConfig, seconds: float, steps: int) -> dict[str, Any]:
    """How a policy was trained, for its file."""
    return {
        "algorithm": "PPO self-play",
        "recipe": asdict(task.recipe),
        "seed": task.seed,
        "minutes": round(seconds / 60, 2),
        "steps": steps,
        "threads": config.threads,
        "bfloat16": config.bfloat16,
    }
