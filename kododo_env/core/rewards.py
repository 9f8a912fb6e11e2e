"""The rewards a learner can ask for, in every game alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from kododo_env.core.arrays import Float32
from kododo_env.core.numbers import shown
from kododo_env.core.options import is_one_of

if TYPE_CHECKING:
    from kododo_env.core.batch_game import BatchGame

Reward = Callable[["BatchGame"], Float32]
RewardName = Literal["score", "margin", "win", "margin+win"]

MARGIN_WEIGHT = 0.05
"""Of a point of the margin, where a victory is worth 1."""


def score(game: BatchGame) -> Float32:
    """Points as they are scored, shape (N, P)."""
    return game.rewards


def margin(game: BatchGame) -> Float32:
    """Points scored minus the mean of what the others scored, shape (N, P)."""
    points = game.rewards
    opponents_points = points.sum(axis=1, keepdims=True) - points
    margins: Float32 = points - opponents_points / np.float32(game.num_players - 1)
    return margins


def win(game: BatchGame) -> Float32:
    """At the end the share of the victory minus 1/P, before it 0; shape (N, P)."""
    over = game.just_terminated
    if not over.any():
        return np.zeros((game.num_envs, game.num_players), np.float32)
    share = game.outcome() - 1 / game.num_players
    return np.where(over[:, None], share, 0).astype(np.float32)


def margin_and_win(game: BatchGame, margin_weight: float = MARGIN_WEIGHT) -> Float32:
    """The margin times a weight, and the share of the victory at the end; shape (N, P).

    The margin says early which choices were good, the victory is what counts: ``train.py`` learns
    from both.
    """
    weighted: Float32 = np.float32(margin_weight) * margin(game)
    return weighted + win(game)


REWARDS: dict[RewardName, Reward] = {
    "score": score,
    "margin": margin,
    "win": win,
    "margin+win": margin_and_win,
}
"""The rewards that have a name."""


def reward_function(reward: RewardName | Reward) -> Reward:
    """The reward of that name, or the caller's own function, held to finite numbers (N, P).

    Raises:
        ValueError: There is no reward of that name.
    """
    if callable(reward):
        return partial(_checked, reward)
    if not is_one_of(reward, REWARDS):
        raise ValueError(f"unknown reward {shown(reward)}; choose one of {', '.join(REWARDS)}")
    return REWARDS[reward]


def _checked(reward: Reward, game: BatchGame) -> Float32:
    """The rewards of a caller's function; ValueError unless they are finite numbers, (N, P)."""
    rewards = np.asarray(reward(game))
    shape = (game.num_envs, game.num_players)
    if rewards.shape != shape:
        raise ValueError(f"a reward function gives the shape {shape}, not {rewards.shape}")
    if rewards.dtype.kind not in "buif" or not np.isfinite(rewards).all():
        raise ValueError(f"a reward function gives finite numbers, not {shown(rewards)}")
    return rewards.astype(np.result_type(rewards, np.float32), copy=False)
