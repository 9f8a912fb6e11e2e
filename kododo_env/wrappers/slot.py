"""One environment of a vectorized environment, as an object with attributes and methods."""

from __future__ import annotations

from inspect import signature
from typing import Any, Protocol

from gymnasium import spaces

from kododo_env.core.agent import Agent
from kododo_env.core.arrays import Array, Bool
from kododo_env.core.batch_game import BatchGame
from kododo_env.wrappers.opponents import Player
from kododo_env.wrappers.render_modes import draw


class SlotEnvs(Protocol):
    """A vectorized environment whose slots are learners' seats in the games of a batch."""

    game: BatchGame

    @property
    def opponents(self) -> tuple[Player | None, ...]:
        """The agents or pools in the seats of all games."""

    def lineup_of(self, index: int) -> tuple[Agent | None, ...]:
        """Return the agent in each seat of a game, None for a learner."""

    def place(self, slot: int) -> tuple[int, int]:
        """Return the index of a slot's game, and the learner's seat in that game."""

    def action_masks(self) -> Bool:
        """Return the legal actions of all slots, bool, shape (slots, A)."""


class Slot:
    """One environment of a vectorized environment, identified by its number.

    ``set_attr`` stores users' attributes here; ``check_unused`` rejects names that are in use.
    """

    spec = None
    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    render_mode: str | None
    metadata: dict[str, Any]

    def __init__(
        self,
        batch: SlotEnvs,
        slot: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        render_mode: str | None,
        metadata: dict[str, Any],
    ) -> None:
        self._batch = batch
        self._slot = slot
        self.observation_space = observation_space
        self.action_space = action_space
        self.render_mode = render_mode
        self.metadata = metadata

    @property
    def index(self) -> int:
        """The number of the game in the batch."""
        return self._batch.place(self._slot)[0]

    @property
    def seat(self) -> int:
        """The learner's seat in that game; ``player`` is an alias."""
        return self._batch.place(self._slot)[1]

    player = seat

    @property
    def opponents(self) -> tuple[Player | None, ...]:
        """The agents or pools, which are the same in all games of the batch."""
        return self._batch.opponents

    @property
    def lineup(self) -> tuple[Agent | None, ...]:
        """The agent in each seat of this game, None for a learner.

        Pools that have not drawn since the deal draw first.
        """
        return self._batch.lineup_of(self.index)

    def action_masks(self) -> Bool:
        """Return the learner's legal actions, bool, shape (A,)."""
        masks: Bool = self._batch.action_masks()[self._slot]
        return masks

    def render(self) -> str | Array | None:
        """Render the game as its learner sees it: text, or uint8 pixels (H, W, 3)."""
        return draw(self._batch.game, self.render_mode, *self._batch.place(self._slot))


def check_unused(batch: SlotEnvs, name: str) -> None:
    """Reject an attribute name that the environment, its slots or its constructor use.

    A slot would store the attribute, but the environment would not read it.

    Raises:
        AttributeError: The name is in use.
    """
    used = {*dir(batch), *dir(Slot), *Slot.__annotations__, *signature(type(batch)).parameters}
    if name in used:
        raise AttributeError(
            f"cannot change {name}; only 'opponents' and custom attributes can be set"
        )
