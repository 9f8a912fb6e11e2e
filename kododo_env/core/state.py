"""The state of a batch: a dataclass of arrays; and states that somebody gives, taken or refused."""

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

from kododo_env.core.arrays import Array, Bool, Float32, Int16, Integer, Intp
from kododo_env.core.numbers import shown, whole_number

Invariant = tuple[str, Any]
"""A thing that must hold, in words, and whether it does: a truth value, or an array of them."""


def per_game(
    *sizes: str, dtype: npt.DTypeLike = np.uint8, fill: int | str = 0, any_number: bool = False
) -> Any:
    """A field that is an array, the game axis last.

    Args:
        *sizes: How long the other axes are: each the rules' number of that name.
        dtype: The array's dtype.
        fill: The number it is full of at first, or the name of the rules' number of that name.
        any_number: Whether there is one axis more before all others, of any length, 0 at first.
    """
    metadata = {"sizes": sizes, "dtype": np.dtype(dtype), "fill": fill, "any_number": any_number}
    return field(init=False, metadata=metadata)


def of_batch(first: int = 0) -> Any:
    """A field that is one whole number, or of an enumeration, in all games; ``first`` at first."""
    return field(init=False, metadata={"first": first})


@dataclass(slots=True, eq=False)
class BatchState:
    """All that changes in a batch of N games; a game's own state adds its fields to these.

    Each field is made by ``per_game`` or by ``of_batch``. ``BatchGame.state`` has the arrays
    by their names with an underscore before, and the numbers by their names.
    """

    steps_played: int = of_batch()  # steps since the deal in which a game was going on
    scores: Int16 = per_game("num_players", dtype=np.int16)  # points so far
    rewards: Float32 = per_game("num_players", dtype=np.float32)  # points of the last step
    terminated: Bool = per_game(dtype=np.bool_)  # which games are over
    just: Bool = per_game(dtype=np.bool_)  # which games the last step has ended

    @classmethod
    def blank(cls, rules: Any, num_envs: int) -> Self:
        """The state before anything is dealt."""
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
        """From a pickle; what was kept outside it, as Ray does, comes back read-only."""
        for name, value in state[1].items():
            is_array = name in self._arrays()
            setattr(self, name, np.require(value, requirements="W") if is_array else value)

    def keys(self) -> set[str]:
        """The keys of ``as_dict``."""
        return {*self._numbers(), *self._arrays().values()}

    def arrays(self) -> dict[str, Array]:
        """All arrays by the names of their fields, not copied."""
        return {name: getattr(self, name) for name in self._arrays()}

    def as_dict(self) -> dict[str, Any]:
        """All fields, copied."""
        arrays = {key: getattr(self, name).copy() for name, key in self._arrays().items()}
        return arrays | {name: getattr(self, name) for name in self._numbers()}

    def like(self, entries: dict[str, Any]) -> Self:
        """A state like this one from what ``as_dict`` gave of it, copied.

        Raises:
            ValueError: Another dtype or shape, or no whole number.
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
        """Copies of some of the games, in the order given."""
        copy_of_state = type(self)()
        for name in self._numbers():
            setattr(copy_of_state, name, getattr(self, name))
        for name in self._arrays():
            setattr(copy_of_state, name, np.take(getattr(self, name), games, axis=-1))
        return copy_of_state

    def put(self, games: Integer, replacements: dict[str, Array]) -> None:
        """Let some of the games be others, whose arrays are given by their names."""
        for name, array in replacements.items():
            getattr(self, name)[..., games] = array

    @contextmanager
    def unchanged(self, frozen: Bool) -> Iterator[None]:
        """Inside, all arrays may be changed; afterwards some games (N,) are as they were."""
        games = np.flatnonzero(frozen)
        before = self.take(games).arrays() if len(games) else {}
        yield
        self.put(games, before)

    @classmethod
    @cache
    def _numbers(cls) -> dict[str, int]:
        """The fields that are numbers, and what each is at first."""
        return {e.name: e.metadata["first"] for e in fields(cls) if "first" in e.metadata}

    @classmethod
    @cache
    def _arrays(cls) -> dict[str, str]:
        """The fields that are arrays, and the key of each."""
        return {
            array_field.name: f"_{array_field.name}"
            for array_field in fields(cls)
            if "sizes" in array_field.metadata
        }

    @classmethod
    @cache
    def _shapes(cls, rules: Any) -> list[tuple[str, tuple[int, ...], np.dtype[Any], int]]:
        """For each array its name, shape without the games, dtype, and what it is full of."""
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
    """A copy of a given array that can take the place of the template; ``name`` is for the message.

    With ``any_length`` its first axis may have another length.

    Raises:
        ValueError: It is no array, or has another dtype or shape.
    """
    if not isinstance(array, np.ndarray):
        raise ValueError(f"not a state: {name} must be an array, not {shown(array)}")
    if array.dtype != template.dtype:
        raise ValueError(f"not a state: {name} must be {template.dtype}, not {array.dtype}")
    if array.ndim != template.ndim or array.shape[any_length:] != template.shape[any_length:]:
        raise ValueError(
            f"state of another batch: {name} has the shape {array.shape}, here {template.shape}"
        )
    return np.array(array, order="C")


def number_like(template: Any, entry: Any, name: str) -> Any:
    """A given number in the type that a batch keeps, which may be an enumeration.

    Raises:
        ValueError: It is no whole number from 0, or not one of the enumeration's.
    """
    number = whole_number(entry, name, 0)
    try:
        return type(template)(number)
    except ValueError:
        raise ValueError(f"{name} must be a {type(template).__name__}, not {number}") from None


def generator_like(template: np.random.Generator, generator_state: Any) -> np.random.Generator:
    """A generator of the same kind in a given state.

    Raises:
        ValueError: It is no state of such a generator.
    """
    generator = copy.deepcopy(template)
    try:
        generator.bit_generator.state = generator_state
        generator.random()
    except Exception as error:  # numpy has no common class for what such a state raises
        kind = template.bit_generator.state["bit_generator"]
        raise ValueError(
            f"rng must be a state of numpy's {kind}, not {shown(generator_state)}"
        ) from error
    generator.bit_generator.state = generator_state
    return generator


def count_types(cards: Array, num_types: int) -> Intp:
    """How many cards of each type there are: (..., T, N) from cards (..., K, N) below 256.

    Cards from ``num_types`` on, such as the one that is none, are not counted.
    """
    *batch, _, num = cards.shape
    batch_index = np.arange(prod(batch)).reshape(*batch, 1, 1)
    bins = (batch_index * 256 + cards) * num + np.arange(num)
    counts = np.bincount(bins.ravel(), minlength=prod(batch) * 256 * num)
    return counts.reshape(*batch, 256, num)[..., :num_types, :]
