"""The base class of scripted players that choose by values with a little noise."""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Array, Int64
from kododo_env.core.agent import ActionValueAgent, best_legal
from kododo_env.core.view import View


class NoisyAgent(ActionValueAgent):
    """A player that takes the action with the highest value; ties are broken at random.

    Attributes:
        noise: The scale of the Gumbel noise added to each value.
        ties: The difference, approximately, below which two values count as a tie.
    """

    noise = 0.0
    ties = 1e-6

    def choose(self, values: Array, view: View, rng: np.random.Generator) -> Int64:
        """Choose the legal action with the highest value after adding noise, shape (N,)."""
        values = values + self.ties * rng.random(values.shape, values.dtype)
        if self.noise:
            values += self.noise * rng.gumbel(size=values.shape)
        return best_legal(values, view)
