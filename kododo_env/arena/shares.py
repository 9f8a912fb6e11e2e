"""The share of the victory of a function of observations and masks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.arena.head_to_head import Match
from kododo_env.arena.intervals import Estimate
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
        normalize: Whether it takes observations with ``normalize=True``: float32 from 0 to 1.
        name: The name in tables.
    """

    choose: Choose
    normalize: bool = False
    name: str = "function"

    def act(self, view: View, rng: np.random.Generator) -> Integer:
        """Return the function's actions, shape (N,)."""
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
    """Return the share of the victory of a function against P - 1 copies of a player.

    Parity is 1 / P. An untrained policy is not at parity against ``random``: ``first``, which
    always plays the first legal action, has .33 in Kododo, where parity is .25. So measure before
    and after training.

    Args:
        choose: Observations and masks to actions; one call for many games.
        game: The game's name.
        players: P.
        normalize: Whether it takes observations with ``normalize=True``.
        opponents: The player, or a name for ``make_agent``.
        games: The number of games, rounded up to whole deals of P games.
        seed: The same seed deals the same decks to any two functions.

    Raises:
        ValueError: The game or the player is unknown, or an action is illegal.
    """
    agent = FunctionAgent(choose, normalize)
    return Match(agent, opponents, game, players, games, seed).play().share
