"""The state of a batch, a dataclass of arrays, and checks of states to be loaded."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cache
from math import prod
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Array, Bool, Float32, Int16, Integer, Intp
from kododo_env.checks.numbers import quote, whole_number

Invariant = tuple[str, Any]
"""A condition on states in words, and whether it holds: a bool, or an array of bools."""


def per_game(
    *sizes: str, dtype: npt.DTypeLike = np.uint8, fill: int | str = 0, any_number: bool = False
) -> Any:
    """Declare a field that is an array with the game axis last.

    Args:
        *sizes: The lengths of the other axes, as names of attributes of the rules.
        dtype: The array's dtype.
        fill: The initial number, or the name of an attribute of the rules.
        any_number: Whether there is an additional first axis of variable length, initially 0.
    """
    metadata = {"sizes": sizes, "dtype": np.dtype(dtype), "fill": fill, "any_number": any_number}
    return field(init=False, metadata=metadata)


def of_batch(first: int = 0) -> Any:
    """Declare a field that is one integer or enum member for all games, initially ``first``."""
    return field(init=False, metadata={"first": first})


@dataclass(slots=True, eq=False)
class BatchState:
    """The mutable state of a batch of N games; a game's own state adds its fields to these.

    Each field is declared with ``per_game`` or ``of_batch``. In ``BatchGame.state`` the keys of
    arrays are their names with a leading underscore, the keys of numbers their names.
    """

    steps_played: int = of_batch()  # steps since the deal in which a game was running
    scores: Int16 = per_game("num_players", dtype=np.int16)  # points so far
    rewards: Float32 = per_game("num_players", dtype=np.float32)  # points of the last step
    terminated: Bool = per_game(dtype=np.bool_)  # which games are over
    just: Bool = per_game(dtype=np.bool_)  # which games the last step ended

    @classmethod
    def blank(cls, rules: Any, num_envs: int) -> Self:
        """Return the state before the deal."""
        state = cls()
        for name, first in cls._numbers().items():
            setattr(state, name, first)
        for name, shape, dtype, fill in cls._shapes(rules):
            array = np.zeros((*shape, num_envs), dtype)
            if fill:
                array.fill(fill)
            setattr(state, name, array)
        return state

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        """Restore a pickled state; copy read-only arrays, such as those that Ray stores apart."""
        for name, entry in state[1].items():
            is_array = name in self._arrays()
            setattr(self, name, np.require(entry, requirements="W") if is_array else entry)

    def keys(self) -> set[str]:
        """Return the keys of ``as_dict``."""
        return {*self._numbers(), *self._arrays().values()}

    def arrays(self) -> dict[str, Array]:
        """Return all arrays by the names of their fields, not copied."""
        return {name: getattr(self, name) for name in self._arrays()}

    def as_dict(self) -> dict[str, Any]:
        """Return all fields, copied, by key."""
        arrays = {key: getattr(self, name).copy() for name, key in self._arrays().items()}
        return arrays | {name: getattr(self, name) for name in self._numbers()}

    def like(self, entries: dict[str, Any]) -> Self:
        """Return a new state from copies of entries as returned by ``as_dict``.

        Raises:
            ValueError: An array has a different dtype or shape than in this state, or a number
                is not an integer of at least 0.
        """
        copy_of_state = type(self)()
        for name, key in self._arrays().items():
            any_number = self.__dataclass_fields__[name].metadata["any_number"]
            setattr(
                copy_of_state, name, array_like(getattr(self, name), entries[key], key, any_number)
            )
        for name in self._numbers():
            setattr(copy_of_state, name, number_like(getattr(self, name), entries[name], name))
        return copy_of_state

    def take(self, games: Integer) -> Self:
        """Return copies of some of the games, in the order of ``games``."""
        copy_of_state = type(self)()
        for name in self._numbers():
            setattr(copy_of_state, name, getattr(self, name))
        for name in self._arrays():
            setattr(copy_of_state, name, np.take(getattr(self, name), games, axis=-1))
        return copy_of_state

    def replace_games(self, games: Integer, replacements: dict[str, Array]) -> None:
        """Replace some of the games; ``replacements`` has an array for each field name."""
        for name, array in replacements.items():
            getattr(self, name)[..., games] = array

    @contextmanager
    def unchanged(self, frozen: Bool) -> Iterator[None]:
        """Restore the arrays of the ``frozen`` games, (N,), when the context ends."""
        games = np.flatnonzero(frozen)
        before = self.take(games).arrays() if len(games) else {}
        yield
        self.replace_games(games, before)

    @classmethod
    @cache
    def _numbers(cls) -> dict[str, int]:
        """The initial numbers of the fields that are numbers, by name."""
        return {e.name: e.metadata["first"] for e in fields(cls) if "first" in e.metadata}

    @classmethod
    @cache
    def _arrays(cls) -> dict[str, str]:
        """The keys of the fields that are arrays, by name."""
        return {
            array_field.name: f"_{array_field.name}"
            for array_field in fields(cls)
            if "sizes" in array_field.metadata
        }

    @classmethod
    @cache
    def _shapes(cls, rules: Any) -> list[tuple[str, tuple[int, ...], np.dtype[Any], int]]:
        """For each array its name, shape without the game axis, dtype and initial number."""
        shapes = []
        for name in cls._arrays():
            metadata = cls.__dataclass_fields__[name].metadata
            leading = [0] if metadata["any_number"] else []
            shape = [getattr(rules, size) for size in metadata["sizes"]]
            fill = (
                metadata["fill"]
                if isinstance(metadata["fill"], int)
                else getattr(rules, metadata["fill"])
            )
            shapes.append((name, (*leading, *shape), metadata["dtype"], fill))
        return shapes


def array_like(template: Array, array: Any, name: str, any_length: bool) -> Array:
    """Return a copy of an array if it has the dtype and shape of a template.

    Args:
        template: The array to compare with.
        array: The array to check.
        name: Its name in error messages.
        any_length: Whether the length of its first axis may differ.

    Raises:
        ValueError: ``array`` is not an array, or has a different dtype or shape.
    """
    if not isinstance(array, np.ndarray):
        raise ValueError(f"not a state: {name} must be an array, not {quote(array)}")
    if array.dtype != template.dtype:
        raise ValueError(f"not a state: {name} must be {template.dtype}, not {array.dtype}")
    if array.ndim != template.ndim or array.shape[any_length:] != template.shape[any_length:]:
        raise ValueError(
            f"not a state of this batch: {name} must have shape {template.shape}, not {array.shape}"
        )
    return np.array(array, order="C")


def number_like(template: Any, entry: Any, name: str) -> Any:
    """Return a number in the type of a template, which is int or an enum.

    Raises:
        ValueError: ``entry`` is not an integer of at least 0, or not a member of the enum.
    """
    number = whole_number(entry, name, 0)
    try:
        return type(template)(number)
    except ValueError:
        raise ValueError(f"{name} must be a {type(template).__name__}, not {number}") from None


def generator_like(template: np.random.Generator, generator_state: Any) -> np.random.Generator:
    """Return a generator of the same kind as a template, in a given state.

    Raises:
        ValueError: ``generator_state`` is not a state of such a generator.
    """
    generator = copy.deepcopy(template)
    try:
        generator.bit_generator.state = generator_state
        generator.random()
    except Exception as error:  # numpy raises various errors for invalid states
        kind = template.bit_generator.state["bit_generator"]
        raise ValueError(
            f"rng must be a state of numpy's {kind}, not {quote(generator_state)}"
        ) from error
    generator.bit_generator.state = generator_state
    return generator


def count_types(cards: Array, num_types: int) -> Intp:
    """Count the cards of each type: (..., T, N) from cards (..., K, N) below 256.

    Cards from ``num_types`` on, such as ``NONE``, are not counted.
    """
    *batch, _, num = cards.shape
    batch_index = np.arange(prod(batch)).reshape(*batch, 1, 1)
    bins = (batch_index * 256 + cards) * num + np.arange(num)
    counts = np.bincount(bins.ravel(), minlength=prod(batch) * 256 * num)
    return counts.reshape(*batch, 256, num)[..., :num_types, :]
