"""One environment of many, for those who ask for its attributes or call its methods."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from gymnasium import spaces

from kododo_env.core.arrays import Array, Bool
from kododo_env.core.batch_game import BatchGame
from kododo_env.wrappers.drawing import draw


class Many(Protocol):
    """A batch in which seats are environments."""

    game: BatchGame

    def place(self, slot: int) -> tuple[int, int]:
        """Which game of the batch an environment is, and which seat of that game."""


class Slot:
    """One environment of a batch, by its number, with its spaces; it keeps all attributes given."""

    spec = None

    def __init__(
        self,
        many: Many,
        slot: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        render_mode: str | None,
        metadata: dict[str, Any],
    ) -> None:
        self._many, self._slot = many, slot
        self.observation_space, self.action_space = observation_space, action_space
        self.render_mode, self.metadata = render_mode, metadata

    @property
    def index(self) -> int:
        """Which game of the batch."""
        return self._many.place(self._slot)[0]

    @property
    def seat(self) -> int:
        """The learner's seat in that game; ``player`` is another name for it."""
        return self._many.place(self._slot)[1]

    player = seat

    def action_masks(self) -> Bool:
        """The learner's legal actions, shape (A,)."""
        return np.array(self._many.game.legal_action_mask()[self._many.place(self._slot)])

    def render(self) -> str | Array | None:
        """The game as its learner sees it: text, or uint8 pixels (H, W, 3)."""
        return draw(self._many.game, self.render_mode, *self._many.place(self._slot))
