"""What share of the victory points in the middle of a game are worth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from kododo_env.core.agent import Agent, everybodys_choice
from kododo_env.core.batch_game import BatchGame

Floats = npt.NDArray[np.float64]
GAMES = 1024  # played to fit a model
SCALES = (0.05, 500.0)  # points; beyond these nothing changes


class OutcomeModel:
    """The shares of the victory to expect from the points after each step of a game.

    They are the softmax of the points divided by a scale (Luce 1959). The scale of each
    step is the likeliest one for games that a policy has played against itself: wide while
    much is still to come, narrow near the end.

    Args:
        policy: Plays in every seat.
        game: A batch whose rules are used.
    """

    def __init__(self, policy: Agent, game: BatchGame) -> None:
        points, outcome = _self_play(policy, game.fresh(GAMES, 0))
        self.scales = np.array([_likeliest_scale(each, outcome) for each in points])

    def expected(self, game: BatchGame) -> Floats:
        """Shares of the victory, shape (N, P); the outcome itself where a game is over."""
        step = min(game.steps_played, len(self.scales) - 1)
        guess = np.exp(_log_shares(game.scores, self.scales[step]))
        return np.where(game.terminated[:, None], game.outcome(), guess)


def _self_play(policy: Agent, game: BatchGame) -> tuple[list[Floats], Floats]:
    """The points (N, P) before each step and at the end, and the final shares (N, P)."""
    rng = np.random.default_rng(0)
    points = [game.scores.astype(np.float64)]
    while not game.terminated.all():
        game.step(everybodys_choice(policy, game, rng))
        points.append(game.scores.astype(np.float64))
    return points, game.outcome()


def _log_shares(points: npt.NDArray[np.generic], scale: float) -> Floats:
    scaled = np.asarray(points, np.float64) / scale
    scaled -= scaled.max(axis=1, keepdims=True)
    log_shares: Floats = scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))
    return log_shares


def _likeliest_scale(points: Floats, outcome: Floats) -> float:
    """The scale under which the outcomes (N, P) are likeliest, given the points (N, P)."""

    def surprise(log_scale: float) -> float:
        return -float((outcome * _log_shares(points, np.exp(log_scale))).sum())

    found = minimize_scalar(surprise, bounds=np.log(SCALES), method="bounded")
    return float(np.exp(found.x))
