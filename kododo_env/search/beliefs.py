"""Sampling of worlds that fit a player's knowledge, weighted by the other players' actions.

A world is a game in which the cards hidden from the player are dealt again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kododo_env.core.agent import Agent, ProbabilisticAgent, over_seats
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import UndoSupport
from kododo_env.core.view import View

DEALT = 2  # worlds dealt for each world that is kept; more would leave less time for play
SLIP = 0.02  # the probability that a player deviates from the policy


def likely_worlds(policy: Agent, view: View, rng: np.random.Generator, samples: int) -> BatchGame:
    """Sample worlds like ``view.determinize``, but weighted by the actions of the other players.

    Of every ``DEALT`` worlds one is drawn. Its weight is the probability of the other players'
    actions if they play the policy in this world, as far as the game can undo its last steps
    (sampling-importance-resampling, D. Rubin 1988).

    Args:
        policy: The assumed policy of the others. If it is not a ``ProbabilisticAgent``, or no step
            can be undone, worlds are sampled uniformly.
        view: What the player knows in each of N games.
        rng: The source of randomness.
        samples: The number of worlds for each game.

    Returns:
        A batch of N * samples games; the worlds of game i start at index i * samples.
    """
    if view.undoable_steps == 0 or not isinstance(policy, ProbabilisticAgent):
        return view.determinize(rng, samples)
    dealt = view.determinize(rng, samples * DEALT)
    likelihood = _log_likelihood(policy, dealt, view.player, rng).reshape(-1, DEALT)
    drawn = (likelihood + rng.gumbel(size=likelihood.shape)).argmax(axis=1)
    return dealt.take(np.arange(len(drawn)) * DEALT + drawn)


def _log_likelihood(
    policy: ProbabilisticAgent, game: BatchGame, player: int, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return the log-likelihood under the policy of the others' last actions, (N,).

    Actions that would have looked the same, such as equal cards in several slots, count by their
    mean, not their sum: a hand with more copies of a card has more ways to play one of them, and is
    dealt less often by the same factor.
    """
    total = np.zeros(game.num_envs)
    opponents = [seat for seat in range(game.num_players) if seat != player]
    while isinstance(game, UndoSupport) and game.undoable_steps:
        game, masks = game.before_last_step(rng)
        probabilities = over_seats(policy.probabilities, policy, game, opponents)
        for seat, action_probabilities in zip(opponents, probabilities, strict=True):
            lookalikes = masks[:, seat]
            total_probability = (action_probabilities * lookalikes).sum(axis=1)
            probability = total_probability / np.maximum(lookalikes.sum(axis=1), 1)
            total += np.log(SLIP + (1 - SLIP) * probability)
    return total
