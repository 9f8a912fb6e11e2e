"""Estimate whether a training run fits into memory before it starts."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from agents.ppo.ppo import LONGEST_UPDATE
from agents.training.training_config import Task
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.networks.network import inputs_of

TRIAL = 16  # games of the estimate
GIGABYTE = 10**9


def check_memory(task: Task) -> None:
    """Check that a run fits into the machine's memory, if its size is known.

    Raises:
        ValueError: The run needs more memory than the machine has.
    """
    available = _memory()
    needed = needed_memory(task)
    if available is not None and needed > available:
        raise ValueError(
            f"this run needs at least {needed / GIGABYTE:,.1f} GB of memory, but the machine has "
            f"{available / GIGABYTE:,.1f}; lower --num-envs, --width or --depth"
        )


def check_decides(task: Task) -> None:
    """Raise ValueError if no player ever has a choice under the rules of a task."""
    if not game_length(task.batch_game(TRIAL, task.seed)).deciding:
        raise ValueError("no player ever has a choice under these rules: there is nothing to learn")


def needed_memory(task: Task) -> int:
    """Return a lower bound of the bytes that a run needs for games, a rollout and the network."""
    recipe = task.recipe
    game = task.batch_game(TRIAL, task.seed)
    arrays = [array for array in game.state().values() if isinstance(array, np.ndarray)]
    steps, deciding = game_length(game)
    slots = recipe.num_envs * task.num_players
    decisions = slots * steps * deciding
    width = recipe.width
    inputs = inputs_of(game.layout, recipe.one_hot)
    hidden = width * (recipe.depth - 1)
    if recipe.network:  # its size is unknown
        width = inputs = hidden = 0
    games = recipe.num_envs + slots * len(task.opponents())
    # Observation, mask, target in float32, entries in int16; once in parts, once concatenated.
    decision = 2 * (game.layout.size * game.layout.dtype.itemsize + 7 * game.num_actions + 24)
    at_work = max(slots * deciding, min(recipe.batch_size, decisions))
    return int(
        games * sum(array.nbytes for array in arrays) / TRIAL
        + decisions * decision
        + slots * steps * 5 * 4
        + at_work * 4 * (inputs + width + hidden)
        + 4 * 4 * width * (inputs + hidden)  # weights, gradients and two moments
    )


class GameLength(NamedTuple):
    """The length of the games of a batch in random play."""

    steps: int  # from the deal until all games are over, at most ``LONGEST_UPDATE``
    deciding: float  # the share of the seats that had something to decide


def game_length(game: BatchGame) -> GameLength:
    """Return the length of games in random play; a fresh batch is played, not ``game``."""
    trial = game.fresh(game.num_envs, 0)
    rng = np.random.default_rng(0)
    deciding: list[float] = []
    while len(deciding) < LONGEST_UPDATE and not trial.terminated.all():
        deciding.append(float(trial.deciding().mean()))
        trial.step(random_legal_actions(trial.legal_action_mask(), rng))
    return GameLength(len(deciding), float(np.mean(deciding)))


def _memory() -> int | None:
    """Return the machine's memory in bytes, None if it is unknown."""
    if sys.platform != "win32":
        with suppress(OSError, ValueError):
            return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None
