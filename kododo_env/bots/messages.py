"""Parse and check messages from players to a table; see ``docs/reference/messages.md``."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from kododo_env.checks.numbers import is_whole, quote, whole_number
from kododo_env.checks.options import is_one_of
from kododo_env.records.lines import check_keys, parse_object
from kododo_env.rendering.languages import LANGUAGES

Message = dict[str, Any]
DECKS = ("same", "other")
MOST_EXACT = 2**53 - 1  # the largest integer that is exact in JavaScript


def read_message(message: object, kinds: Collection[str] | None = None) -> Message:
    """Parse a client's message and check all that can be checked without the game.

    Args:
        message: JSON as text or bytes, or the parsed object.
        kinds: The types that this client may send; None allows all of them.

    Returns:
        A dictionary with the "type" and exactly the fields of that type.

    Raises:
        ValueError: The message is malformed; the text of the error is one line.
    """
    content = parse_object(message) if isinstance(message, str | bytes) else message
    if not isinstance(content, Mapping):
        example = '{"type": "look"}'
        raise ValueError(f"message must be an object such as {example}, not {quote(content)}")
    kind = content.get("type")
    types = FIELDS if kinds is None else kinds
    if not isinstance(kind, str) or kind not in types:
        raise ValueError(f"unknown message type {quote(kind)}; choose from {', '.join(types)}")
    fields = FIELDS[kind]
    check_keys(content, {"type", *fields})
    return {"type": kind} | {name: check(content[name], name) for name, check in fields.items()}


def _step(value: object, name: str) -> int:
    return whole_number(value, name, 0, MOST_EXACT)


def _action(value: object, name: str) -> int | str:
    if isinstance(value, str) or is_whole(value):
        return value  # type: ignore[return-value]
    raise ValueError(f"{name} must be an integer or a string, not {quote(value)}")


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string, not {quote(value)}")
    return value


def _one_of(value: object, name: str, choices: Collection[str]) -> str:
    if not is_one_of(value, choices):
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {quote(value)}")
    return str(value)


FIELDS: dict[str, dict[str, Callable[[object, str], Any]]] = {
    "look": {},
    "act": {"step": _step, "action": _action},
    "speak": {"language": partial(_one_of, choices=LANGUAGES)},
    "rename": {"name": _text},
    "take_back": {"step": _step},
    "again": {"step": _step, "to": _step},
    "recall": {"to": _step},
    "interpret": {"step": _step, "text": _text},
    "rules": {},
    "hint": {"step": _step},
    "new": {"step": _step, "deck": partial(_one_of, choices=DECKS)},
    "record": {},
    "analyse": {},
    "par": {},
    "replay": {"record": _text},
    "lesson": {"step": _step},
    "leave": {"step": _step},
}
"""For each message type its fields, each with the function that checks its value."""


def to_json(message: Message) -> str:
    """Serialize a message as ASCII JSON on one line, without a line break."""
    return json.dumps(message, allow_nan=False, separators=(",", ":"))
