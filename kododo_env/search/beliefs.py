"""Worlds that agree with what a player knows, and are likely given what the others did."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kododo_env.core.agent import Agent, ProbabilisticAgent, over_seats
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import UndoSupport
from kododo_env.core.view import View

DEALT = 2  # worlds dealt per world drawn; more leave less time to play them out
SLIP = 0.02  # the probability that a player deviates from the policy


def likely_worlds(policy: Agent, view: View, rng: np.random.Generator, samples: int) -> BatchGame:
    """Sample worlds like ``view.determinize``, but likelier worlds more often.

    What players did says something about what they hold. Of every ``DEALT`` worlds one is drawn,
    weighted by the probability that the others, playing the policy, would have done what they did
    in the steps that the game can take back (sampling-importance-resampling, D. Rubin 1988).

    Args:
        policy: The assumed policy of the others. Unless it is a ``ProbabilisticAgent``, and where
            there is nothing to take back, worlds are sampled uniformly.
        view: What the player knows in each of N games.
        rng: The source of randomness.
        samples: Worlds per game.

    Returns:
        A batch of N * samples games; game i has the worlds from i * samples on.
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
