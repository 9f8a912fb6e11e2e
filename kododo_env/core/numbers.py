"""The one rule for numbers that somebody gives: whole numbers in a range, or finite ones."""

from __future__ import annotations

from math import isfinite
from operator import index
from typing import Any

import numpy as np

SHOWN = 60  # characters of a wrong value that a message repeats


def is_whole(value: object) -> bool:
    """Whether a value is an integer of Python's or numpy's, a truth value not being one."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole_number(
    value: Any, name: str, lowest: int | None = None, highest: int | None = None
) -> int:
    """A whole number as Python's int.

    Args:
        value: An integer of any library that says it is one (``__index__``); a truth value
            or a float is not, whatever it is worth.
        name: What it is, for the message.
        lowest: The smallest that will do; None sets no bound.
        highest: The largest that will do; None sets no bound.

    Raises:
        ValueError: It is no whole number, or out of the range.
    """
    truth = isinstance(value, bool) or "bool" in str(getattr(value, "dtype", ""))
    try:
        number = None if truth else index(value)
    except TypeError:
        number = None
    if number is None:
        raise ValueError(f"{name} must be a whole number, not {shown(value)}")
    if (lowest is not None and number < lowest) or (highest is not None and number > highest):
        raise ValueError(f"{name} must be {_range(lowest, highest)}, not {shown(number)}")
    return number


def finite_number(
    value: Any,
    name: str,
    lowest: float | None = None,
    highest: float | None = None,
    above: bool = False,
) -> float:
    """A finite number as Python's float.

    Args:
        value: A number; a truth value or text is not.
        name: What it is, for the message.
        lowest: The smallest that will do; None sets no bound.
        highest: The largest that will do; None sets no bound.
        above: Whether it must be above the lowest, which itself will not do.

    Raises:
        ValueError: It is no finite number, or out of the range.
    """
    known = is_whole(value) or isinstance(value, float | np.floating)
    try:
        number = float(value) if known else float("nan")
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


def _text(value: object) -> str:
    try:
        return repr(value)
    except (ValueError, RecursionError):  # an int of too many digits, lists in lists in lists
        return f"{type(value).__name__} too long to show"


def _range(lowest: float | None, highest: float | None, above: bool = False) -> str:
    if lowest is None:
        return f"{highest} or less"
    if highest is None:
        return f"above {lowest}" if above else f"{lowest} or more"
    return f"above {lowest} and at most {highest}" if above else f"{lowest} to {highest}"
