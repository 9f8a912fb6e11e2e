"""Odd values: as Python expressions, as JSON texts, and as changes of bytes and documents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np


class Index:
    """An integer of another library."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


def nested(depth: int) -> Any:
    """Return nested lists of this depth."""
    nested_list: Any = 1
    for _ in range(depth):
        nested_list = [nested_list]
    return nested_list


NAMES = {
    "np": np, "Index": Index, "nested": nested, "Decimal": Decimal, "Fraction": Fraction,
    "nan": float("nan"), "inf": float("inf"),
}  # fmt: skip
WHOLE = (
    "0", "1", "2", "3", "4", "5", "6", "7", "10", "13", "20", "50", "99", "100", "127", "128",
    "250", "255", "256", "300", "1000", "32767", "32768", "40000", "65535", "65536", "-1", "-2",
    "-128", "-32769", "2**31", "2**63", "2**64", "-2**63", "10**30", "10**400", "10**5000",
)  # fmt: skip
STRANGE = (
    "None", "True", "False", "np.True_", "1.0", "1.5", "nan", "inf", "-0.0", "'1'", "''", "'x'",
    "'random'", "b'1'", "[]", "()", "{}", "[1]", "(1,)", "[[1]]", "[True]", "{1: 2}", "{1, 2}",
    "np.int8(1)", "np.int64(1)", "np.uint64(2**63)", "np.float64(1)", "np.array(1)",
    "np.array(True)", "np.array(1.0)", "np.array([1])", "np.array([])", "np.array('1')",
    "np.array([1, None])", "np.zeros((0, 3), int)", "np.ma.masked", "np.datetime64(1, 's')",
    "object()", "Index(1)", "Index(-1)", "Index(10**30)", "nested(33)", "nested(64)",
    "nested(100)", "nested(100_000)", "range(3)", "1j", "Fraction(1)", "Decimal(1)",
    "'x' * 100_000", "'\\x1b[31m\\nred'", "int", "'\\udcff'", "[nan]", "[None]", "[10**30]",
    "(x for x in '12')", "b'\\xff' * 9", "Ellipsis",
)  # fmt: skip
TEXTS = (
    "null", "true", "false", "0", "1", "-1", "2", "7", "300", "1e9", "0.5", "1.0", "-0.5", "NaN",
    "Infinity", "-Infinity", "1e999", '""', '"x"', '"1"', '"0.5"', "[]", "{}", "[1]", "[[1]]",
    '{"a": 1}', "[null]", '"\\u001b[31m\\n"', '"\\ud800"', '"../../x"', '["x"]', "65536",
    "='9' * 30", "='9' * 400", "='9' * 5000", "='[' * 40 + ']' * 40",
    "='[' * 900 + ']' * 900", "='[' * 100_000", "='{\"a\":' * 100_000",
    "='\"' + 'x' * 100_000 + '\"'", "9223372036854775808", "[1, 2, 3]", "[true]", "[0.5, 0.5]",
    "[[NaN]]", "1e-400", "-0.0",
)  # fmt: skip


def value_of(expression: str, **names: Any) -> Any:
    """Evaluate an expression of a case."""
    return eval(expression, {**NAMES, **names})


def text_of(short: str) -> str:
    """Return a text of a case; a text that begins with ``=`` is evaluated."""
    return str(value_of(short[1:])) if short.startswith("=") else short


# --- bytes ----------------------------------------------------------------------------------


def byte_edits(rng: Random) -> list[Any]:
    """Return a few changes of a file: ``[kind, position (a share of the length), number]``."""
    edit_kinds = ("bit", "bit", "byte", "cut", "drop", "repeat", "zero", "insert")
    number = rng.choice((1, 1, 1, 2, 5, 30))
    return [[rng.choice(edit_kinds), rng.random(), rng.randrange(256)] for _ in range(number)]


def edited_bytes(content: bytes, edits: Sequence[Any]) -> bytes:
    """Apply changes to a file."""
    edited = bytearray(content)
    for edit_kind, share, number in edits:
        place = int(share * len(edited))
        length = 1 + number // 2
        if edit_kind == "cut" or not edited:
            edited = edited[:place]
        elif edit_kind == "bit":
            edited[place] ^= 1 << number % 8
        elif edit_kind == "byte":
            edited[place] = number
        elif edit_kind == "drop":
            del edited[place : place + length]
        elif edit_kind == "repeat":
            edited[place:place] = edited[place : place + length]
        elif edit_kind == "zero":
            edited[place : place + length] = bytes(len(edited[place : place + length]))
        else:
            edited[place:place] = Random(number).randbytes(length)
    return bytes(edited)


# --- JSON -----------------------------------------------------------------------------------


def json_edits(rng: Random, depth: int = 4) -> list[Any]:
    """Return a few changes of a document: ``[kind, path (shares of lengths), JSON text]``."""
    edits = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        edit_kind = rng.choice(("put", "put", "put", "put", "drop", "rename", "add"))
        path = [rng.random() for _ in range(rng.randint(1, depth))]
        edits.append([edit_kind, path, rng.choice(TEXTS)])
    return edits


def edited_json(content: Any, edits: Sequence[Any]) -> str:
    """Apply changes to a document; the resulting text may be invalid JSON."""
    whole = [json.loads(json.dumps(content))]
    texts: dict[str, str] = {}
    for number, (edit_kind, path, text) in enumerate(edits):
        mark = f"@{number}@"
        texts[json.dumps(mark)] = text_of(text)
        _edit(whole, edit_kind, path, mark)
    edited = json.dumps(whole[0])
    for mark, text in texts.items():
        edited = edited.replace(mark, text)
    return edited


def _edit(whole: list[Any], edit_kind: str, path: Sequence[float], mark: str) -> None:
    inside = whole
    key = 0
    for share in path:
        below = inside[key]
        if not isinstance(below, dict | list) or not below:
            break
        keys = list(below) if isinstance(below, dict) else range(len(below))
        inside = below
        key = keys[int(share * len(keys))]
    if edit_kind == "add" and isinstance(inside[key], dict):
        inside[key][mark] = mark
    elif edit_kind == "add" and isinstance(inside[key], list):
        inside[key].append(mark)
    elif edit_kind == "drop" and inside is not whole:
        del inside[key]
    elif edit_kind == "rename" and isinstance(inside, dict):
        inside[f"{key}x"] = inside.pop(key)  # type: ignore[unreachable]
    else:
        inside[key] = mark
