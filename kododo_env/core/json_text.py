"""JSON from outside: from a message, a file or a command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

# Far more than anything that is written here needs, and far less than numpy has dimensions (32,
# or 64 since numpy 2) or Python calls inside one another.
DEEPEST = 16


class TooDeep(ValueError):
    """JSON is nested more than ``DEEPEST`` deep."""

    def __init__(self) -> None:
        super().__init__(f"JSON must be nested at most {DEEPEST} deep")


def read_json(
    text: str | bytes, object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None
) -> Any:
    """Return the value of a JSON text; it is safe to give to numpy, to print and to write again.

    Args:
        text: The JSON.
        object_pairs_hook: As ``json.loads`` takes it; returns a dict.

    Raises:
        json.JSONDecodeError: It is no JSON.
        TooDeep: It is nested too deep.
        ValueError: It has a number of too many digits, or is not UTF-8.
    """
    try:
        value = json.loads(text, object_pairs_hook=object_pairs_hook)
    except RecursionError as error:
        raise TooDeep from error
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for outer in level for inner in _parts(outer)]
        if not level:
            return value
    raise TooDeep


def _parts(value: Any) -> Any:
    """The values in a list or an object; none of anything else."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
