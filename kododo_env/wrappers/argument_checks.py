"""Checks of the arguments of environments, of ``reset`` and of ``step``, and of outer wrappers."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, get_args

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Int64, Integer
from kododo_env.arrays.rows import numbers
from kododo_env.checks.numbers import quote, whole_number, whole_numbers, whole_seed
from kododo_env.checks.options import check_choice
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame, IllegalAction
from kododo_env.wrappers.spaces import ObservationFormat

OPTIONS = ("deck", "reset_mask")  # of ``reset``; libraries may pass other options
VEC_NORMALIZE = "stable_baselines3.common.vec_env.vec_normalize"
RESETTING = ("reset", "step_wait")  # methods of a wrapper that reset the wrapped environment
OnIllegal = Literal["raise", "random"]
HINT = "(if your library samples without masks, set illegal_action='random')"
REPLACED = (
    "an illegal action was replaced by a random legal one (marked by info['illegal_action']; "
    "further warnings are suppressed). Choose only actions that the action mask allows; "
    "stable-baselines3's predict and evaluate_policy ignore the mask"
)


def check_batch(game: object) -> None:
    """Raise ValueError unless ``game`` is a batch of games."""
    if not isinstance(game, BatchGame):
        raise ValueError(
            f"expected a batch of games, made by batch_game() of an environment module, "
            f"got {quote(game)}"
        )


def check_single(game: BatchGame) -> None:
    """Raise ValueError unless ``game`` is a batch of one game."""
    check_batch(game)
    if game.num_envs != 1:
        raise ValueError(f"expected a batch of one game, got {game.num_envs} games")


def deck_of(game: BatchGame, options: Any) -> Integer | None:
    """Return the deck in the options of ``reset``, shape (1, D), or None.

    Raises:
        ValueError: ``options`` is not a dictionary or has a misspelt name, or the deck does not
            have the shape (D,).
    """
    deck = checked(options).get("deck")
    if deck is None:
        return None
    shape = (len(game.cards),)
    cards = whole_numbers(deck, "the deck")
    if cards.shape != shape:
        raise ValueError(f"the deck of {game.name} must have shape {shape}, not {cards.shape}")
    return cards[None]


def checked(options: Any) -> Mapping[str, Any]:
    """Check and return the options of ``reset``; None becomes an empty mapping.

    Raises:
        ValueError: ``options`` is not a dictionary, or a name is a misspelt option.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options must be a dictionary or None, not {quote(options)}")
    reset_options = options or {}
    for name in {*reset_options} - {*OPTIONS}:
        if near := get_close_matches(str(name).lower(), OPTIONS, 1, 0.75):
            raise ValueError(f"reset has no option {quote(name)}: did you mean {near[0]!r}?")
    return reset_options


@cache  # one warning per process, independently of the warning filters
def _warn_of_option(name: str, accepted: str) -> None:
    warnings.warn(f"reset ignores the option {name}; it takes {accepted}", stacklevel=4)


def warn_of_unknown(options: Mapping[str, Any] | None, *names: str) -> None:
    """Warn once about each option of ``reset`` that has no effect, as it is not in ``names``.

    PettingZoo environments do not call this, because PettingZoo's own tests pass an unknown option.
    """
    for name in options or ():
        if name not in names:
            _warn_of_option(quote(name), " and ".join(map(repr, names)))


def step_limit(limit: Any, name: str) -> int | None:
    """Return the maximum number of steps of an episode, or None for no limit.

    Args:
        limit: An integer from 1; None or -1, as in PettingZoo and Gymnasium, for no limit.
        name: The name of the option, for the message.

    Raises:
        ValueError: ``limit`` is not None, -1 or an integer from 1.
    """
    if limit is None or whole_number(limit, name) == -1:
        return None
    return whole_number(limit, name, 1)


def own_generator(seed: int | None) -> np.random.Generator:
    """Return a wrapper's generator, derived from the seed but different from the game's."""
    seed = whole_seed(seed)
    return np.random.default_rng(None if seed is None else (seed, 1))


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
        check_choice(illegal_action, "illegal_action", get_args(OnIllegal))
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


class OuterWrappers:
    """Warns once about each known problem with wrappers around an environment.

    An environment has no references to its wrappers, so they are found on the call stack of its
    ``reset``.

    Args:
        form: The format of the environment's observations.
    """

    def __init__(self, form: ObservationFormat) -> None:
        self._form = form
        self._messages: set[str] = set()

    def check(self) -> None:
        """Inspect the wrappers through which ``reset`` was called, and warn about problems."""
        module = sys.modules.get(VEC_NORMALIZE)
        normalizer = getattr(module, "VecNormalize", ())
        for wrapper in _callers():
            if isinstance(wrapper, normalizer) and self._scales_masks(wrapper):
                self._warn(
                    "VecNormalize scales the action masks too; use VecNormalize(..., "
                    f"norm_obs_keys=[{self._form.key!r}])"
                )
            if _is_of_library(wrapper) and "opponents" in vars(wrapper):
                self._warn(
                    f"opponents were set on the wrapper {type(wrapper).__name__}, which has no "
                    "effect; set env.unwrapped.opponents, or with DummyVecEnv call "
                    "env_method('set_wrapper_attr', 'opponents', value)"
                )

    def _scales_masks(self, normalizer: Any) -> bool:
        keys = normalizer.norm_obs_keys or ()
        return normalizer.norm_obs and self._form.in_observation and "action_mask" in keys

    def _warn(self, message: str) -> None:
        if message not in self._messages:
            self._messages.add(message)
            warnings.warn(message, stacklevel=1)


def _is_of_library(wrapper: object) -> bool:
    """Return whether a wrapper is a library's, without ``opponents`` unless a user sets them."""
    return type(wrapper).__module__.partition(".")[0] in ("gymnasium", "stable_baselines3")


def _callers() -> Iterator[Any]:
    """Yield the objects whose methods are resetting the environment, the innermost first."""
    frame = sys._getframe(2).f_back  # skips ``reset`` of the environment itself
    while frame is not None:
        if frame.f_code.co_name in RESETTING and "self" in frame.f_locals:
            yield frame.f_locals["self"]
        frame = frame.f_back
