"""Scripted players that say what every action is worth to them before they choose one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.view import View

Worth = npt.NDArray[np.floating[Any]]


def best_legal(worth: Worth, view: View) -> npt.NDArray[np.int64]:
    """The legal action of the highest worth in each game, (N,); ``worth`` is (A, N)."""
    legal = np.where(view.legal_action_mask.T, worth, -np.inf)
    best: npt.NDArray[np.int64] = legal.argmax(axis=0)
    return best


class WeighingAgent(ABC):
    """An agent that first weighs all actions, then chooses by their worth."""

    name: str

    @abstractmethod
    def action_values(self, view: View) -> Worth:
        """What each action is worth in each game, in points; more is better.

        Args:
            view: What the player knows in each of N games.

        Returns:
            Shape (A, N); what it says of illegal actions means nothing.
        """

    @abstractmethod
    def choose(self, worth: Worth, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """A legal action in each game, (N,), by the action values of this view, (A, N)."""

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Choose in each game; shape (N,)."""
        return self.choose(self.action_values(view), view, rng)
