"""What share of the victory a position in the middle of a game is worth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from kododo_env.core.agent import Agent, ValueAgent, joint_action
from kododo_env.core.batch_game import BatchGame

Floats = npt.NDArray[np.float64]
GAMES = 1024  # played to fit a model
BOUNDS = ((1 / 500, 20.0), (0.0, 50.0))  # of the weights of points and value: for points that
# say nothing, or all


class OutcomeModel:
    """The shares of the victory to expect after each step of a game.

    They are the softmax of the points, times a weight (Luce 1959), plus, if the policy is a
    ``ValueAgent``, what it holds the position of each player to be worth, times another:
    the points do not tell who has the better hand. The weights of each step are the
    likeliest ones for games that the policy has played against itself.

    Args:
        policy: Plays in every seat.
        game: A batch whose rules are used.
    """

    def __init__(self, policy: Agent, game: BatchGame) -> None:
        self.policy = policy
        before, outcome = self._self_play(game.fresh(GAMES, 0))
        self.weights = np.array([_likeliest_weights(each, outcome) for each in before])

    def expected(self, game: BatchGame) -> Floats:
        """Shares of the victory, shape (N, P); the outcome itself where a game is over."""
        step = min(game.steps_played, len(self.weights) - 1)
        guess: Floats = softmax(self._features(game) @ self.weights[step], axis=1)
        return np.where(game.terminated[:, None], game.outcome(), guess)

    def _features(self, game: BatchGame) -> Floats:
        """Each player's points and the value of his position, shape (N, P, 2)."""
        features = np.zeros((*game.scores.shape, 2))
        features[..., 0] = game.scores
        if isinstance(self.policy, ValueAgent):
            for player in range(game.num_players):
                features[:, player, 1] = self.policy.value(game.view(player))
        return features

    def _self_play(self, game: BatchGame) -> tuple[list[Floats], Floats]:
        """The features (N, P, 2) before each step and at the end, and the final shares (N, P)."""
        rng, everybody = np.random.default_rng(0), [self.policy] * game.num_players
        features = [self._features(game)]
        while not game.terminated.all():
            game.step(joint_action(everybody, game, rng))
            features.append(self._features(game))
        return features, game.outcome()


def _likeliest_weights(features: Floats, outcome: Floats) -> Floats:
    """The weights (2,) under which the outcomes (N, P) are likeliest, given features (N, P, 2)."""

    def surprise(weights: Floats) -> tuple[float, Floats]:
        logits = features @ weights
        slope = np.tensordot(softmax(logits, axis=1) - outcome, features, axes=2)
        return -float((outcome * log_softmax(logits, axis=1)).sum()), slope

    found = minimize(surprise, [0.1, 0.0], jac=True, method="L-BFGS-B", bounds=BOUNDS)
    weights: Floats = found.x
    return weights
