"""The environments of a vectorized environment, as objects with attributes and methods."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from inspect import signature
from typing import Any

from gymnasium import spaces

from kododo_env.arrays.dtypes import Array, Bool
from kododo_env.core.agent import Agent
from kododo_env.wrappers.base import GameEnv, draw
from kododo_env.wrappers.opponents import Player
from kododo_env.wrappers.spaces import action_space


class SlotEnvs(GameEnv):
    """A vectorized environment whose slots are learners' seats in the games of a batch."""

    num_envs: int

    def place(self, slot: int) -> tuple[int, int]:
        """Return the index of a slot's game, and the learner's seat in that game."""
        raise NotImplementedError

    def action_masks(self) -> Bool:
        """Return the legal actions of all slots, bool, shape (slots, A)."""
        raise NotImplementedError

    @cached_property
    def _slots(self) -> list[Slot]:
        actions = action_space(self._format)
        return [Slot(self, slot, actions) for slot in range(self.num_envs)]

    def _name(self, slot: int) -> str:
        """Return the name of a slot's player, for messages."""
        index, seat = self.place(slot)
        return f"player {seat} in game {index}"

    def _store(self, name: str, values: Iterable[tuple[int, Any]]) -> None:
        """Store an attribute of some slots, given its values by slot.

        Raises:
            AttributeError: The environment, its slots or its constructor use the name. A slot would
                store the attribute, but the environment would not read it.
        """
        if name in {*dir(self), *dir(Slot), *signature(type(self)).parameters}:
            raise AttributeError(
                f"cannot change {name}; only 'opponents' and custom attributes can be set"
            )
        for slot, value in values:
            setattr(self._slots[slot], name, value)


class Slot:
    """One environment of a vectorized environment, identified by its number.

    ``set_attr`` stores users' attributes here.
    """

    spec = None

    def __init__(self, batch: SlotEnvs, slot: int, action_space: spaces.Discrete) -> None:
        self._batch = batch
        self._slot = slot
        self.observation_space = batch._format.space
        self.action_space = action_space
        self.render_mode = batch.render_mode
        self.metadata = batch.metadata

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
        """The agent in each seat of this game, None for a learner."""
        return tuple(self._batch._lineup.of_game(self.index))

    def action_masks(self) -> Bool:
        """Return the learner's legal actions, bool, shape (A,)."""
        return self._batch.action_masks()[self._slot]

    def render(self) -> str | Array | None:
        """Render the game as its learner sees it: text, or uint8 pixels (H, W, 3)."""
        return draw(self._batch.game, self.render_mode, *self._batch.place(self._slot))
