"""How much a best response gains on a policy, exactly, in a game that is small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kododo_env.core.agent import ProbabilisticAgent, RandomAgent, first_of_best
from kododo_env.core.arrays import Float64
from kododo_env.core.numbers import finite_number
from kododo_env.core.view import View
from kododo_env.policy.policy_schema import HOTTEST
from kododo_env.search.game_tree import GameTree

Strategy = list[Float64]
"""A player's chances of each action in each of their information sets, (I, A), step by step."""
ROUNDING = 1e-4  # so much less or more than 1 the chances of a float32 policy may sum to
LEAST_CHANCE = 1e-30  # a chance, or one whose logarithm is taken


@dataclass(frozen=True)
class Exact:
    """What a policy is worth if all play it, and what a best response in one seat makes of it.

    Attributes:
        values: Shares of the victory if all play it, (P,).
        best: The share of each player if they alone play a best response, (P,).
    """

    values: Float64
    best: Float64

    @property
    def gains(self) -> Float64:
        """What each player gains by a best response, (P,), at least 0."""
        return self.best - self.values

    @property
    def nash_conv(self) -> float:
        """The sum of the gains; 0 in an equilibrium, and nowhere else."""
        return float(self.gains.sum())


class Uniform(RandomAgent):
    """Plays all legal actions with the same chance, and says so."""

    name = "uniform"

    def probabilities(self, view: View) -> Float64:
        """The chance of each action, (N, A)."""
        mask = view.legal_action_mask
        chances: Float64 = mask / mask.sum(axis=1, keepdims=True)
        return chances


def exact(tree: GameTree, agent: ProbabilisticAgent, temperature: float = 1.0) -> Exact:
    """What an agent is worth against itself and against best responses.

    Args:
        tree: The game.
        agent: The agent in all seats; asked once for each seat and step.
        temperature: Chances are raised to the power of 1 / this and made to sum to 1, as
            learned policies play colder than they have learned; 0 plays the likeliest.

    Raises:
        ValueError: The agent does not give chances of legal actions, or the temperature is none.
    """
    seats = range(tree.num_players)
    return exact_of(tree, [strategy(tree, agent, player, temperature) for player in seats])


def exact_of(tree: GameTree, strategies: Sequence[Strategy]) -> Exact:
    """The same of a strategy for each player."""
    best = [best_response(tree, strategies, player)[0] for player in range(tree.num_players)]
    return Exact(value(tree, strategies), np.array(best))


def strategy(
    tree: GameTree, agent: ProbabilisticAgent, player: int, temperature: float = 1.0
) -> Strategy:
    """An agent's chances in all information sets of a player; see ``exact``."""
    temperature = finite_number(temperature, "temperature", 0, HOTTEST)
    chances_by_step = []
    for step in tree.steps:
        legal = step.legal[player]
        view = step.games.take(step.first[player]).view(player)
        chances = np.asarray(agent.probabilities(view), np.float64)
        if chances.shape != legal.shape or not _are_chances(chances, legal):
            raise ValueError(
                f"agent {agent.name!r} must give chances of legal actions that sum to 1, "
                f"an array of the shape {legal.shape}"
            )
        chances_by_step.append(_tempered(chances * legal, temperature))
    return chances_by_step


def _are_chances(chances: Float64, legal: npt.NDArray[np.bool_]) -> bool:
    sums = (chances * legal).sum(axis=1)
    return bool((chances >= 0).all() and np.allclose(sums, 1, atol=ROUNDING))


def _tempered(chances: Float64, temperature: float) -> Float64:
    best = chances.max(axis=1, keepdims=True)
    if temperature == 0:
        return _pure(first_of_best(np.log(np.maximum(chances, LEAST_CHANCE))), chances.shape[1])
    weights = (chances / best) ** (1 / temperature)
    tempered: Float64 = weights / weights.sum(axis=1, keepdims=True)
    return tempered


def _pure(actions: npt.NDArray[np.intp], num_actions: int) -> Float64:
    """One action in each information set, (I,), as chances, (I, A)."""
    return np.asarray(np.eye(num_actions)[actions])


def value(tree: GameTree, strategies: Sequence[Strategy]) -> Float64:
    """The players' shares of the victory, (P,), in the mean of all deals."""
    total = np.zeros(tree.num_players)
    for step, weight in zip(tree.steps, _weights(tree, strategies), strict=True):
        total += weight @ step.shares
    return total


def best_response(
    tree: GameTree, strategies: Sequence[Strategy], player: int
) -> tuple[float, Strategy]:
    """The best that a player can do while the others keep to their strategies.

    Args:
        tree: The game.
        strategies: Of all players; the player's own is not looked at.
        player: Who.

    Returns:
        The share of the victory, and a strategy that has it.
    """
    weights = _weights(tree, strategies, player)
    response: Strategy = []
    later: Float64 = np.empty(0)
    for step, weight in zip(reversed(tree.steps), reversed(weights), strict=True):
        payoffs = weight * step.shares[:, player]
        payoffs[~step.over] = later  # what is weighted already
        sets = step.sets[player][step.before]
        actions = step.actions[:, player]
        legal = step.legal[player]
        cells = np.bincount(sets * legal.shape[1] + actions, payoffs, legal.size)
        best = np.where(legal, cells.reshape(legal.shape), -np.inf).argmax(axis=1)
        chosen = payoffs * (actions == best[sets])
        later = np.bincount(step.before, chosen, step.games.num_envs).astype(np.float64)
        response.append(_pure(best, legal.shape[1]))
    return float(later.sum()), response[::-1]


def mixture(tree: GameTree, strategies: Sequence[Strategy], player: int) -> Strategy:
    """What a player does who draws one of several strategies before each game, all alike.

    Args:
        tree: The game.
        strategies: Of this player.
        player: Who.

    Returns:
        The strategy that nobody can tell from that: the mean of their chances, each weighted by
        how likely it comes there. Where none comes, all legal actions alike.
    """
    total = [np.zeros(step.legal[player].shape) for step in tree.steps]
    for component in strategies:
        reach = np.ones(len(tree.chances))  # the player's own part in how likely a position is
        for step, chances, summed in zip(tree.steps, component, total, strict=True):
            summed += reach[step.first[player], None] * chances
            action_chances = chances[step.sets[player][step.before], step.actions[:, player]]
            reach = (reach[step.before] * action_chances)[~step.over]
    mean_strategy: Strategy = []
    for step, summed in zip(tree.steps, total, strict=True):
        legal = step.legal[player]
        weights = np.where(summed.sum(axis=1, keepdims=True) > 0, summed, legal)
        mean_strategy.append(weights / weights.sum(axis=1, keepdims=True))
    return mean_strategy


def _weights(
    tree: GameTree, strategies: Sequence[Strategy], without: int | None = None
) -> list[Float64]:
    """How likely each following position of each step is, (M,), by chance and by players.

    Args:
        tree: The game.
        strategies: Of all players.
        without: Whose choices are not counted.
    """
    step_weights = []
    reach = tree.chances
    for number, step in enumerate(tree.steps):
        after = reach[step.before]
        for player, chances in enumerate(strategies):
            if player != without:
                sets = step.sets[player][step.before]
                after = after * chances[number][sets, step.actions[:, player]]
        step_weights.append(after)
        reach = after[~step.over]
    return step_weights
