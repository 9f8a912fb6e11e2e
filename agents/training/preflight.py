"""Checks of a training before it starts: a user's own code, choices, and memory."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import torch

from agents.export.onnx_export import export_policy
from agents.ppo.custom_network import OPTION, make_network
from agents.ppo.ppo import LONGEST_UPDATE
from agents.recipes.recipe import Recipe
from agents.training.training_config import Task
from kododo_env.bots.python_code import blamed, is_code
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.networks.network import inputs_of
from kododo_env.policy.plain_text import plain

TRIAL = 16  # games of random play
GIGABYTE = 10**9


def check_own_parts(task: Task) -> None:
    """Test a user's own reward and network by running their code.

    Raises:
        ValueError: The code does not exist or fails, a reward is invalid in some step of a game, or
            the network cannot be exported as a policy file.
    """
    if is_code(task.recipe.reward):
        _try_reward(task.recipe, task.batch_game(TRIAL, task.seed))
    if task.recipe.network:
        _try_network(task.recipe, task.batch_game(1, task.seed))


def _try_reward(recipe: Recipe, game: BatchGame) -> None:
    """Compute the reward after each step of games of random play."""
    reward = recipe.reward_function()
    rng = np.random.default_rng(0)
    with blamed(f"--reward {recipe.reward}", "fails"):
        for _ in range(LONGEST_UPDATE):
            game.step(random_legal_actions(game.legal_action_mask(), rng))
            reward(game)
            if game.terminated.all():
                return


def _try_network(recipe: Recipe, game: BatchGame) -> None:
    """Export an untrained network, to find an unsupported one before training."""
    with TemporaryDirectory() as folder, torch.random.fork_rng(devices=[]):
        network = make_network(recipe, game)
        try:
            export_policy(network, game, Path(folder) / "policy.onnx")
        except ValueError as error:
            raise ValueError(f"{OPTION} {plain(recipe.network)}: {plain(error)}") from error


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
