"""Arrays that notice when whole numbers leave their dtype, where numpy's wrap in silence."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.report import Fault

COUNTING = (np.add, np.subtract, np.multiply)


class Watched(np.ndarray[Any, Any]):
    """An array of which sums, differences, products and narrowing casts are done twice.

    Once as they are, and once in int64; Fault where the two differ. Results from a
    watched array are watched too. To look at the same bytes as another dtype (``view``) is
    no computation, and is not watched.
    """

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **kwargs: Any
    ) -> Any:
        """Compute, and compare whole numbers with what they should be."""
        given = [_plain(each) for each in inputs]
        wide = None
        if ufunc in COUNTING and method in ("__call__", "reduce") and "where" not in kwargs:
            wide = _wide(ufunc, method, given, kwargs)
        if out is not None:
            kwargs["out"] = tuple(_plain(each) for each in out)
        result = getattr(ufunc, method)(*given, **kwargs)
        if wide is not None and np.asarray(result).dtype.kind in "iu":
            _compare(np.asarray(result), wide)
        if out is not None:
            return out[0] if len(out) == 1 else out
        return _watched(result)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Set elements to numbers that fit."""
        _fits(value, self.dtype)
        super().__setitem__(key, _plain(value))

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Convert to a dtype that holds the numbers."""
        _fits(self, np.dtype(dtype))
        return super().astype(dtype, *args, **kwargs)


def watch(game: BatchGame) -> None:
    """Let all arrays of a batch be watched, and those in which it puts observations together."""
    for name, array in game.stored_state.arrays().items():
        setattr(game.stored_state, name, array.view(Watched))
    write: Any = type(game)._write_observation

    def write_watched(into: dict[str, Any]) -> None:
        write(game, {name: piece.view(Watched) for name, piece in into.items()})

    vars(game)["_write_observation"] = write_watched


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Watched) else value


def _watched(result: Any) -> Any:
    return result.view(Watched) if isinstance(result, np.ndarray) else result


def _wide(ufunc: np.ufunc, method: str, given: list[Any], kwargs: dict[str, Any]) -> Any:
    """The result in int64; None if there is anything but whole numbers."""
    arrays = [np.asarray(each) for each in given]
    if any(array.dtype.kind not in "biu" for array in arrays):
        return None
    if all(array.dtype.kind == "b" for array in arrays) and method == "__call__":
        return None  # sums of truth values are truth values
    kept = {name: value for name, value in kwargs.items() if name in ("axis", "keepdims")}
    return getattr(ufunc, method)(*(array.astype(np.int64) for array in arrays), **kept)


def _compare(result: np.ndarray[Any, Any], wide: Any) -> None:
    if not np.array_equal(result, wide):
        place = np.argwhere(result != wide)[0]
        raise Fault(
            f"{np.asarray(wide)[tuple(place)]} does not fit into an array of {result.dtype}, "
            f"which then says {result[tuple(place)]}"
        )


def _fits(value: Any, dtype: np.dtype[Any]) -> None:
    array = np.asarray(_plain(value))
    if array.dtype == dtype or dtype.kind not in "iu" or array.dtype.kind not in "iu":
        return
    if array.size:
        bounds = np.iinfo(dtype)
        for number in (array.min(), array.max()):
            if not bounds.min <= number <= bounds.max:
                raise Fault(f"{number} does not fit into an array of {dtype}")
