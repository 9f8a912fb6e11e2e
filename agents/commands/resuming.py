"""Where a run begins: fresh, or with what its folder has, and what may be other than it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agents.training.checkpoint import Checkpoint, read_checkpoint
from agents.training.run_folder import CHECKPOINT, unbegun
from agents.training.training_config import Task, TrainConfig, task_of
from kododo_env.core.bounds import flag
from kododo_env.core.numbers import shown
from kododo_env.policy.metadata import describe, differences
from kododo_env.rules_arguments import parse_rules

# The shapes of the network, of its optimiser's state and of the games, and what the part of the
# run that is over was made by: nobody can have begun otherwise.
FIXED = (
    "num_envs", "width", "depth", "one_hot", "tied", "muon", "magnet", "expert", "imitation_share",
)  # fmt: skip
BEGINS_AGAIN = "it was stopped before its first checkpoint and begins again"


def fresh(config: TrainConfig, run_dir: Path) -> tuple[Checkpoint, list[str]]:
    """A run that begins, and what there is to tell; ValueError if its folder holds another."""
    again = unbegun(run_dir) is not None
    if not again and (run_dir / "config.json").exists():
        go_on = "go on with it with --resume, or " if (run_dir / CHECKPOINT).exists() else ""
        raise ValueError(f"{run_dir} holds a run already: {go_on}give another --run-dir")
    return Checkpoint(task_of(config)), [BEGINS_AGAIN] if again else []


def begun(run_dir: Path) -> Checkpoint:
    """What a folder's run is of, and how far it has come; ValueError if there is none."""
    task = unbegun(run_dir)
    return read_checkpoint(run_dir / CHECKPOINT) if task is None else Checkpoint(task)


def resumed(config: TrainConfig, run_dir: Path) -> tuple[Checkpoint, list[str]]:
    """A run that was begun, with the settings that the command line changes.

    Returns:
        What is learned from here on and where it stands, and what there is to tell about that.

    Raises:
        ValueError: There is no such run, or what is asked for cannot be changed any more.
    """
    saved = begun(run_dir)
    task, progress = saved.task, saved.progress
    rules = {**task.rules, **parse_rules(config.rules), "num_players": config.players}
    wanted = Task(config.game, rules, config.settings, config.seed)
    other = differences(describe(task.batch_game(1, 0)), describe(wanted.batch_game(1, 0)))
    if other:
        raise ValueError(f"cannot resume {run_dir / CHECKPOINT}: it is for {'; '.join(other)}")
    said = [BEGINS_AGAIN]
    if saved.learner:
        said = [
            f"goes on from {progress.seconds / 60:.1f} minutes, {progress.steps:,} agent-steps, "
            f"until {config.budget().text()} in all"
        ]
    return replace(saved, task=replace(task, recipe=wanted.recipe)), said + _changes(task, wanted)


def _changes(before: Task, after: Task) -> list[str]:
    """What is other from here on, setting by setting; ValueError if one cannot be."""
    had, wanted = ({"seed": task.seed, **vars(task.recipe)} for task in (before, after))
    changed = {name: (was, wanted[name]) for name, was in had.items() if wanted[name] != was}
    for name, (was, now) in changed.items():
        if name in ("seed", *FIXED):
            raise ValueError(
                f"{flag(name)} cannot be changed on --resume: the run began with {shown(was)}, not "
                f"{shown(now)}; leave it out, or begin another run"
            )
    return [
        f"from here on {flag(name)} {shown(now)}, no longer {shown(was)}"
        for name, (was, now) in changed.items()
    ]
