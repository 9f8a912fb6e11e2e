"""Arrays with the game axis last, as the core keeps them: turned around, and held against."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from kododo_env.core.arrays import Array, Bool, Intp

GAMES_AT_A_TIME = 1 << 14  # at a time: results on the way stay in the caches
BLOCK = 64  # games at a time: a block of them stays in the processor's first cache
ALL = slice(None)


def into_any(array: Array, out: Array, rows: Intp | None = None) -> None:
    """Copy (..., N), C-contiguous, into an array that may lie in another order, of any wider dtype.

    Of an array (R, N) only some ``rows`` are copied, (P, F), if they are given. Into an array that
    lies with the games first it takes, with thousands of them, a half to a sixth of what numpy's
    own copy takes: a block of games stays in the processor's first cache.
    """
    for start in range(0, array.shape[-1], BLOCK):
        games = slice(start, start + BLOCK)
        block = np.ascontiguousarray(array[..., games])
        if rows is not None:
            block = block.take(rows, axis=0)
        np.copyto(out[..., games], block, casting="unsafe")


def games_last(array: Array) -> Array:
    """A contiguous copy of (N, ...) as (..., N); with a million games 6 times as fast as numpy's.

    One that lies so already is not copied.
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
    """The games of a batch, this many at a time as may be computed with at once."""
    starts = range(0, num_envs, GAMES_AT_A_TIME)
    return tuple(slice(start, min(start + GAMES_AT_A_TIME, num_envs)) for start in starts)


def for_all(array: Array, num_envs: int) -> Array:
    """Numbers that all games share, (..., 1), for each of N: (..., N), of one game the same."""
    return array if num_envs == 1 else array.repeat(num_envs, axis=-1)


def read_only(array: Array) -> Array:
    """The array itself, from now on read-only: what many games share."""
    array.flags.writeable = False
    return array


def any_true(truths: Bool) -> bool:
    """Whether one of them is True: of a few in a tenth of the time of ``any``."""
    return 1 in truths.tobytes()


def all_true(truths: Bool) -> bool:
    """Whether all of them are True; likewise."""
    return 0 not in truths.tobytes()


@lru_cache(4)
def numbers(num: int) -> Intp:
    """0, 1, ..., (num,), read-only: a step may need those of its games many times."""
    return read_only(np.arange(num))


@cache
def column(size: int, dtype: npt.DTypeLike = np.uint8) -> Array:
    """0, 1, ... as a column (size, 1), read-only, to be held against arrays (..., N)."""
    return read_only(np.arange(size, dtype=dtype))[:, None]
