"""Make or find a run's folder, and start or resume the run there."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import kododo_env
from agents.options import Budget, check_needs, uses_of
from agents.recipes.recipe import Recipe
from agents.training.checkpoint import Checkpoint, read_checkpoint
from agents.training.training_config import Task, TrainConfig, check_init, task_of
from kododo_env.checks.bounds import flag
from kododo_env.checks.numbers import quote
from kododo_env.policy.metadata import describe, differences
from kododo_env.rules_arguments import parse_rules
from kododo_env.system.files import read_json
from kododo_env.system.folders import filled_folder, remove_empty

LIBRARIES = ("torch", "numpy")
CHECKPOINT = "checkpoint.zip"
POLICY = "policy.onnx"
LOGS = "tensorboard"
FILES = (
    CHECKPOINT,
    POLICY,
    "policy.meta.json",
    "results.json",
    "learning_curve.png",
    "config.json",
)
BEGINS_AGAIN = "the run was stopped before its first checkpoint and starts again"


@contextmanager
def run_folder(config: TrainConfig) -> Iterator[Path]:
    """Yield the folder of a run; by default a free one in ``runs``.

    New folders that are still empty at the end are removed.

    Raises:
        ValueError: The folder cannot be made, or the default name depends on an invalid game.
    """
    if config.run_dir is not None:
        name = str(config.run_dir)
        if name.encode("utf-8", "replace").decode() != name:
            raise ValueError(f"--run-dir must be valid UTF-8, got {quote(name)}")
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
    """Make a free folder, which no run that starts at the same time can get as well."""
    for number in count(1):
        folder = Path("runs") / (name if number == 1 else f"{name}-{number}")
        with suppress(FileExistsError):
            folder.mkdir()
            return folder
    raise AssertionError("unreachable: count() never ends")


def unbegun(folder: Path) -> Task | None:
    """Return the task of a run that was killed before its first checkpoint, else None."""
    if any((folder / name).exists() for name in (CHECKPOINT, POLICY)):
        return None
    try:
        return Task.from_dict(read_json(folder / "config.json")["task"])
    except (KeyError, TypeError, ValueError):
        return None


def fresh(config: TrainConfig, run_dir: Path) -> tuple[Checkpoint, list[str]]:
    """Start a run in its folder.

    Returns:
        The checkpoint of the new run, and lines to print.

    Raises:
        ValueError: The folder holds another run.
    """
    task = task_of(config)
    before = unbegun(run_dir)
    if before is not None and (before.game, before.rules) != (task.game, task.rules):
        raise ValueError(
            f"{run_dir} holds an unfinished run of another game, {before.game}; choose another "
            "--run-dir"
        )
    names = [] if before else [name for name in FILES if (run_dir / name).exists()]
    if (run_dir / LOGS).is_file():
        names.append(LOGS)
    if names:
        held = "a run" if "config.json" in names else names[0]
        resume = "resume it with --resume, or " if CHECKPOINT in names else ""
        raise ValueError(f"{run_dir} holds {held} already; {resume}choose another --run-dir")
    return Checkpoint(task), [BEGINS_AGAIN] if before else []


def read_run(run_dir: Path) -> Checkpoint:
    """Return the last checkpoint of the run in a folder; raise ValueError if there is none."""
    task = unbegun(run_dir)
    return read_checkpoint(run_dir / CHECKPOINT) if task is None else Checkpoint(task)


def budget_of(run_dir: Path) -> dict[str, Any]:
    """Return ``minutes`` and ``steps`` that a run was last given; empty if they are unknown."""
    with suppress(KeyError, TypeError, ValueError):
        facts = read_json(run_dir / "config.json")
        budget = {name: facts[name] for name in ("minutes", "steps")}
        Budget(**budget)  # raises ValueError if it is invalid
        return budget
    return {}


def resumed(config: TrainConfig, run_dir: Path) -> tuple[Checkpoint, list[str]]:
    """Resume a run, with the settings that the command line changes.

    Returns:
        The checkpoint with the changed task, and lines to print.

    Raises:
        ValueError: The run does not exist, or a setting cannot be changed any more.
    """
    saved = read_run(run_dir)
    task = saved.task
    progress = saved.progress
    rules = {**task.rules, **parse_rules(config.rules), "num_players": config.players}
    requested = Task(config.game, rules, config.settings, config.seed)
    mismatches = differences(describe(task.batch_game(1, 0)), describe(requested.batch_game(1, 0)))
    if mismatches:
        raise ValueError(f"cannot resume {run_dir / CHECKPOINT}: it is for {'; '.join(mismatches)}")
    lines = [BEGINS_AGAIN]
    budget = config.budget()
    if task.recipe.init and not saved.learner:  # the file may have changed
        check_init(config, task.batch_game(1, 0))
    if saved.learner:
        done = f"{progress.seconds / 60:.1f} minutes, {progress.steps:,} agent-steps"
        lines = [f"resumes after {done}; total budget: {budget.text()}"]
        if not budget.remaining(progress.steps, progress.seconds):
            lines = [f"has trained for {done}: nothing is left of {budget.text()} in all"]
    imitates = task.recipe.imitates and not progress.imitation_over
    changes = _changes(task, requested, imitates)
    return replace(saved, task=replace(task, recipe=requested.recipe)), lines + changes


def _changes(before: Task, after: Task, imitates: bool) -> list[str]:
    """Describe each changed setting in a line; raise ValueError if one cannot change."""
    had, settings = ({"seed": task.seed, **vars(task.recipe)} for task in (before, after))
    changed = {name: (was, settings[name]) for name, was in had.items() if settings[name] != was}
    fixed = {name for name, use in uses_of(Recipe).items() if use.fixed}
    for name, (was, value) in changed.items():
        if name in fixed | {"seed"}:
            raise ValueError(
                f"{flag(name)} cannot be changed on --resume: the run started with {quote(was)}, "
                f"got {quote(value)}; leave it out, or start another run"
            )
        if name.startswith("imitation_") and not imitates:
            raise ValueError(f"{flag(name)}: this run no longer imitates; leave it out")
    check_needs(after.recipe, before.recipe)
    return [
        f"{flag(name)} {quote(value)} replaces {quote(was)}"
        for name, (was, value) in changed.items()
    ]


def config_facts(task: Task, config: TrainConfig) -> dict[str, Any]:
    """Return the content of config.json: task, budget, and versions of libraries."""
    return {
        "task": asdict(task),
        "minutes": config.minutes,
        "steps": config.steps,
        "threads": config.threads,
        "bfloat16": config.in_bfloat16,
        "python": platform.python_version(),
        "kododo_env": kododo_env.__version__,
        "libraries": {name: version(name) for name in LIBRARIES},
    }
