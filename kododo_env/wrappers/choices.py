"""A player's choice, checked: it is an action number, and the mask may forbid it."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self, get_args

import numpy as np

from kododo_env.core.agent import random_legal_actions
from kododo_env.core.arrays import Array, Bool
from kododo_env.core.batch_game import BatchGame, IllegalAction
from kododo_env.core.numbers import shown, whole_number, whole_numbers
from kododo_env.core.options import is_one_of
from kododo_env.core.rows import numbers
from kododo_env.wrappers.dealing import own_generator
from kododo_env.wrappers.spaces import ObservationFormat

OnIllegal = Literal["raise", "random"]
ILLEGAL_ACTION = get_args(OnIllegal)
HINT = "(does your library sample without masks? illegal_action='random' plays a legal one instead)"
REPLACED = (
    "an illegal action was replaced by a random legal one, as all will be; 'illegal_action' in the "
    "info marks each. Choose by the action mask, which stable-baselines3's predict and "
    "evaluate_policy do not see"
)


class Choices:
    """Checks choices; an illegal one it refuses (``"raise"``) or replaces (``"random"``).

    A legal one is played instead then, all with the same chance; the first time with a warning.

    Args:
        game: The batch that is played.
        illegal_action: ``"raise"`` or ``"random"``.
        opponents: Whether there are agents who draw from ``rng`` too.
        form: The form of the environment's masks and actions; None: the game's own.

    Attributes:
        replaces: Whether illegal actions are replaced.
        rng: The wrapper's own generator; the game's deals only.

    Raises:
        ValueError: ``illegal_action`` is neither.
    """

    def __init__(
        self,
        game: BatchGame,
        illegal_action: OnIllegal,
        opponents: bool = True,
        form: ObservationFormat | None = None,
    ) -> None:
        if not is_one_of(illegal_action, ILLEGAL_ACTION):
            raise ValueError(
                f"illegal_action must be {' or '.join(map(repr, ILLEGAL_ACTION))}, "
                f"not {shown(illegal_action)}"
            )
        self._game = game
        self._num_actions = game.num_actions if form is None else form.num_actions
        self._has_own_numbers = form is None or form.has_own_numbers
        self.replaces = illegal_action == "random"
        self.rng = own_generator(None)
        self._draws = opponents or self.replaces
        self._drawn: Any = None
        self._warned = False

    def seed(self, seed: int | None) -> None:
        """Start the generator again; None lets it go on."""
        if seed is not None:
            self.rng = own_generator(seed)

    def number(self, action: Any, chooser: str) -> int:
        """An action as a plain number.

        Raises:
            ValueError: It is not a whole number, or not in the action space.
        """
        if type(action) is int and 0 <= action < self._num_actions:
            return action  # without the text for a message that nobody reads
        return whole_number(action, f"the action of {chooser}", 0, self._num_actions - 1)

    def unless_refused(self) -> Self:
        """A step that fails has drawn nothing, and says what helps against illegal actions.

        All that the step draws is drawn within: ``with choices.unless_refused(): ...``.
        """
        return self  # one made by contextlib takes as long again as the generator's state

    def __enter__(self) -> None:
        if self._draws:
            self._drawn = self.rng.bit_generator.state

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        if self._draws:
            self.rng.bit_generator.state = self._drawn
        if isinstance(error, IllegalAction) and not self.replaces:  # or it is an opponent's
            raise IllegalAction(f"{error} {HINT}") from None

    def settle(self, action: Any, mask: Array, chooser: str) -> tuple[int, bool]:
        """The number of the action to be played, and whether it replaces an illegal one.

        The mask is 1 or True where an action is legal, shape (A,); ``chooser`` is for messages.

        Raises:
            ValueError: No action at all, or an illegal one that is not to be replaced
                (IllegalAction).
        """
        number = self.number(action, chooser)
        if mask[number]:
            return number, False
        if self.replaces:
            self._warn()
            return int(random_legal_actions(mask > 0, self.rng)), True
        legal = ", ".join(map(str, np.flatnonzero(mask)))
        meaning = f" ({self._game.describe_action(number)})" if self._has_own_numbers else ""
        raise IllegalAction(f"illegal action of {chooser}: {number}{meaning}; legal now: {legal}")

    def numbers(self, actions: Any, receiver: str, count: int) -> Array:
        """Several actions as integers, (count,); ``receiver`` says one for each of what.

        Raises:
            ValueError: They are no integers, or not this many.
        """
        action_numbers = whole_numbers(actions, "actions")
        if action_numbers.shape != (count,):
            raise ValueError(
                f"actions must be {count} integers, one for each {receiver}, not an array of "
                f"the shape {action_numbers.shape}"
            )
        return action_numbers

    def settle_all(self, actions: Array, masks: Bool) -> Bool:
        """Replace illegal actions (K,) in place, if that is asked for, by masks (K, A): which ones.

        Raises:
            ValueError: Some are to be replaced, but are no actions at all.
        """
        if not self.replaces:
            return np.zeros(len(actions), np.bool_)
        last = self._num_actions - 1
        for wrong in actions[(actions < 0) | (actions > last)][:1]:
            raise ValueError(f"actions must be 0 to {last}, not {wrong}")
        illegal = ~masks[numbers(len(actions)), actions]
        if illegal.any():
            self._warn()
            actions[illegal] = random_legal_actions(masks[illegal], self.rng)
        return illegal

    def _warn(self) -> None:
        """Tell once that actions are replaced: rewards alone do not show it."""
        if not self._warned:
            self._warned = True
            warnings.warn(REPLACED, stacklevel=1)
