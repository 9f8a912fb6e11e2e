"""The share of the victory of any function of observations and masks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.arena.intervals import Estimate
from kododo_env.arena.match import Match
from kododo_env.core.agent import Agent
from kododo_env.core.arrays import Integer
from kododo_env.core.view import View

Choose = Callable[[Any, Any], npt.ArrayLike]
"""Observations (N, F) and masks (N, A) bool to actions (N,), such as a network's likeliest."""


@dataclass
class FunctionAgent:
    """A function of observations and masks as an agent.

    Attributes:
        choose: The function.
        normalize: Whether it learned with ``normalize=True``: float32 from 0 to 1.
        name: As tables show it.
    """

    choose: Choose
    normalize: bool = False
    name: str = "function"

    def act(self, view: View, rng: np.random.Generator) -> Integer:
        """What the function chooses."""
        observation = view.observation.copy()
        if self.normalize:
            observation = (observation / view.layout.maxima).astype(np.float32)
        return np.asarray(self.choose(observation, view.legal_action_mask.copy()))


def share(
    choose: Choose,
    game: str,
    players: int,
    *,
    normalize: bool = False,
    opponents: Agent | str = "random",
    games: int = 2_000,
    seed: int = 0,
) -> Estimate:
    """The share of the victory of a function against P - 1 copies of a player.

    Parity is 1 / P. A policy that has learned nothing is not at parity against ``random``: always
    the first legal action, ``first``, has .33 of Kododo's .25. So measure before and after.

    Args:
        choose: Observations and masks to actions; one call for many games.
        game: The game's name.
        players: P.
        normalize: Whether it learned with ``normalize=True``.
        opponents: The player, or what ``make_agent`` takes for one.
        games: How many, rounded up to whole deals of P games.
        seed: The same seed deals the same decks to any two functions.

    Raises:
        ValueError: There is no such game or player, or an action is not legal.
    """
    agent = FunctionAgent(choose, normalize)
    return Match(agent, opponents, game, players, games, seed).play().share
