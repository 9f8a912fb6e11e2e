"""Going on with a run: what may be other than when it began, and what may not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agents.recipes.recipe import Recipe
from agents.training.checkpoint import Progress, check_same_game, read_facts
from agents.training.run_folder import CHECKPOINT, unbegun
from agents.training.training_config import Task, TrainConfig
from kododo_env.core.bounds import flag
from kododo_env.rules_arguments import parse_rules

# The shapes of the network, of its optimiser's state and of the games, and what the part of the
# run that is over was made by: nobody can have begun otherwise.
FIXED = (
    "num_envs", "width", "depth", "one_hot", "sort_opponents", "muon", "expert", "imitation_share",
)  # fmt: skip
BEGINS_AGAIN = "it was stopped before its first checkpoint and begins again"


def begun(run_dir: Path) -> tuple[Task, Progress]:
    """What a folder's run is of, and how far it has come; ValueError if there is none."""
    task = unbegun(run_dir)
    return read_facts(run_dir / CHECKPOINT) if task is None else (task, Progress())


def resumed(config: TrainConfig) -> tuple[Task, Progress, list[str]]:
    """A run that was begun, with the settings that the command line changes.

    Returns:
        What is learned from here on, where it stands, and what there is to tell about that.

    Raises:
        ValueError: There is no such run, or what is asked for cannot be changed any more.
    """
    assert config.run_dir is not None
    task, progress = begun(config.run_dir)
    rules = {**task.rules, **parse_rules(config.rules), "num_players": config.players}
    wanted = Task(config.game, rules, config.settings, config.seed)
    check_same_game(config.run_dir / CHECKPOINT, task, wanted)
    if config.seed != task.seed:
        raise ValueError(_refusal("seed", task.seed, config.seed))
    changes = _changes(task.recipe, config.settings)
    where = BEGINS_AGAIN if unbegun(config.run_dir) else _how_far(config, progress)
    return replace(task, recipe=config.settings), progress, [where, *changes]


def _changes(before: Recipe, after: Recipe) -> list[str]:
    """What is other from here on, setting by setting; ValueError if one cannot be."""
    changes = []
    for name, was in vars(before).items():
        now = getattr(after, name)
        if now != was and name in FIXED:
            raise ValueError(_refusal(name, was, now))
        if now != was:
            changes.append(f"from here on {flag(name)} {now!r}, no longer {was!r}")
    return changes


def _refusal(name: str, has: object, wanted: object) -> str:
    return (
        f"{flag(name)} cannot be changed on --resume: the run began with {has!r}, not "
        f"{wanted!r}; leave it out, or begin another run"
    )


def _how_far(config: TrainConfig, progress: Progress) -> str:
    """Where a run stands, and until when it goes on."""
    minutes, steps = progress.seconds / 60, progress.steps
    until = config.budget().text()
    return f"goes on from {minutes:.1f} minutes, {steps:,} agent-steps, until {until} in all"
