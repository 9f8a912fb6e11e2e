"""The base of scripted players who choose by values, a little noise aside."""

from __future__ import annotations

import numpy as np

from kododo_env.core.agent import ActionValueAgent, best_legal
from kododo_env.core.arrays import Array, Int64
from kododo_env.core.view import View


class NoisyAgent(ActionValueAgent):
    """Plays the action of the highest value, among equals any.

    Attributes:
        noise: Scale of the random number (of Gumbel's distribution) added to each value.
        ties: Values that are equal to about this are told apart at random.
    """

    noise = 0.0
    ties = 1e-6

    def choose(self, values: Array, view: View, rng: np.random.Generator) -> Int64:
        """The legal action of the highest value, after the noise; shape (N,)."""
        values = values + self.ties * rng.random(values.shape, values.dtype)
        if self.noise:
            values += self.noise * rng.gumbel(size=values.shape)
        return best_legal(values, view)
