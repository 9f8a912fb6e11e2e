"""Checks of numbers that callers pass: integers in a range, or finite numbers."""

from __future__ import annotations

from math import isfinite
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Integer

INTEGERS = (int, np.integer)
SHOWN = 60  # characters of a wrong value that a message repeats


def is_whole(value: object) -> bool:
    """Return whether a value is a Python or numpy integer; bools are not."""
    return isinstance(value, INTEGERS) and not isinstance(value, bool)


def whole_number(
    value: Any, name: str, lowest: int | None = None, highest: int | None = None
) -> int:
    """Return an integer as Python's int.

    Any object with ``__index__`` counts as an integer; bools and floats do not.

    Args:
        value: The number to check.
        name: Its name in error messages.
        lowest: The smallest number allowed; None for no bound.
        highest: The largest number allowed; None for no bound.

    Raises:
        ValueError: ``value`` is not an integer, or is out of range.
    """
    number = value if type(value) is int else _as_index(value)
    if number is None:
        raise ValueError(f"{name} must be an integer, not {quote(value)}")
    if (lowest is not None and number < lowest) or (highest is not None and number > highest):
        raise ValueError(f"{name} must be {_range(lowest, highest)}, not {quote(number)}")
    return number


def whole_seed(value: Any) -> int | None:
    """Return a seed as Python's int; None (fresh entropy) stays None.

    Raises:
        ValueError: ``value`` is neither None nor an integer of at least 0.
    """
    return None if value is None else whole_number(value, "seed", 0)


def check_generator(rng: object) -> None:
    """Raise ValueError unless ``rng`` is a numpy ``Generator`` (a bare seed is not)."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"rng must be a numpy Generator such as np.random.default_rng(0), not {quote(rng)}"
        )


def whole_numbers(values: npt.ArrayLike, name: str) -> Integer:
    """Convert integers, such as lists of lists, to an array; an integer array is not copied.

    Raises:
        ValueError: ``values`` contains anything but integers, or has rows of unequal length.
    """
    try:
        array = np.asarray(values)
    except Exception:  # an object's __array__ may raise anything
        raise ValueError(f"{name} must be an array of integers, not {quote(values)}") from None
    in_lists = isinstance(values, list | tuple)
    if in_lists and not array.size:  # numpy makes an empty list an array of floats
        array = array.astype(np.intp)
    kind = array.dtype
    if kind.kind in "iu" and in_lists and _has_bool(values):
        kind = np.dtype(np.bool_)  # numpy turns bools in a list of integers into 0 and 1
    if kind.kind not in "iu":
        raise ValueError(f"{name} must be integers, not {kind}")
    return array


def whole_indices(values: npt.ArrayLike, name: str, size: int) -> Integer:
    """Return indices from 0 to ``size`` - 1 as an array of shape (n,), n at least 1.

    Raises:
        ValueError: ``values`` is empty, not one-dimensional, not of integers, or out of range.
    """
    indices = whole_numbers(values, name)
    if indices.ndim != 1 or not indices.size or indices.min() < 0 or indices.max() >= size:
        raise ValueError(f"{name} must be one or more of 0 to {size - 1}, not {quote(values)}")
    return indices


def whole_tuple(
    values: Any, name: str, lowest: int | None = None, highest: int | None = None
) -> tuple[int, ...]:
    """Return a tuple, list or array (n,) of integers as a tuple of Python's ints.

    Raises:
        ValueError: ``values`` has a different type, or an entry is not an integer or out of range.
    """
    one_row = isinstance(values, np.ndarray) and values.ndim == 1
    if not isinstance(values, tuple | list) and not one_row:
        raise ValueError(f"{name} must be a tuple of integers, not {quote(values)}")
    return tuple(whole_number(entry, f"each of {name}", lowest, highest) for entry in values)


def finite_number(
    value: Any,
    name: str,
    lowest: float | None = None,
    highest: float | None = None,
    above: bool = False,
) -> float:
    """Return a finite number as Python's float; bools and strings are not numbers.

    Args:
        value: The number to check.
        name: Its name in error messages.
        lowest: The smallest number allowed; None for no bound.
        highest: The largest number allowed; None for no bound.
        above: Whether ``lowest`` itself is excluded.

    Raises:
        ValueError: ``value`` is not a finite number, or is out of range.
    """
    is_number = is_whole(value) or isinstance(value, float | np.floating)
    try:
        number = float(value) if is_number else float("nan")
    except OverflowError:  # the int is too large for a float
        number = float("nan")
    if not isfinite(number):
        raise ValueError(f"{name} must be a finite number, not {quote(value)}")
    low = lowest is not None and (number <= lowest if above else number < lowest)
    if low or (highest is not None and number > highest):
        raise ValueError(f"{name} must be {_range(lowest, highest, above)}, not {quote(number)}")
    return number


def quote(value: object) -> str:
    """Return the repr of a wrong value on one line, shortened, for an error message."""
    text = " ".join(_text(value).split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _as_index(value: Any) -> int | None:
    """Return an integer of any library as an int; None for a bool or anything else."""
    try:
        return None if _is_bool(value) else index(value)
    except (TypeError, ValueError):
        return None


def _is_bool(value: Any) -> bool:
    """Whether a value is a bool of any library."""
    return isinstance(value, bool) or "bool" in str(getattr(value, "dtype", ""))


def _has_bool(values: Any) -> bool:
    """Whether lists of numbers contain a bool."""
    # An array's own iterator is limited to 32 dimensions; ravel is not.
    return any(map(_is_bool, np.asarray(values, object).ravel()))


def _text(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # an int of too many digits, nested lists, or a custom __repr__
        return f"{type(value).__name__} that cannot be shown"


def _range(lowest: float | None, highest: float | None, above: bool = False) -> str:
    if lowest is None:
        return f"at most {highest}"
    if highest is None:
        return f"above {lowest}" if above else f"at least {lowest}"
    return f"above {lowest} and at most {highest}" if above else f"{lowest} to {highest}"
