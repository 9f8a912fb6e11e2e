"""Helpers for arrays with the game axis last, as the core stores them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.arrays import Array, Bool, Intp

GAMES_AT_A_TIME = 1 << 14  # so that intermediate results stay in the caches
CACHED = 36_000  # numbers transposed at once, so that they stay in the first-level cache
MANY_GAMES = 256  # transposed at once
FEW_GAMES = 64  # transposed at once if a game has many numbers, to stay in the second-level cache
LONG = 1024  # a game with at least this many numbers is long
ALL = slice(None)
Seats = list[int] | slice


def into_any(arrays: Sequence[Array], out: Array, dtype: np.dtype[Any], rows: Intp) -> None:
    """Copy rows of arrays (..., N) into an array of any memory order.

    Works in blocks that fit into the cache, which is faster than numpy's copy if the games come
    first in memory.

    Args:
        arrays: Arrays (..., N); their rows of N numbers are numbered consecutively.
        out: Shape (..., N), of any dtype that can hold the numbers.
        dtype: The narrowest dtype that can hold the numbers, used for the transposition.
        rows: The source row of each row of ``out``, shape (P, F) for an ``out`` (P, F, N).
    """
    num = out.shape[-1]
    parts = [array.reshape(-1, num) for array in arrays]

    def together(games: slice) -> Array:
        columns = [part[:, games] for part in parts]
        return np.concatenate(columns, dtype=dtype, casting="unsafe")

    if out.size <= CACHED:
        np.copyto(out, together(ALL).take(rows, axis=0), casting="unsafe")
        return
    to = out.reshape(-1, num)  # a copy if it cannot be a view
    sources = rows.ravel()
    games = min(num, MANY_GAMES if len(to) < LONG else FEW_GAMES)
    rows_at_a_time = CACHED // games
    narrow = None
    if to.dtype != dtype:  # transpose in the narrow dtype, then widen
        narrow = np.empty((games, len(to)), dtype)
    for start in range(0, num, games):
        game_range = slice(start, start + games)
        block = together(game_range)
        turned = to[:, game_range]
        if narrow is not None:
            turned = narrow[: block.shape[1]].T
        for first in range(0, len(to), rows_at_a_time):
            part = slice(first, first + rows_at_a_time)
            turned[part] = block.take(sources[part], axis=0)
        if narrow is not None:
            np.copyto(to[:, game_range], turned, casting="unsafe")
    if not np.may_share_memory(to, out):
        out[...] = to.reshape(out.shape)


def games_last(array: Array) -> Array:
    """Return an array (N, ...) as a contiguous array (..., N).

    Works in blocks that fit into the cache. An array already in this memory order is not copied.
    """
    turned = array.transpose((*range(1, array.ndim), 0))
    if len(array) <= GAMES_AT_A_TIME:
        return np.ascontiguousarray(turned)
    out = np.empty(turned.shape, turned.dtype)
    for games in blocks(len(array)):
        out[..., games] = turned[..., games]
    return out


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
