"""Test a user's own reward and network before the training starts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

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
from kododo_env.policy.plain_text import plain

TRIAL = 2  # games to test a reward


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
