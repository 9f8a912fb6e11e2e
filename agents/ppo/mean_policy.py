"""The mean of several policies, such as trainings with different seeds, as an expert."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kododo_env.arrays.dtypes import Float64, Int64
from kododo_env.core.agent import Agent, ProbabilisticAgent, check_agents, choice_by_logits
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View
from kododo_env.search.outcome_model import softmax

MIN_PROBABILITY = 1e-12  # so that no single policy can forbid a legal action


class MeanPolicy(Agent):
    """An agent that plays the geometric mean of several policies: the softmax of their mean logits.

    Args:
        policies: One or more policies.

    Raises:
        ValueError: An agent, such as a scripted player, has no action probabilities.
    """

    by_row = True

    def __init__(self, policies: Sequence[Agent]) -> None:
        self.name = ",".join(policy.name for policy in policies)
        self.policies: list[ProbabilisticAgent] = []
        for policy in policies:
            if not isinstance(policy, ProbabilisticAgent):
                raise ValueError(f"{policy.name!r} has no action probabilities; name policies only")
            self.policies.append(policy)

    def check(self, game: BatchGame) -> None:
        """Raise ValueError unless all policies can play this game."""
        check_agents(game, self.policies)

    def probabilities(self, view: View) -> Float64:
        """Return the probability of each action, (N, A) float64; 0 for illegal actions."""
        return softmax(self._logits(view))

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Draw actions, (N,), from the probabilities."""
        return choice_by_logits(self._logits(view), 1.0, rng)

    def _logits(self, view: View) -> Float64:
        probabilities = np.array([policy.probabilities(view) for policy in self.policies])
        logits = np.log(np.maximum(probabilities, MIN_PROBABILITY)).mean(axis=0)
        return np.where(view.legal_action_mask, logits, -np.inf)
