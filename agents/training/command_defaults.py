"""The defaults of the command line of train.py, which depend on some of its arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agents.recipes.recipe import GAME, Recipe
from agents.training.training_config import DEFAULT_GAME, TrainConfig, default_config
from kododo_env.checks.bounds import flag
from kododo_env.checks.numbers import quote
from kododo_env.rules_arguments import default_players


@dataclass(frozen=True)
class TableChoice:
    """The arguments on which the defaults of a command line depend."""

    game: str | None = None
    players: int | None = None
    recipe: str | None = None
    run_dir: Path | None = None
    resume: bool = False
    minutes: float | None = None
    steps: int | None = None
    init: str = ""
    reward: str | None = None
    network: str | None = None
    expert: str | None = None
    opponents: tuple[str, ...] | None = None

    def named(self) -> dict[str, Any]:
        """Return the given settings that may name the user's own code."""
        names = "reward", "network", "expert", "opponents"
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


def defaults(arguments: TableChoice) -> TrainConfig:
    """Return the defaults of a command line: those of a recipe, or of the run that it resumes.

    If a recipe is given for a resumed run, it replaces all settings of the run. The arguments must
    name the user's own code again, such as a reward, because the files of a run may come from
    others.

    Raises:
        ValueError: The game, recipe, run or initial policy does not exist, or the run uses code
            that the arguments do not name.
    """
    game = arguments.game or DEFAULT_GAME
    recipe = arguments.recipe or GAME
    if not arguments.resume or arguments.run_dir is None:
        return default_config(game, arguments.players, recipe, init=arguments.init)
    from agents.training.run_folder import budget_of, read_run  # imports torch

    task = read_run(arguments.run_dir).task
    budget = {}
    check_named(task.recipe, arguments)
    if arguments.minutes is None and arguments.steps is None:
        budget = budget_of(arguments.run_dir)
    config = default_config(task.game, task.num_players, recipe, seed=task.seed, **budget)
    if arguments.recipe is None:  # the policy of ``init`` may no longer exist
        config = replace(config, settings=replace(task.recipe, **arguments.named()))
    if arguments.game not in (None, task.game):
        config = replace(config, game=arguments.game, players=default_players(arguments.game))
    return config


def check_named(recipe: Recipe, arguments: TableChoice) -> None:
    """Raise ValueError unless the arguments name all of the user's own code in a run's recipe.

    Only names that the user gives are ever imported.
    """
    missing = {name: code for name, code in recipe.code.items() if name not in arguments.named()}
    if missing:
        names = ", ".join(quote(name) for code in missing.values() for name in code)
        options = " and ".join(map(flag, missing))
        raise ValueError(
            f"this run uses your own code, {names}, and a checkpoint never runs code; give "
            f"{options} again"
        )
