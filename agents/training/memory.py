"""Whether a training run fits into this machine's memory, reckoned before it begins."""

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

TRIAL = 16  # games that are looked at
GIGABYTE = 10**9


def check_memory(task: Task) -> None:
    """Raise ValueError if a run needs more memory than the machine has; if it tells how much."""
    available = _memory()
    needed = needed_memory(task)
    if available is not None and needed > available:
        raise ValueError(
            f"this run would need {needed / GIGABYTE:,.1f} GB of memory at least, and the machine "
            f"has {available / GIGABYTE:,.1f}: lower --num-envs, --width or --depth"
        )


def check_decides(task: Task) -> None:
    """Raise ValueError if nobody ever has a choice under these rules."""
    if not game_length(task.batch_game(TRIAL, task.seed)).deciding:
        raise ValueError("nobody has a choice under these rules: there is nothing to learn")


def needed_memory(task: Task) -> int:
    """About how many bytes a run takes at least: its games, a rollout, and the network at work."""
    recipe = task.recipe
    game = task.batch_game(TRIAL, task.seed)
    arrays = [array for array in game.state().values() if isinstance(array, np.ndarray)]
    steps, deciding = game_length(game)
    slots = recipe.num_envs * task.num_players
    decisions = slots * steps * deciding
    width = recipe.width
    inputs = inputs_of(game.layout, recipe.one_hot)
    hidden = width * (recipe.depth - 1)
    if recipe.network:  # whose size nobody tells
        width = inputs = hidden = 0
    games = recipe.num_envs + slots * len(task.opponents())
    # Observation, mask, target in float32, entries in int16; in parts, and once more packed.
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
    """The length of a batch of games, played at random."""

    steps: int  # from the deal until all games are over, at most ``LONGEST_UPDATE``
    deciding: float  # the share of the seats that had something to decide


def game_length(game: BatchGame) -> GameLength:
    """Play a fresh batch of the game, which itself stays as it is."""
    trial = game.fresh(game.num_envs, 0)
    rng = np.random.default_rng(0)
    deciding: list[float] = []
    while len(deciding) < LONGEST_UPDATE and not trial.terminated.all():
        deciding.append(float(trial.deciding().mean()))
        trial.step(random_legal_actions(trial.legal_action_mask(), rng))
    return GameLength(len(deciding), float(np.mean(deciding)))


def _memory() -> int | None:
    """The machine's memory in bytes; None if it does not tell."""
    if sys.platform != "win32":
        with suppress(OSError, ValueError):
            return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None
