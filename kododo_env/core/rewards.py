"""Reward functions for learners, the same for every game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from kododo_env.arrays.dtypes import Float32
from kododo_env.checks.numbers import quote
from kododo_env.checks.options import is_one_of

if TYPE_CHECKING:
    from kododo_env.core.batch_game import BatchGame

Reward = Callable[["BatchGame"], Float32]
RewardName = Literal["score", "margin", "win", "margin+win"]

MARGIN_WEIGHT = 0.05
"""The weight of one point of the margin, where a victory is worth 1."""


def score(game: BatchGame) -> Float32:
    """Return the points scored in the last step, shape (N, P)."""
    return game.rewards


def margin(game: BatchGame) -> Float32:
    """Return the points scored minus the mean of the other players' points, shape (N, P)."""
    points = game.rewards
    opponents_points = points.sum(axis=1, keepdims=True) - points
    return points - opponents_points / np.float32(game.num_players - 1)


def win(game: BatchGame) -> Float32:
    """Return the win share minus 1/P in games that have just ended, otherwise 0; (N, P)."""
    over = game.just_terminated
    if not over.any():
        return np.zeros((game.num_envs, game.num_players), np.float32)
    share = game.outcome() - 1 / game.num_players
    return np.where(over[:, None], share, 0).astype(np.float32)


def margin_and_win(game: BatchGame, margin_weight: float = MARGIN_WEIGHT) -> Float32:
    """Return ``margin_weight`` times ``margin`` plus ``win``, shape (N, P).

    ``win`` is the goal of training, and ``margin`` an earlier signal.
    """
    weighted: Float32 = np.float32(margin_weight) * margin(game)
    return weighted + win(game)


REWARDS: dict[RewardName, Reward] = {
    "score": score,
    "margin": margin,
    "win": win,
    "margin+win": margin_and_win,
}
"""The built-in reward functions by name."""


def reward_function(reward: RewardName | Reward) -> Reward:
    """Return the reward function of that name, or wrap a custom function to check its results.

    Raises:
        ValueError: There is no reward of that name.
    """
    if callable(reward):
        return partial(_checked, reward)
    if not is_one_of(reward, REWARDS):
        raise ValueError(f"unknown reward {quote(reward)}; choose from {', '.join(REWARDS)}")
    return REWARDS[reward]


def _checked(reward: Reward, game: BatchGame) -> Float32:
    """Return a custom function's rewards; raise ValueError unless finite, of shape (N, P)."""
    rewards = np.asarray(reward(game))
    shape = (game.num_envs, game.num_players)
    if rewards.shape != shape:
        raise ValueError(f"a reward function must return shape {shape}, not {rewards.shape}")
    if rewards.dtype.kind not in "buif" or not np.isfinite(rewards).all():
        raise ValueError(f"a reward function must return finite numbers, not {quote(rewards)}")
    return rewards.astype(np.result_type(rewards, np.float32), copy=False)
