"""Dealing a single game: its seed, the options of ``reset``, and a wrapper's own generator."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown, whole_numbers, whole_seed

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
    deck, shape = checked(options).get("deck"), (len(game.cards),)
    if deck is None:
        game.reset(seed)
        return
    given = whole_numbers(deck, "the deck")
    if given.shape != shape:
        raise ValueError(f"a deck of {game.name} must have the shape {shape}, not {given.shape}")
    game.reset(seed, given[None])


def checked(options: Any) -> Mapping[str, Any]:
    """The options of ``reset``, or none.

    Raises:
        ValueError: They are no dictionary, or one is a misspelt name of ours.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options must be a dictionary or None, not {shown(options)}")
    found = options or {}
    for name in {*found} - {*OPTIONS}:
        if near := get_close_matches(str(name).lower(), OPTIONS, 1, 0.75):
            raise ValueError(f"reset has no option {shown(name)}: did you mean {near[0]!r}?")
    return found


def own_generator(seed: int | None) -> np.random.Generator:
    """A wrapper's generator: it follows from the seed, but is not the one that deals."""
    seed = whole_seed(seed)
    return np.random.default_rng(None if seed is None else (seed, 1))
