"""The one rule for numbers that somebody gives: whole numbers in a range, or finite ones."""

from __future__ import annotations

from math import isfinite
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.arrays import Integer

INTEGERS = (int, np.integer)
SHOWN = 60  # characters of a wrong value that a message repeats


def is_whole(value: object) -> bool:
    """Whether a value is an integer of Python's or numpy's, a truth value not being one."""
    return isinstance(value, INTEGERS) and not isinstance(value, bool)


def whole_number(
    value: Any, name: str, lowest: int | None = None, highest: int | None = None
) -> int:
    """A whole number as Python's int; ``name`` is for the message, and None sets no bound.

    Any library's integer is one if it says so (``__index__``); a truth value or a float is not.

    Raises:
        ValueError: It is no whole number, or out of the range.
    """
    number = value if type(value) is int else _as_index(value)
    if number is None:
        raise ValueError(f"{name} must be an integer, not {shown(value)}")
    if (lowest is not None and number < lowest) or (highest is not None and number > highest):
        raise ValueError(f"{name} must be {_range(lowest, highest)}, not {shown(number)}")
    return number


def whole_seed(value: Any) -> int | None:
    """A seed as Python's int; None, fresh entropy, stays None.

    Raises:
        ValueError: It is neither None nor a whole number from 0.
    """
    return None if value is None else whole_number(value, "seed", 0)


def check_generator(rng: object) -> None:
    """Raise ValueError if a source of randomness is none of numpy's, such as a bare seed."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be like np.random.default_rng(0), not {shown(rng)}")


def whole_numbers(values: npt.ArrayLike, name: str) -> Integer:
    """Whole numbers, in lists of lists too, as an array of integers; of an array, the array itself.

    Raises:
        ValueError: They are no whole numbers, or no array, rows of unequal length being none.
    """
    if type(values) is np.ndarray and values.dtype.kind in "iu":  # in half the time
        return values
    try:
        array = np.asarray(values)
    except Exception:  # an object's __array__ may raise anything
        raise ValueError(f"{name} must be an array of integers, not {shown(values)}") from None
    in_lists = isinstance(values, list | tuple)
    if in_lists and not array.size:  # numpy makes floats of none
        array = array.astype(np.intp)
    kind = array.dtype
    if kind.kind in "iu" and in_lists and _has_truth(values):
        kind = np.dtype(np.bool_)  # numpy makes 0 and 1 of those that stand among numbers
    if kind.kind not in "iu":
        raise ValueError(f"{name} must be integers, not {kind}")
    return array


def whole_indices(values: npt.ArrayLike, name: str, size: int) -> Integer:
    """Indices of things that there are, each 0 to ``size`` - 1; shape (n,), n at least 1.

    Raises:
        ValueError: They are no whole numbers, not in one row, none at all, or out of range.
    """
    indices = whole_numbers(values, name)
    if indices.ndim != 1 or not indices.size or indices.min() < 0 or indices.max() >= size:
        raise ValueError(f"{name} must be one or more of 0 to {size - 1}, not {shown(values)}")
    return indices


def whole_tuple(
    values: Any, name: str, lowest: int | None = None, highest: int | None = None
) -> tuple[int, ...]:
    """Whole numbers as a tuple of Python's ints, from a tuple, a list or an array (n,).

    Raises:
        ValueError: They are none, or one of them is no whole number or out of the range.
    """
    one_row = isinstance(values, np.ndarray) and values.ndim == 1
    if not isinstance(values, tuple | list) and not one_row:
        raise ValueError(f"{name} must be a tuple of integers, not {shown(values)}")
    return tuple(whole_number(entry, f"each of {name}", lowest, highest) for entry in values)


def finite_number(
    value: Any,
    name: str,
    lowest: float | None = None,
    highest: float | None = None,
    above: bool = False,
) -> float:
    """A finite number as Python's float; with ``above`` it must be more than the lowest.

    A truth value or text is no number; ``name`` is for the message, and None sets no bound.

    Raises:
        ValueError: It is no finite number, or out of the range.
    """
    is_number = is_whole(value) or isinstance(value, float | np.floating)
    try:
        number = float(value) if is_number else float("nan")
    except OverflowError:  # an int beyond all floats
        number = float("nan")
    if not isfinite(number):
        raise ValueError(f"{name} must be a finite number, not {shown(value)}")
    low = lowest is not None and (number <= lowest if above else number < lowest)
    if low or (highest is not None and number > highest):
        raise ValueError(f"{name} must be {_range(lowest, highest, above)}, not {shown(number)}")
    return number


def shown(value: object) -> str:
    """A wrong value for a message of one line, cut where it is long."""
    text = " ".join(_text(value).split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _as_index(value: Any) -> int | None:
    """An integer of any library as an int; None if it is none, or a truth value."""
    if is_whole(value):
        return int(value)
    if _is_truth(value):
        return None
    try:
        return index(value)
    except (TypeError, ValueError):
        return None


def _is_truth(value: Any) -> bool:
    """Whether it is a truth value, of any library."""
    return isinstance(value, bool) or "bool" in str(getattr(value, "dtype", ""))


def _has_truth(values: Any) -> bool:
    """Whether a truth value stands among numbers in lists."""
    # An array's own iterator takes 32 dimensions, and ``ravel`` all that an array can have.
    return any(map(_is_truth, np.asarray(values, object).ravel()))


def _text(value: object) -> str:
    try:
        return repr(value)
    except (ValueError, RecursionError):  # an int of too many digits, lists in lists in lists
        return f"{type(value).__name__} too long to show"
    except Exception:  # its own __repr__ may raise anything
        return f"{type(value).__name__} that cannot be shown"


def _range(lowest: float | None, highest: float | None, above: bool = False) -> str:
    if lowest is None:
        return f"at most {highest}"
    if highest is None:
        return f"above {lowest}" if above else f"at least {lowest}"
    return f"above {lowest} and at most {highest}" if above else f"{lowest} to {highest}"
