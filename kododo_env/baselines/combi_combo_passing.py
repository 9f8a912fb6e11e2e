"""The base of scripted players of Combi-Combo, who pass the card of the highest value."""

from __future__ import annotations

import numpy as np

from kododo_env.core.agent import ActionValueAgent, best_legal
from kododo_env.core.arrays import Array, Int16, Int64
from kododo_env.core.view import View


def games_last(piece: Array) -> Int16:
    """A piece of the observation with the game axis last, as numbers with a sign."""
    return np.ascontiguousarray(np.moveaxis(piece, 0, -1), dtype=np.int16)


class CombiComboAgent(ActionValueAgent):
    """Passes the card with the highest value of passing it, among equals any.

    Attributes:
        noise: Scale of the random number (of Gumbel's distribution) added to each value.
    """

    noise = 0.0

    def choose(self, values: Array, view: View, rng: np.random.Generator) -> Int64:
        """The legal action of the highest value, among equals one at random; shape (N,)."""
        values = values + 1e-6 * rng.random(values.shape)
        if self.noise:
            values += self.noise * rng.gumbel(size=values.shape)
        return best_legal(values, view)
