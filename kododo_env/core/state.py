"""States that somebody gives: brought to what a batch keeps, or refused."""

from __future__ import annotations

import copy
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.numbers import shown, whole_number

Array = npt.NDArray[Any]
Invariant = tuple[str, Any]
"""What must hold, in words, and whether it does: a truth value, or an array of them."""


def array_like(mine: Array, given: Any, name: str, any_length: bool) -> Array:
    """A copy of a given array that can take the place of another.

    Args:
        mine: The array of the batch.
        given: What is to replace it.
        name: What it is called, for the message.
        any_length: Whether its first axis may have another length.

    Raises:
        ValueError: It is no array, or has another dtype or shape.
    """
    if not isinstance(given, np.ndarray):
        raise ValueError(f"not a state: {name} must be an array, not {shown(given)}")
    if given.dtype != mine.dtype:
        raise ValueError(f"not a state: {name} must be {mine.dtype}, not {given.dtype}")
    if given.ndim != mine.ndim or given.shape[any_length:] != mine.shape[any_length:]:
        raise ValueError(
            f"state of another batch: {name} has the shape {given.shape}, here {mine.shape}"
        )
    return np.array(given, order="C")


def number_like(mine: Any, given: Any, name: str) -> Any:
    """A given number in the type that a batch keeps, which may be an enumeration.

    Raises:
        ValueError: It is no whole number from 0, or not one of the enumeration's.
    """
    number = whole_number(given, name, 0)
    try:
        return type(mine)(number)
    except ValueError:
        raise ValueError(f"{name} must be a {type(mine).__name__}, not {number}") from None


def generator_like(mine: np.random.Generator, given: Any) -> np.random.Generator:
    """A generator of the same kind in a given state.

    Raises:
        ValueError: It is no state of such a generator.
    """
    generator = copy.deepcopy(mine)
    try:
        generator.bit_generator.state = given
        generator.random()
    except Exception as error:  # numpy has no common class for what such a state raises
        kind = mine.bit_generator.state["bit_generator"]
        raise ValueError(f"rng must be a state of numpy's {kind}, not {shown(given)}") from error
    generator.bit_generator.state = given
    return generator


def count_types(cards: Array, num_types: int) -> npt.NDArray[np.intp]:
    """How many cards of each type there are: (..., T, N) from cards (..., K, N) below 256.

    Cards from ``num_types`` on, such as the one that is none, are not counted.
    """
    *batch, _, num = cards.shape
    each = np.arange(prod(batch)).reshape(*batch, 1, 1)
    which = (each * 256 + cards) * num + np.arange(num)
    counts = np.bincount(which.ravel(), minlength=prod(batch) * 256 * num)
    return counts.reshape(*batch, 256, num)[..., :num_types, :]
