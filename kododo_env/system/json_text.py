"""Reading JSON from untrusted sources: messages, files and command lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

# Far more levels than this package needs, and far fewer than the maximum number of dimensions of a
# numpy array (32, or 64 since numpy 2) and Python's recursion limit.
DEEPEST = 16


class NestingError(ValueError):
    """Raised when JSON is nested more than ``DEEPEST`` levels deep."""

    def __init__(self) -> None:
        super().__init__(f"JSON must be nested at most {DEEPEST} deep")


def parse_json(
    text: str | bytes, object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None
) -> Any:
    """Parse a JSON text; the result is safe to pass to numpy, to print and to serialise again.

    Args:
        text: The JSON.
        object_pairs_hook: As in ``json.loads``; returns a dict.

    Raises:
        json.JSONDecodeError: ``text`` is not JSON.
        NestingError: ``text`` is nested too deep.
        ValueError: A number has too many digits, or ``text`` is not UTF-8.
    """
    try:
        value = json.loads(text, object_pairs_hook=object_pairs_hook)
    except RecursionError as error:
        raise NestingError from error
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for outer in level for inner in _parts(outer)]
        if not level:
            return value
    raise NestingError


def _parts(value: Any) -> Any:
    """The elements of a list or the values of a dict; empty for any other value."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
