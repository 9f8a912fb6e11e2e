"""A model of the expected win share in an unfinished game."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from kododo_env.arrays.dtypes import Float64, Floating
from kododo_env.arrays.underflow import underflow_is_zero
from kododo_env.core.agent import Agent, ValueAgent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import RoundPlay, StepSkipping
from kododo_env.layouts.observation import from_own_seat

# The number of games played to fit a model. Without rounds, more steps of each game are used.
FITTED_GAMES = 1024
FITTED_WITHOUT_ROUNDS = 256
# The lower and upper bounds of three weights: of points, of the value, and the constant term.
BOUNDS = np.array([[1 / 500, 0.0, -50.0], [20.0, 50.0, 50.0]])
MOST_ROUNDS = 100  # fitting iterations
LEAST_GAIN = 1e-9  # in mean log-likelihood
LEAST_DAMPING = 1e-6  # a constant value is collinear with the constant term


class OutcomeModel:
    """A model of a player's expected win share after each step of a game.

    The estimate is a softmax of all players' weighted points (Luce 1959). If the policy is a
    ``ValueAgent``, its value of the player's own position is added, because points do not show who
    has the better hand; the other players' values are not used, because they do not improve the
    estimate. The weights of each step are fitted by maximum likelihood to games that the policy
    has played against itself.

    Args:
        policy: The agent in every seat.
        game: A batch with the rules of the game.

    Attributes:
        weights: The weights of each step, (S, 3). The policy may provide them as an attribute
            ``outcome_weights``, as shipped policies do; otherwise they are fitted at creation.
    """

    def __init__(self, policy: Agent, game: BatchGame) -> None:
        self.policy = policy
        for _ in self._fit(game, FITTED_GAMES):
            pass

    @classmethod
    def step_by_step(
        cls, policy: Agent, game: BatchGame, most_games: int
    ) -> Generator[None, None, OutcomeModel]:
        """Create a model in steps, so that the caller can do other work between them.

        Args:
            policy: The agent in every seat.
            game: A batch with the rules of the game.
            most_games: The maximum number of games to play.

        Returns:
            A generator that yields after each step and returns the model.
        """
        model = object.__new__(cls)
        model.policy = policy
        yield from model._fit(game, most_games)
        return model

    def _fit(self, game: BatchGame, most_games: int) -> Iterator[None]:
        """Fit the weights, and yield after each step of the games played for it."""
        policy_weights: Float64 | None = getattr(self.policy, "outcome_weights", None)
        if policy_weights is not None:
            self.weights = policy_weights
            return
        games = FITTED_GAMES if isinstance(game, RoundPlay) else FITTED_WITHOUT_ROUNDS
        games = min(games, most_games)
        played = game.fresh(games, 0)
        rng = np.random.default_rng(0)
        seats = range(game.num_players)
        agents = [self.policy] * game.num_players
        features_by_step = {_step(played): [self._features(played, seat) for seat in seats]}
        while not played.terminated.all():
            played.step(joint_action(agents, played, rng))
            features_by_step[_step(played)] = [self._features(played, seat) for seat in seats]
            yield
        shares = played.outcome().T.ravel()
        weights_by_step = {
            step: _fitted_weights(np.vstack(features), shares)
            for step, features in features_by_step.items()
        }
        weights = weights_by_step[min(weights_by_step)]
        rows = []
        for step in range(max(weights_by_step) + 1):
            # A step that all of these games skipped has the weights of the step before.
            weights = weights_by_step.get(step, weights)
            rows.append(weights)
        self.weights = np.array(rows)

    @underflow_is_zero
    def expected(self, game: BatchGame, player: int) -> Float64:
        """Return the player's expected win share, (N,); where a game is over, its outcome."""
        weights = self.weights[min(_step(game), len(self.weights) - 1)]
        guess = _probability(_log_odds(self._features(game, player), weights))
        return np.where(game.terminated, game.outcome()[:, player], guess)

    def _features(self, game: BatchGame, player: int) -> Float64:
        """Return the value of a player's position, their points and the others', (N, 1 + P)."""
        features = np.zeros((game.num_envs, 1 + game.num_players))
        features[:, 1:] = game.scores[:, from_own_seat(game.num_players)[player]]
        if isinstance(self.policy, ValueAgent):
            features[:, 0] = self.policy.value(game.view(player))
        return features


