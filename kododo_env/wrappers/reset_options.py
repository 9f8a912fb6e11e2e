"""Checks of the arguments of environments and of ``reset``, and a wrapper's own generator."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any
from warnings import warn

import numpy as np

from kododo_env.arrays.dtypes import Integer
from kododo_env.checks.numbers import quote, whole_number, whole_numbers, whole_seed
from kododo_env.core.batch_game import BatchGame

OPTIONS = ("deck", "reset_mask")  # of ``reset``; libraries may pass other options


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
    warn(f"reset ignores the option {name}; it takes {accepted}", stacklevel=4)


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
