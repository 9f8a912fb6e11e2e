"""A bot in Python: ``kododo evaluate --agents docs/examples/bots/low.py:Bot random``."""

from __future__ import annotations

import numpy as np

from kododo_env.core import View


class Bot:
    """A bot that plays the lowest legal action, or with probability 1/4 a random legal action."""

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """Return an action for each of the N games of the view."""
        mask = view.legal_action_mask  # (N, A), True where legal
        noise = rng.random(mask.shape)
        any_legal = np.where(mask, noise, -1).argmax(axis=1)
        return np.where(rng.random(len(mask)) < 0.25, any_legal, mask.argmax(axis=1))
