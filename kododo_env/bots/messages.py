"""The messages of people at a table and their checks; see ``docs/reference/messages.md``."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from kododo_env.core.json_text import TooDeep, read_json
from kododo_env.core.numbers import is_whole, shown, whole_number
from kododo_env.rendering.languages import LANGUAGES

Message = dict[str, Any]
DECKS = ("same", "other")
MOST_EXACT = 2**53 - 1  # beyond it a whole number of JavaScript's is not exact


def read_message(message: object, kinds: Collection[str] | None = None) -> Message:
    """A message that a client has sent, checked as far as it can be without the game.

    Args:
        message: JSON as text or bytes, or the object that it holds.
        kinds: The types that this client may send; None for all that there are.

    Returns:
        An object with the "type" and just the fields that belong to it.

    Raises:
        ValueError: It is no such message; one line that says what was wrong.
    """
    content = _parse(message) if isinstance(message, str | bytes) else message
    if not isinstance(content, Mapping):
        raise ValueError(f'a message is an object such as {{"type": "look"}}, not {shown(content)}')
    kind = content.get("type")
    types = FIELDS if kinds is None else kinds
    if not isinstance(kind, str) or kind not in types:
        raise ValueError(f"the type of a message is one of {', '.join(types)}, not {shown(kind)}")
    fields = FIELDS[kind]
    for name in content:
        if name != "type" and name not in fields:
            field_names = ", ".join(fields) or "none besides"
            raise ValueError(f"{kind!r} has no field {shown(name)}; it has {field_names}")
    for name in fields:
        if name not in content:
            raise ValueError(f"{kind!r} needs the field {name!r}")
    return {"type": kind} | {name: check(content[name]) for name, check in fields.items()}


def _parse(text: str | bytes) -> object:
    try:
        content: object = read_json(text)
    except TooDeep as error:
        raise ValueError("a message must be JSON, and not so deeply nested") from error
    except ValueError as error:  # UnicodeDecodeError and numbers of too many digits among them
        raise ValueError(f"a message must be JSON, not {shown(text)}") from error
    return content


def _step(value: object) -> int:
    return whole_number(value, "step", 0, MOST_EXACT)


def _to(value: object) -> int:
    return whole_number(value, "to", 0, MOST_EXACT)


def _action(value: object) -> int | str:
    if isinstance(value, str) or is_whole(value):
        return value  # type: ignore[return-value]
    raise ValueError(f"action must be the number or the words of an action, not {shown(value)}")


def _deck(value: object) -> str:
    if value not in DECKS:
        raise ValueError(f"deck must be {' or '.join(map(repr, DECKS))}, not {shown(value)}")
    return str(value)


def _language(value: object) -> str:
    if not isinstance(value, str) or value not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {shown(value)}")
    return str(value)


def _record(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"record must be the text of a record, not {shown(value)}")
    return value


FIELDS: dict[str, dict[str, Callable[[object], Any]]] = {
    "look": {},
    "act": {"step": _step, "action": _action},
    "speak": {"language": _language},
    "take_back": {"step": _step},
    "again": {"step": _step, "to": _to},
    "rules": {},
    "hint": {"step": _step},
    "new": {"step": _step, "deck": _deck},
    "record": {},
    "analyse": {},
    "par": {},
    "replay": {"record": _record},
    "lesson": {"step": _step},
    "leave": {"step": _step},
}
"""The fields of each type of message, and the functions that check them."""


def to_json(message: Message) -> str:
    """A message of the table in one line of ASCII."""
    return json.dumps(message, allow_nan=False, separators=(",", ":"))