def _step(game: BatchGame) -> int:
    """Return how far a batch is, including the steps that it passed over."""
    return game.steps_played + (game.steps_passed if isinstance(game, StepSkipping) else 0)


def _log_odds(features: Float64, weights: Float64) -> Float64:
    """Return the log-odds of a player's share against all others, (N,)."""
    value = features[:, 0]
    points = features[:, 1]
    opponent_points = features[:, 2:]
    odds: Float64 = weights[0] * points - np.logaddexp.reduce(weights[0] * opponent_points, axis=1)
    odds += weights[1] * value + weights[2]
    return odds


def _probability(log_odds: Float64) -> Float64:
    """Return the logistic function, without overflow."""
    return np.asarray(np.exp(-np.logaddexp(0, -log_odds)))


@underflow_is_zero
def softmax(logits: Floating) -> Float64:
    """Return the softmax of each row, (N, A)."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@underflow_is_zero
def _fitted_weights(features: Float64, shares: Float64) -> Float64:
    """Return the weights (3,) that make shares (N,) likeliest, given features (N, 1 + P).

    Uses Newton's method with the expected curvature, each step damped until it gains (D. Marquardt,
    "An algorithm for least-squares estimation of nonlinear parameters", 1963).
    """
    weights = np.array([0.1, 0.0, 0.0])
    damping = 1.0
    loss, slope, curvature = _log_loss(weights, features, shares)
    for _ in range(MOST_ROUNDS):
        free = np.where(slope > 0, weights > BOUNDS[0], weights < BOUNDS[1])
        damped = curvature + np.diag(damping * curvature.diagonal() + LEAST_DAMPING)
        step = np.zeros(3)
        step[free] = _solved(damped[np.ix_(free, free)], slope[free])
        candidate = np.clip(weights - step, *BOUNDS)
        new_loss, new_slope, new_curvature = _log_loss(candidate, features, shares)
        gain = loss - new_loss
        if gain > 0:
            weights = candidate
            loss = new_loss
            slope = new_slope
            curvature = new_curvature
        if abs(gain) < LEAST_GAIN:
            break
        damping = max(damping * (0.1 if gain > 0 else 10), LEAST_DAMPING)
    return weights


def _solved(matrix: Float64, right: Float64) -> Float64:
    """Solve a small positive definite system by elimination, as ``numpy.linalg.solve`` does.

    LAPACK would enlarge the static page, and its last bits differ from processor to processor.
    """
    rows = np.column_stack([matrix, right])
    for pivot in range(len(rows)):
        rows[pivot] /= rows[pivot, pivot]
        other_rows = np.arange(len(rows)) != pivot
        rows[other_rows] -= np.outer(rows[other_rows, pivot], rows[pivot])
    return rows[:, -1]


def _log_loss(
    weights: Float64, features: Float64, shares: Float64
) -> tuple[float, Float64, Float64]:
    """Return the mean negative log-likelihood of the shares, its slope (3,), curvature (3, 3)."""
    odds = _log_odds(features, weights)
    opponent_points = features[:, 2:]
    probability = _probability(odds)
    lead = features[:, 1] - (softmax(weights[0] * opponent_points) * opponent_points).sum(axis=1)
    slopes = np.stack([lead, features[:, 0], np.ones(len(features))])
    loss = np.logaddexp(0, odds) - shares * odds
    curvature = slopes * (probability * (1 - probability)) @ slopes.T
    return (
        float(loss.mean()),
        slopes @ (probability - shares) / len(features),
        curvature / len(features),
    )
