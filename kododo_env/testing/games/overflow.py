"""Arrays that raise Fault on integer overflow, where numpy wraps around silently."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.copies import stored_state
from kododo_env.testing.report import Fault

COUNTING = (np.add, np.subtract, np.multiply)


class WatchedArray(np.ndarray[Any, Any]):
    """An array that computes sums, differences and products a second time in int64.

    It raises Fault if the results differ, or if a cast changes a number. Results of operations on
    watched arrays are watched arrays. A reinterpretation of bytes with ``view`` is not checked.
    """

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **kwargs: Any
    ) -> Any:
        """Apply the ufunc, and compare integer results with the results in int64."""
        plain_inputs = [_plain(array) for array in inputs]
        wide = None
        if ufunc in COUNTING and method in ("__call__", "reduce") and "where" not in kwargs:
            wide = _wide(ufunc, method, plain_inputs, kwargs)
        if out is not None:
            kwargs["out"] = tuple(_plain(array) for array in out)
        result = getattr(ufunc, method)(*plain_inputs, **kwargs)
        if wide is not None and np.asarray(result).dtype.kind in "iu":
            _compare(np.asarray(result), wide)
        if out is not None:
            return out[0] if len(out) == 1 else out
        return _watched(result)

    def __setitem__(self, key: Any, numbers: Any) -> None:
        """Set elements; raise Fault if a number does not fit into the dtype."""
        _fits(numbers, self.dtype)
        super().__setitem__(key, _plain(numbers))

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Convert to a dtype; raise Fault if a number does not fit into it."""
        _fits(self, np.dtype(dtype))
        return super().astype(dtype, *args, **kwargs)


def watch(game: BatchGame) -> None:
    """Replace all arrays of a batch by watched arrays; check that observations can hold them."""
    for name, array in stored_state(game).arrays().items():
        setattr(stored_state(game), name, array.view(WatchedArray))
    knowledge: Any = type(game)._knowledge

    def checked_knowledge() -> Any:
        arrays = knowledge(game)
        for array in arrays.values():
            _fits(array, game.layout.dtype)
        return arrays

    vars(game)["_knowledge"] = checked_knowledge


def _plain(array: Any) -> Any:
    return array.view(np.ndarray) if isinstance(array, WatchedArray) else array


def _watched(result: Any) -> Any:
    return result.view(WatchedArray) if isinstance(result, np.ndarray) else result


def _wide(ufunc: np.ufunc, method: str, inputs: list[Any], kwargs: dict[str, Any]) -> Any:
    """Return the result in int64, or None if an input is not integer."""
    arrays = [np.asarray(array) for array in inputs]
    if any(array.dtype.kind not in "biu" for array in arrays):
        return None
    if all(array.dtype.kind == "b" for array in arrays) and method == "__call__":
        return None  # sums of bools are bools
    options = {name: kwargs[name] for name in ("axis", "keepdims") if name in kwargs}
    return getattr(ufunc, method)(*(array.astype(np.int64) for array in arrays), **options)


def _compare(result: np.ndarray[Any, Any], wide: Any) -> None:
    if not np.array_equal(result, wide):
        place = np.argwhere(result != wide)[0]
        raise Fault(
            f"{np.asarray(wide)[tuple(place)]} does not fit into an array of {result.dtype} and "
            f"becomes {result[tuple(place)]}"
        )


def _fits(numbers: Any, dtype: np.dtype[Any]) -> None:
    array = np.asarray(_plain(numbers))
    if array.dtype == dtype or dtype.kind not in "iu" or array.dtype.kind not in "iu":
        return
    if array.size:
        bounds = np.iinfo(dtype)
        for number in (array.min(), array.max()):
            if not bounds.min <= number <= bounds.max:
                raise Fault(f"{number} does not fit into an array of {dtype}")
