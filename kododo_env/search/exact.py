"""The exact gain of a best response to a policy, in a small game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Float64
from kododo_env.checks.numbers import finite_number
from kododo_env.core.agent import ProbabilisticAgent, RandomAgent, first_of_best
from kododo_env.core.view import View
from kododo_env.policy.policy_schema import HOTTEST
from kododo_env.search.game_tree import GameTree

Strategy = list[Float64]
"""A player's action probabilities: for each step an array (I, A) of I information sets."""
ROUNDING = 1e-4  # the tolerance for sums of float32 probabilities
LEAST_CHANCE = 1e-30  # the minimum probability, so that its logarithm is finite


@dataclass(frozen=True)
class ExactResult:
    """The values of a policy in self-play, and of a best response in one seat.

    Attributes:
        values: The win shares if everyone plays the policy, (P,).
        best: The win share of each player if only this player plays a best response, (P,).
    """

    values: Float64
    best: Float64

    @property
    def gains(self) -> Float64:
        """The gain of each player by playing a best response, (P,), at least 0."""
        return self.best - self.values

    @property
    def nash_conv(self) -> float:
        """The sum of the gains; 0 exactly in an equilibrium."""
        return float(self.gains.sum())


class UniformAgent(RandomAgent):
    """An agent that plays all legal actions with equal probability."""

    name = "uniform"

    def probabilities(self, view: View) -> Float64:
        """Return the probability of each action, (N, A)."""
        mask = view.legal_action_mask
        return mask / mask.sum(axis=1, keepdims=True)


def exact(tree: GameTree, agent: ProbabilisticAgent, temperature: float = 1.0) -> ExactResult:
    """Return the values of an agent against itself and against best responses.

    Args:
        tree: The game.
        agent: The agent in all seats; it is called once per seat and step.
        temperature: Probabilities are raised to the power of 1 / temperature and normalised; with
            0 the likeliest action has probability 1.

    Raises:
        ValueError: The agent does not return probabilities of legal actions, or the temperature is
            out of range.
    """
    seats = range(tree.num_players)
    return exact_of(tree, [strategy(tree, agent, player, temperature) for player in seats])


def exact_of(tree: GameTree, strategies: Sequence[Strategy]) -> ExactResult:
    """Return the values of the players' strategies, and of a best response in each seat."""
    best = [best_response(tree, strategies, player)[0] for player in range(tree.num_players)]
    return ExactResult(value(tree, strategies), np.array(best))


def strategy(
    tree: GameTree, agent: ProbabilisticAgent, player: int, temperature: float = 1.0
) -> Strategy:
    """Return an agent's action probabilities in all information sets of a player; see ``exact``."""
    temperature = finite_number(temperature, "temperature", 0, HOTTEST)
    probabilities_by_step = []
    for step in tree.steps:
        legal = step.legal[player]
        view = step.games.take(step.first[player]).view(player)
        probabilities = np.asarray(agent.probabilities(view), np.float64)
        if probabilities.shape != legal.shape or not _are_probabilities(probabilities, legal):
            raise ValueError(
                f"agent {agent.name!r} must return probabilities of legal actions that sum to 1, "
                f"an array of shape {legal.shape}"
            )
        probabilities_by_step.append(_tempered(probabilities * legal, temperature))
    return probabilities_by_step


def _are_probabilities(probabilities: Float64, legal: npt.NDArray[np.bool_]) -> bool:
    sums = (probabilities * legal).sum(axis=1)
    return bool((probabilities >= 0).all() and np.allclose(sums, 1, atol=ROUNDING))


def _tempered(probabilities: Float64, temperature: float) -> Float64:
    best = probabilities.max(axis=1, keepdims=True)
    if temperature == 0:
        return _pure(
            first_of_best(np.log(np.maximum(probabilities, LEAST_CHANCE))), probabilities.shape[1]
        )
    weights = (probabilities / best) ** (1 / temperature)
    return weights / weights.sum(axis=1, keepdims=True)


def _pure(actions: npt.NDArray[np.intp], num_actions: int) -> Float64:
    """Return one action per information set, (I,), as probabilities, (I, A)."""
    return np.asarray(np.eye(num_actions)[actions])


def value(tree: GameTree, strategies: Sequence[Strategy]) -> Float64:
    """Return the players' expected win shares over all deals, (P,)."""
    total = np.zeros(tree.num_players)
    for step, weight in zip(tree.steps, _weights(tree, strategies), strict=True):
        total += weight @ step.shares
    return total


def best_response(
    tree: GameTree, strategies: Sequence[Strategy], player: int
) -> tuple[float, Strategy]:
    """Return a player's best response to the other players' strategies.

    Args:
        tree: The game.
        strategies: All players' strategies; the player's own is ignored.
        player: The player.

    Returns:
        The win share of the best response, and its strategy.
    """
    weights = _weights(tree, strategies, player)
    response: Strategy = []
    later: Float64 = np.empty(0)
    for step, weight in zip(reversed(tree.steps), reversed(weights), strict=True):
        payoffs = weight * step.shares[:, player]
        payoffs[~step.over] = later  # the weight is included
        sets = step.sets[player][step.before]
        actions = step.actions[:, player]
        legal = step.legal[player]
        cells = np.bincount(sets * legal.shape[1] + actions, payoffs, legal.size)
        best = np.where(legal, cells.reshape(legal.shape), -np.inf).argmax(axis=1)
        chosen = payoffs * (actions == best[sets])
        later = np.bincount(step.before, chosen, step.games.num_envs).astype(np.float64)
        response.append(_pure(best, legal.shape[1]))
    return float(later.sum()), response[::-1]


def _weights(
    tree: GameTree, strategies: Sequence[Strategy], without: int | None = None
) -> list[Float64]:
    """Return the reach probability of each following position of each step, (M,).

    Args:
        tree: The game.
        strategies: All players' strategies.
        without: A player whose choices do not count.
    """
    step_weights = []
    reach = tree.probabilities
    for number, step in enumerate(tree.steps):
        after = reach[step.before]
        for player, probabilities in enumerate(strategies):
            if player != without:
                sets = step.sets[player][step.before]
                after = after * probabilities[number][sets, step.actions[:, player]]
        step_weights.append(after)
        reach = after[~step.over]
    return step_weights
