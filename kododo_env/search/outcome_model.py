"""The share of the victory to expect of a position in the middle of a game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from kododo_env.core.agent import Agent, ValueAgent, joint_action, over_seats
from kododo_env.core.batch_game import BatchGame

Floats = npt.NDArray[np.float64]
GAMES = 1024  # played to fit a model
BOUNDS = ((1 / 500, 20.0), (0.0, 50.0))  # of the weights of points and value


class OutcomeModel:
    """The shares of the victory to expect after each step of a game.

    They are the softmax (Luce 1959) of each player's points times a weight, plus, if the policy
    is a ``ValueAgent``, its value of their position times another: points do not tell who has
    the better hand. The weights of each step are fitted by maximum likelihood to games that
    the policy has played against itself.

    Args:
        policy: Plays in every seat.
        game: A batch whose rules are used.
    """

    def __init__(self, policy: Agent, game: BatchGame) -> None:
        self.policy = policy
        played, rng = game.fresh(GAMES, 0), np.random.default_rng(0)
        everybody = [policy] * game.num_players
        features = [self._features(played)]
        while not played.terminated.all():
            played.step(joint_action(everybody, played, rng))
            features.append(self._features(played))
        self.weights = np.array([_fitted_weights(each, played.outcome()) for each in features])

    def expected(self, game: BatchGame) -> Floats:
        """Shares of the victory, shape (N, P); the outcome itself where a game is over."""
        step = min(game.steps_played, len(self.weights) - 1)
        guess: Floats = softmax(self._features(game) @ self.weights[step], axis=1)
        return np.where(game.terminated[:, None], game.outcome(), guess)

    def _features(self, game: BatchGame) -> Floats:
        """Each player's points and the value of their position, shape (N, P, 2)."""
        features = np.zeros((*game.scores.shape, 2))
        features[..., 0] = game.scores
        if isinstance(self.policy, ValueAgent):
            seats = range(game.num_players)
            features[..., 1] = over_seats(self.policy.value, self.policy, game, seats).T
        return features


def _fitted_weights(features: Floats, outcome: Floats) -> Floats:
    """The weights (2,) that make outcomes (N, P) likeliest, given features (N, P, 2)."""

    def log_loss(weights: Floats) -> tuple[float, Floats]:
        logits = features @ weights
        slope = np.tensordot(softmax(logits, axis=1) - outcome, features, axes=2)
        return -float((outcome * log_softmax(logits, axis=1)).sum()), slope

    found = minimize(log_loss, [0.1, 0.0], jac=True, method="L-BFGS-B", bounds=BOUNDS)
    weights: Floats = found.x
    return weights
