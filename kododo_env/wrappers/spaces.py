"""The Gymnasium spaces of one player's observation and action, from a game's layouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from kododo_env.core.batch_game import BatchGame

Observation = dict[str, npt.NDArray[Any]]
"""``"observation"``, shape (F,) in ``layout.dtype``, and ``"action_mask"``, shape (A,) int8."""


def box(game: BatchGame) -> spaces.Box:
    """A player's numbers: shape (F,), ``layout.dtype``, each from 0 to its piece's maximum."""
    layout = game.layout
    high = layout.maxima.astype(layout.dtype)
    return spaces.Box(np.zeros_like(high), high, dtype=layout.dtype.type)


def observation_space(game: BatchGame) -> spaces.Dict:
    """The numbers and the mask of legal actions, as in ``Observation``.

    The mask is int8, which is what ``Discrete.sample`` takes.
    """
    mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
    return spaces.Dict({"observation": box(game), "action_mask": mask})


def action_space(game: BatchGame) -> spaces.Discrete:
    """The action numbers, 0 to A - 1."""
    return spaces.Discrete(game.num_actions)
