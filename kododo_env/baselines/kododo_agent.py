"""The base class of scripted players of Kododo."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import cast

import numpy as np

from kododo_env.arrays.dtypes import Array, Int64
from kododo_env.arrays.underflow import underflow_is_zero
from kododo_env.core.agent import ActionValueAgent, best_legal
from kododo_env.core.view import View
from kododo_env.games.kododo import KododoView, Rules
from kododo_env.games.kododo.observation import action_layout
from kododo_env.layouts.actions import SlotPiece


@lru_cache
def choices_of_turn(rules: Rules, turn: int) -> tuple[slice, tuple[tuple[int, ...], ...]]:
    """Return the range of actions of a turn, and the slots from which each action lays cards."""
    actions = action_layout(rules)
    slots = [piece for piece in actions.pieces if isinstance(piece, SlotPiece)]
    lays = next(piece for piece in slots if piece.plays == rules.plays[turn])
    return actions.where(lays.name), lays.choices


class KododoAgent(ActionValueAgent):
    """A player that makes the choice with the highest value, after adding a little noise.

    Attributes:
        noise: The scale of the Gumbel noise added to each choice's value.
    """

    noise = 1e-3  # breaks ties at random

    @abstractmethod
    def choice_values(self, view: KododoView) -> Array:
        """Return the values of the turn's choices in points, (choices, N)."""

    @underflow_is_zero
    def action_values(self, view: View) -> Array:
        """Return the values of the turn's choices, 0 for all other actions; shape (A, N)."""
        view = cast("KododoView", view)
        values = self.choice_values(view)
        every = np.zeros((view.num_actions, view.num_envs), values.dtype)
        every[choices_of_turn(view.rules, view.turn)[0]] = values
        return every

    def choose(self, values: Array, view: View, rng: np.random.Generator) -> Int64:
        """Choose the legal action with the highest value after adding noise, shape (N,)."""
        where, _ = choices_of_turn(view.rules, cast("KododoView", view).turn)
        noisy = values.astype(np.float64)
        noisy[where] += self.noise * rng.gumbel(size=noisy[where].shape)
        return best_legal(noisy, view)
