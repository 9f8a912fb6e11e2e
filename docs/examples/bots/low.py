"""A bot in Python: ``kododo evaluate --agents docs/examples/bots/low.py:Bot random``."""

from __future__ import annotations

import numpy as np

from kododo_env.core import View


class Bot:
    """Plays the legal action of the lowest number, but one time in four any legal action."""

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """One action in each of the N games that the view shows."""
        mask = view.legal_action_mask  # (N, A), True where legal
        noise = rng.random(mask.shape)
        any_legal = np.where(mask, noise, -1).argmax(axis=1)
        return np.where(rng.random(len(mask)) < 0.25, any_legal, mask.argmax(axis=1))
