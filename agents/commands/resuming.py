"""Going on with a run: what may be other than when it began, and what may not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.ppo.recipes import Recipe
from agents.training.checkpoint import Progress, check_same_game, read_facts
from agents.training.run_folder import CHECKPOINT, unbegun
from agents.training.trainer import minutes_of
from agents.training.training_config import Task, TrainConfig
from kododo_env.core.bounds import flag
from kododo_env.rules_arguments import default_players, parse_rules

# The shapes of the network, of its optimiser's state and of the games in the checkpoint, and
# what the part of the run that is over was made by: nobody can have begun otherwise.
FIXED = (
    "num_envs", "games_per_update", "width", "depth", "one_hot", "sort_opponents", "muon",
    "teacher", "teacher_share",
)  # fmt: skip
BEGINS_AGAIN = "it was stopped before its first checkpoint and begins again"


@dataclass(frozen=True)
class Asked:
    """A run to begin or to go on with.

    Attributes:
        task: What is learned.
        run_dir: The run's folder.
        progress: Where it stands.
        said: What there is to tell before it goes on.
    """

    task: Task
    run_dir: Path
    progress: Progress
    said: list[str] = field(default_factory=list)


def resumed(config: TrainConfig) -> Asked:
    """A run that was begun, with the settings that the command line changes.

    Raises:
        ValueError: There is no such run, or what is asked for cannot be changed any more.
    """
    assert config.run_dir is not None
    task, progress = begun(config.run_dir)
    rules = {**task.rules, **parse_rules(config.rules)}
    if config.players is not None:
        rules["num_players"] = config.players
    elif config.game is not None and config.game != task.game:
        rules = {"num_players": default_players(config.game)}
    game = task.game if config.game is None else config.game
    path = config.run_dir / CHECKPOINT
    check_same_game(path, task, Task(game, rules, task.recipe, task.seed))
    _check_seed(config, task)
    recipe = changed_recipe(task.recipe, config)
    where = _how_far(config, progress) if unbegun(config.run_dir) is None else BEGINS_AGAIN
    said = [where, *_changes(task.recipe, recipe)]
    return Asked(replace(task, recipe=recipe), config.run_dir, progress, said)


def begun(run_dir: Path) -> tuple[Task, Progress]:
    """What a folder's run is of, and how far it has come; ValueError if there is none."""
    task = unbegun(run_dir)
    return read_facts(run_dir / CHECKPOINT) if task is None else (task, Progress())


def changed_recipe(recipe: Recipe, config: TrainConfig) -> Recipe:
    """A run's settings from here on.

    Raises:
        ValueError: One of those that are given cannot be changed any more.
    """
    given = config.ppo.given()
    for name in FIXED:
        if name in given and given[name] != getattr(recipe, name):
            raise ValueError(_refusal(name, getattr(recipe, name), given[name]))
    return replace(recipe, **given)


def _check_seed(config: TrainConfig, task: Task) -> None:
    if config.seed not in (None, task.seed):
        raise ValueError(_refusal("seed", task.seed, config.seed))


def _refusal(name: str, has: object, wanted: object) -> str:
    return (
        f"{flag(name)} cannot be changed on --resume: the run began with {has!r}, not "
        f"{wanted!r}; leave it out, or begin another run"
    )


def _how_far(config: TrainConfig, progress: Progress) -> str:
    """Where a run stands, and until when it goes on."""
    minutes, steps = progress.seconds / 60, progress.steps
    if config.steps is not None:
        until = f"{config.steps:,} agent-steps"
    else:
        until = f"{minutes_of(config):g} minutes"
    return f"goes on from {minutes:.1f} minutes, {steps:,} agent-steps, until {until} in all"


def _changes(before: Recipe, after: Recipe) -> list[str]:
    """What is other from here on, setting by setting."""
    return [
        f"from here on {flag(name)} {getattr(after, name)!r}, no longer {was!r}"
        for name, was in vars(before).items()
        if getattr(after, name) != was
    ]
