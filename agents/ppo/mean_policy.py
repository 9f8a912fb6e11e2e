"""Several policies as one, to be imitated: the mean of trainings that differ by their seeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kododo_env.core.agent import Agent, ProbabilisticAgent, check_agents
from kododo_env.core.arrays import Float64, Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View
from kododo_env.search.outcome_model import softmax

LEAST = 1e-12  # of a chance, so that one policy alone cannot forbid a legal action


class MeanPolicy(Agent):
    """Plays by the geometric mean of some policies' chances, which is the mean of their logits.

    Args:
        policies: Those that are meant, one or more.

    Raises:
        ValueError: One of them does not tell the chances of its actions, as scripted players do
            not.
    """

    by_row = True

    def __init__(self, policies: Sequence[Agent]) -> None:
        self.name = ",".join(policy.name for policy in policies)
        self.policies: list[ProbabilisticAgent] = []
        for policy in policies:
            if not isinstance(policy, ProbabilisticAgent):
                raise ValueError(f"there is no mean of {policy.name!r}: name policies alone")
            self.policies.append(policy)

    def check(self, game: BatchGame) -> None:
        """Raise ValueError unless all of them are for this game."""
        check_agents(game, self.policies)

    def probabilities(self, view: View) -> Float64:
        """The chance of each action, (N, A); illegal ones have none."""
        return softmax(self._logits(view))

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Draw actions by these chances; shape (N,)."""
        logits = self._logits(view)
        return np.asarray((logits + rng.gumbel(size=logits.shape)).argmax(axis=1))

    def _logits(self, view: View) -> Float64:
        chances = np.array([policy.probabilities(view) for policy in self.policies])
        logits = np.log(np.maximum(chances, LEAST)).mean(axis=0)
        return np.where(view.legal_action_mask, logits, -np.inf)
