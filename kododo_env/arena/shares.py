"""The win share of a function from observations and masks to actions, such as a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.arena.head_to_head import Match
from kododo_env.arena.intervals import Estimate
from kododo_env.arrays.dtypes import Integer
from kododo_env.core.agent import Agent
from kododo_env.core.view import View

Choose = Callable[[Any, Any], npt.ArrayLike]
"""A function from observations (N, F) and masks (N, A) bool to actions (N,)."""


@dataclass
class FunctionAgent:
    """An agent that plays the actions of a function.

    Attributes:
        choose: The function from observations and masks to actions.
        normalize: Whether the function takes normalised observations, float32 from 0 to 1.
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
    """Return the win share of a function against P - 1 copies of an agent.

    Parity is 1 / P. An untrained policy need not be at parity against ``random``: in Kododo with
    four players, where parity is 0.25, ``first``, which always plays the first legal action, has
    0.33. Therefore compare the shares before and after training.

    Args:
        choose: The function from observations and masks to actions, called for many games at once.
        game: The game's name.
        players: P.
        normalize: Whether the function takes normalised observations, float32 from 0 to 1.
        opponents: The agent whose copies take the other seats, or a name for ``make_agent``.
        games: The number of games, rounded up to whole deals of P games.
        seed: The seed of the decks, which do not depend on the function, and of the agents'
            randomness.

    Raises:
        ValueError: An argument is invalid, an agent is unknown, or an action is illegal.
    """
    agent = FunctionAgent(choose, normalize)
    return Match(agent, opponents, game, players, games, seed).play().share
