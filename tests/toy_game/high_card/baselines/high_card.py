"""The scripted player of high card."""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Integer
from kododo_env.core.view import View


class ThriftyAgent:
    """Lays its highest card if that can win, else its lowest."""

    name = "thrifty"

    def act(self, view: View, rng: np.random.Generator) -> Integer:
        """Choose the last or the first legal slot of the sorted hand; shape (N,)."""
        mask = view.legal_action_mask
        lowest = mask.argmax(axis=1)
        highest = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
        card = np.take_along_axis(view.hand, highest[:, None], axis=1)[:, 0]  # type: ignore[attr-defined]
        return np.where(card >= 9, highest, lowest)


BASELINES = {"thrifty": ThriftyAgent}
