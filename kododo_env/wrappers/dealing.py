"""Dealing a single game: its seed, the options of ``reset``, and a wrapper's own generator."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any
from warnings import warn

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown, whole_number, whole_numbers, whole_seed

OPTIONS = ("deck", "reset_mask")  # of ``reset``; a library may give others, which say nothing here


def check_batch(game: object) -> None:
    """Raise ValueError if that is no batch of games, such as a door or another environment."""
    if not isinstance(game, BatchGame):
        raise ValueError(
            f"a batch of games is wanted, as a door's batch_game makes, not {shown(game)}"
        )


def check_single(game: BatchGame) -> None:
    """Raise ValueError if it is not a batch of one game."""
    check_batch(game)
    if game.num_envs != 1:
        raise ValueError(f"one game is wanted, not a batch of {game.num_envs}")


def deal(game: BatchGame, seed: int | None, options: dict[str, Any] | None) -> None:
    """Deal a batch of one game again, as the ``reset`` of a wrapper was asked to.

    Of the options ``"deck"`` gives the order of the cards, shape (D,); others are ignored, unless
    one is a misspelt "deck".

    Raises:
        ValueError: The options are no dictionary, or the deck is not the game's.
    """
    deck = checked(options).get("deck")
    shape = (len(game.cards),)
    if deck is None:
        game.reset(seed)
        return
    cards = whole_numbers(deck, "the deck")
    if cards.shape != shape:
        raise ValueError(f"a deck of {game.name} must have the shape {shape}, not {cards.shape}")
    game.reset(seed, cards[None])


def checked(options: Any) -> Mapping[str, Any]:
    """The options of ``reset``, or none.

    Raises:
        ValueError: They are no dictionary, or one is a misspelt name of ours.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options must be a dictionary or None, not {shown(options)}")
    reset_options = options or {}
    for name in {*reset_options} - {*OPTIONS}:
        if near := get_close_matches(str(name).lower(), OPTIONS, 1, 0.75):
            raise ValueError(f"reset has no option {shown(name)}: did you mean {near[0]!r}?")
    return reset_options


@cache  # a warning comes once in a process, whatever its filters say
def _warn_of_option(name: str, accepted: str) -> None:
    warn(f"reset ignores the option {name}; it takes {accepted}", stacklevel=4)


def warn_of_unknown(options: Mapping[str, Any] | None, *names: str) -> None:
    """Warn once of each option of ``reset`` that is none of these names, and so has no effect.

    PettingZoo's environments do not: its own tests give an option that nobody has.
    """
    for name in options or ():
        if name not in names:
            _warn_of_option(shown(name), " and ".join(map(repr, names)))


def step_limit(limit: Any, name: str) -> int | None:
    """Return the most steps of an episode, or None where there is no limit.

    Args:
        limit: A whole number from 1; None or -1, as PettingZoo and Gymnasium write it: no limit.
        name: The name of the option, for the message.

    Raises:
        ValueError: It is neither.
    """
    if limit is None or whole_number(limit, name) == -1:
        return None
    return whole_number(limit, name, 1)


def own_generator(seed: int | None) -> np.random.Generator:
    """A wrapper's generator: it follows from the seed, but is not the one that deals."""
    seed = whole_seed(seed)
    return np.random.default_rng(None if seed is None else (seed, 1))
