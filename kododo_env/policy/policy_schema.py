"""What the metadata of a policy file may be: each field's type and bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import Any

from kododo_env.core.bounds import BOUNDS
from kododo_env.core.numbers import finite_number, shown, whole_number
from kododo_env.policy.plain_text import is_plain

HOTTEST = 1000  # the highest temperature: all legal actions alike, and none that is not
_OPTIONAL = {"network", "temperature", "training", "results"}
_NAME, _TEXT = 64, 1000  # characters
_MOST = 10_000  # of pieces, of actions, and of numbers in an observation
_DEEPEST = 12  # lists in lists and objects in objects
_LARGEST = 2**64  # seeds are below


def checked(content: dict[str, Any]) -> dict[str, Any]:
    """The metadata's fields, each of the type and within the bounds that it must have.

    Args:
        content: What the file's JSON holds, without its ``format``.

    Returns:
        The same fields.

    Raises:
        ValueError: A field is missing, unknown, of another type, or out of bounds.
    """
    for name in sorted(_FIELDS.keys() - _OPTIONAL - content.keys()):
        raise ValueError(f"its metadata name no {name}")
    for name in sorted(content.keys() - _FIELDS.keys()):
        raise ValueError(f"its metadata have the field {shown(name)}, which there is not")
    for name, value in content.items():
        _FIELDS[name](value, name)
    return content


def _name(value: Any, name: str) -> None:
    if not is_plain(value, _NAME):
        raise ValueError(f"{name} must be a name of {_NAME} letters at most, not {shown(value)}")


def _fingerprint(value: Any, name: str) -> None:
    if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{16}", value):
        raise ValueError(f"{name} must be 16 digits, 0 to f, not {shown(value)}")


def _pieces(value: Any, name: str) -> None:
    size = 0
    for piece in _list(value, name):
        if not isinstance(piece, list) or len(piece) != 3:
            raise ValueError(f"each of {name} must be name, shape and maximum, not {shown(piece)}")
        _name(piece[0], "a piece's name")
        if not isinstance(piece[1], list) or len(piece[1]) > _DEEPEST:
            raise ValueError(f"a piece's shape must be a list, not {shown(piece[1])}")
        size += prod(whole_number(each, "a piece's length", 1, _MOST) for each in piece[1])
        whole_number(piece[2], "a piece's maximum", 0, 2**16 - 1)
    whole_number(size, "the size of an observation", 1, _MOST)


def _actions(value: Any, name: str) -> None:
    for each in _list(value, name):
        if not is_plain(each, _TEXT):
            raise ValueError(f"each of {name} must be text that can be printed, not {shown(each)}")


def _network(value: Any, name: str) -> None:
    _object(value, name)
    for setting, each in value.items():
        if setting in BOUNDS:
            BOUNDS[setting].checked(each, f"the {name}'s {setting}")
        elif not isinstance(each, bool):
            raise ValueError(f"the {name}'s {setting} must be true or false, not {shown(each)}")


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list) or not 0 < len(value) <= _MOST:
        raise ValueError(f"{name} must be a list of 1 to {_MOST:,}, not {shown(value)}")
    return value


def _object(value: Any, name: str) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be an object with named fields, not {shown(value)}")
    _values(value, name, _DEEPEST)


def _values(value: Any, name: str, depth: int) -> None:
    """Check what is free in its form: not too deep, numbers finite, text that can be printed."""
    if depth < 0:
        raise ValueError(f"{name} has lists in lists more than {_DEEPEST} deep")
    if isinstance(value, dict):
        for key, each in value.items():
            _name(key, f"a name in {name}")
            _values(each, name, depth - 1)
    elif isinstance(value, list):
        for each in value:
            _values(each, name, depth - 1)
    elif isinstance(value, str):
        if value and not is_plain(value, _TEXT):
            raise ValueError(f"{name} must have text that can be printed, not {shown(value)}")
    elif isinstance(value, float):
        finite_number(value, f"a number in {name}")
    elif isinstance(value, int) and not isinstance(value, bool):
        whole_number(value, f"a number in {name}", -_LARGEST, _LARGEST)


_FIELDS: dict[str, Callable[[Any, str], object]] = {
    "game": _name,
    "version": lambda value, name: whole_number(value, name, 0, _MOST),
    "num_players": lambda value, name: whole_number(value, name, 1, _MOST),
    "rules": _object,
    "layout": _fingerprint,
    "pieces": _pieces,
    "actions": _actions,
    "network": _network,
    "temperature": lambda value, name: finite_number(value, name, 0, HOTTEST),
    "training": _object,
    "results": _object,
}
