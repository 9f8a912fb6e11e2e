"""The schema of a policy file's metadata: each field's type and bounds."""

from __future__ import annotations

from math import prod
from typing import Any

from kododo_env.checks.bounds import Bound
from kododo_env.checks.numbers import finite_number, quote, whole_number
from kododo_env.policy.plain_text import plain

# The highest temperature: legal actions are nearly uniform, and illegal ones are never chosen.
HOTTEST = 1000
NETWORK = {"width": Bound(1, 4096), "depth": Bound(1, 16), "one_hot": Bound(0, 255)}
LONGEST_TEXT = 1000  # characters
_MOST = 10_000  # the most actions, and the most numbers in an observation
_LARGEST = 2**64  # seeds are smaller

_NUMBERS = {"version", "num_players", "temperature"}
_KINDS: dict[str, tuple[type, str]] = {
    **dict.fromkeys(("game", "layout"), (str, "text")),
    **dict.fromkeys(("pieces", "actions"), (list, "a list")),
    **dict.fromkeys(("rules", "network", "training", "results"), (dict, "an object")),
}
_OPTIONAL = {"network", "temperature", "training", "results"}


def checked(content: dict[str, Any]) -> dict[str, Any]:
    """Check the type and bounds of each field of a file's metadata, and return the fields.

    Raises:
        ValueError: A field is missing, unknown, of another type, or out of bounds.
    """
    field_names = _KINDS.keys() | _NUMBERS
    for name in sorted(field_names - _OPTIONAL - content.keys()):
        raise ValueError(f"the metadata lack the field {name}")
    for name in sorted(content.keys() - field_names):
        raise ValueError(f"the metadata have the unknown field {quote(name)}")
    for name, entry in content.items():
        field_type, description = _KINDS.get(name, (object, ""))
        if not isinstance(entry, field_type):
            raise ValueError(f"{name} must be {description}, got {quote(entry)}")
        _check_values(entry, name)
    whole_number(content["version"], "version", 0, _MOST)
    whole_number(content["num_players"], "num_players", 1, _MOST)
    finite_number(content.get("temperature", 0), "temperature", 0, HOTTEST)
    _check_layout(content["pieces"], content["actions"])
    for name, entry in content.get("network", {}).items():
        if name in NETWORK:
            NETWORK[name].checked(entry, f"the network's {name}")
        elif not isinstance(entry, bool):
            raise ValueError(
                f"the network's {plain(name, 60)} must be true or false, got {quote(entry)}"
            )
    return content


def _check_values(entry: Any, name: str) -> None:
    """Raise ValueError unless numbers are finite and text is printable."""
    if isinstance(entry, dict | list):
        for child in (*entry, *entry.values()) if isinstance(entry, dict) else entry:
            _check_values(child, name)
    elif isinstance(entry, str):
        if len(entry) > LONGEST_TEXT or not entry.isprintable():
            raise ValueError(
                f"{name} must have printable text of at most {LONGEST_TEXT} characters, got "
                f"{quote(entry)}"
            )
    elif isinstance(entry, float):
        finite_number(entry, f"a number in {name}")
    elif isinstance(entry, int) and not isinstance(entry, bool):
        whole_number(entry, f"a number in {name}", -_LARGEST, _LARGEST)


def _check_layout(pieces: list[Any], actions: list[Any]) -> None:
    size = 0
    for piece in pieces:
        if not isinstance(piece, list) or [*map(type, piece)] != [str, list, int]:
            raise ValueError(f"each of pieces must be [name, shape, maximum], got {quote(piece)}")
        size += prod(whole_number(length, "a piece's length", 1, _MOST) for length in piece[1])
        whole_number(piece[2], "a piece's maximum", 0, 2**16 - 1)
    whole_number(size, "the size of an observation", 1, _MOST)
    whole_number(len(actions), "the number of actions", 1, _MOST)
    for action in actions:
        if not isinstance(action, str):
            raise ValueError(f"each of actions must be a string, got {quote(action)}")
