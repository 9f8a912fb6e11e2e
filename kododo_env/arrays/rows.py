"""Helpers for arrays with the game axis last, as the core stores them."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Array, Bool, Intp

GAMES_AT_A_TIME = 1 << 14  # so that intermediate results stay in the caches


def games_last(array: Array) -> Array:
    """Return an array (N, ...) as a contiguous array (..., N), without a copy if it already is."""
    return np.ascontiguousarray(array.transpose((*range(1, array.ndim), 0)))


@cache
def blocks(num_envs: int) -> tuple[slice, ...]:
    """Split the games of a batch into slices of at most ``GAMES_AT_A_TIME``."""
    starts = range(0, num_envs, GAMES_AT_A_TIME)
    return tuple(slice(start, min(start + GAMES_AT_A_TIME, num_envs)) for start in starts)


def for_all(array: Array, num_envs: int) -> Array:
    """Repeat numbers that are equal in all games, (..., 1), for N games: (..., N)."""
    return array if num_envs == 1 else array.repeat(num_envs, axis=-1)


def read_only(array: Array) -> Array:
    """Make an array read-only and return it."""
    array.flags.writeable = False
    return array


def any_true(truths: Bool) -> bool:
    """Return whether any element is True; faster than ``any`` for short arrays."""
    return 1 in truths.tobytes()


def all_true(truths: Bool) -> bool:
    """Return whether all elements are True; faster than ``all`` for short arrays."""
    return 0 not in truths.tobytes()


@lru_cache(4)
def numbers(num: int) -> Intp:
    """Return 0, 1, ..., num - 1 as a cached, read-only array (num,)."""
    return read_only(np.arange(num))


@cache
def column(size: int, dtype: npt.DTypeLike = np.uint8) -> Array:
    """Return 0, 1, ... as a read-only column (size, 1), to compare with arrays (..., N)."""
    return read_only(np.arange(size, dtype=dtype))[:, None]
