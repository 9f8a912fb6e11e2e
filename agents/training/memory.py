"""Whether a training run fits into this machine's memory, reckoned before it begins."""

from __future__ import annotations

import os

import numpy as np

from agents.networks.network import inputs_of
from agents.ppo.game_length import game_length
from agents.training.training_config import Task

TRIAL = 16  # games that are looked at
GIGABYTE = 10**9


def check_memory(task: Task) -> None:
    """Raise ValueError if a run needs more memory than the machine has; if it tells how much."""
    there, needed = _memory(), needed_memory(task)
    if there is not None and needed > there:
        raise ValueError(
            f"this run would need {needed / GIGABYTE:,.1f} GB of memory at least, and the machine "
            f"has {there / GIGABYTE:,.1f}: lower --num-envs, --width or --depth"
        )


def needed_memory(task: Task) -> int:
    """About how many bytes a run takes at least: its games, a rollout, and the network at work."""
    recipe, game = task.recipe, task.batch_game(TRIAL, task.seed)
    arrays = [each for each in game.state().values() if isinstance(each, np.ndarray)]
    steps, deciding = game_length(game)
    slots = recipe.num_envs * task.num_players
    decisions = slots * steps * deciding
    inputs, hidden = inputs_of(game.layout, recipe.one_hot), recipe.width * (recipe.depth - 1)
    games = recipe.num_envs + slots * len(task.opponents())
    # Observation, mask, target in float32, entries in int16; in parts, and once more packed.
    decision = 2 * (game.layout.size * game.layout.dtype.itemsize + 7 * game.num_actions + 24)
    at_work = max(slots * deciding, min(recipe.batch_size, decisions))
    return int(
        games * sum(each.nbytes for each in arrays) / TRIAL
        + decisions * decision
        + slots * steps * 5 * 4
        + at_work * 4 * (inputs + recipe.width + hidden)
        + 4 * 4 * recipe.width * (inputs + hidden)  # weights, gradients and two moments
    )


def _memory() -> int | None:
    """The machine's memory in bytes; None if it does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on Windows
        return None
