"""Checks of the actions that a library passes: each must be an action number that is legal now."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Int64
from kododo_env.arrays.rows import numbers
from kododo_env.checks.numbers import quote, whole_number, whole_numbers
from kododo_env.checks.options import is_one_of
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame, IllegalAction
from kododo_env.wrappers.reset_checks import own_generator
from kododo_env.wrappers.spaces import ObservationFormat

OnIllegal = Literal["raise", "random"]
ILLEGAL_ACTION = get_args(OnIllegal)
HINT = "(if your library samples without masks, set illegal_action='random')"
REPLACED = (
    "an illegal action was replaced by a random legal one (marked by info['illegal_action']; "
    "further warnings are suppressed). Choose only actions that the action mask allows; "
    "stable-baselines3's predict and evaluate_policy ignore the mask"
)


class Choices:
    """Checks actions; rejects illegal ones (``"raise"``) or replaces them (``"random"``).

    A replacement is drawn uniformly from the legal actions; the first replacement also warns.

    Args:
        game: The batch that is played.
        illegal_action: ``"raise"`` or ``"random"``.
        form: The format of the environment's masks and actions.

    Attributes:
        replaces: Whether illegal actions are replaced.
        rng: The wrapper's own generator; the game's generator is used only to deal cards.

    Raises:
        ValueError: ``illegal_action`` is another value.
    """

    def __init__(self, game: BatchGame, illegal_action: OnIllegal, form: ObservationFormat) -> None:
        if not is_one_of(illegal_action, ILLEGAL_ACTION):
            raise ValueError(
                f"illegal_action must be {' or '.join(map(repr, ILLEGAL_ACTION))}, "
                f"not {quote(illegal_action)}"
            )
        self._game = game
        self._num_actions = form.num_actions
        self._has_own_numbers = form.has_own_numbers
        self.replaces = illegal_action == "random"
        self.rng = own_generator(None)
        self._warned = False

    def seed(self, seed: int | None) -> None:
        """Seed the wrapper's generator; None does not change it."""
        if seed is not None:
            self.rng = own_generator(seed)

    def number(self, action: Any, chooser: str) -> int:
        """Return an action as an int.

        Raises:
            ValueError: The action is not an integer, or not in the action space.
        """
        if type(action) is int and 0 <= action < self._num_actions:
            return action  # the common case: no message is formatted
        return whole_number(action, f"the action of {chooser}", 0, self._num_actions - 1)

    def settle(self, action: Any, mask: Array, chooser: str) -> tuple[int, bool]:
        """Return the action to be played, and whether it replaces an illegal one.

        Args:
            action: The chosen action.
            mask: The action mask, shape (A,), nonzero where an action is legal.
            chooser: The player's name, for messages.

        Raises:
            ValueError: ``action`` is not an action number.
            IllegalAction: The action is illegal, and illegal actions are not replaced.
        """
        number = self.number(action, chooser)
        if mask[number]:
            return number, False
        if not self.replaces:
            raise self._illegal(number, mask, chooser)
        self._warn()
        return int(random_legal_actions(mask > 0, self.rng)), True

    def numbers(self, actions: Any, receiver: str, count: int) -> Int64:
        """Check an array of actions, and return a copy, int64, shape (count,).

        Args:
            actions: The actions.
            receiver: What each action belongs to, such as "game"; used in messages.
            count: The number of actions that are expected.

        Raises:
            ValueError: The actions are not integers, or their number is not ``count``.
        """
        action_numbers = whole_numbers(actions, "actions")
        if action_numbers.shape != (count,):
            raise ValueError(
                f"actions must be {count} integers, one for each {receiver}, not an array of "
                f"shape {action_numbers.shape}"
            )
        return action_numbers.astype(np.int64)

    def settle_all(self, actions: Int64, masks: Bool, chooser: Callable[[int], str]) -> Bool:
        """Replace illegal actions in place, or reject them.

        Args:
            actions: Actions, shape (K,).
            masks: Action masks, shape (K, A).
            chooser: Returns the name of the player of a row, for messages.

        Returns:
            Which actions were replaced, bool, shape (K,).

        Raises:
            ValueError: An action is not 0 to A - 1.
            IllegalAction: An action is illegal, and illegal actions are not replaced.
        """
        last = self._num_actions - 1
        out_of_range = actions[(actions < 0) | (actions > last)]
        if out_of_range.size:
            raise ValueError(f"actions must be 0 to {last}, not {out_of_range[0]}")
        illegal = ~masks[numbers(len(actions)), actions]
        if illegal.any():
            if not self.replaces:
                row = int(illegal.argmax())
                raise self._illegal(int(actions[row]), masks[row], chooser(row))
            self._warn()
            actions[illegal] = random_legal_actions(masks[illegal], self.rng)
        return illegal

    def _illegal(self, number: int, mask: Array, chooser: str) -> IllegalAction:
        legal = ", ".join(map(str, np.flatnonzero(mask)))
        meaning = f" ({self._game.actions.describe(number)})" if self._has_own_numbers else ""
        return IllegalAction(
            f"illegal action of {chooser}: {number}{meaning}; legal now: {legal} {HINT}"
        )

    def _warn(self) -> None:
        """Warn once that actions are replaced, since rewards alone do not show it."""
        if not self._warned:
            self._warned = True
            warnings.warn(REPLACED, stacklevel=1)
