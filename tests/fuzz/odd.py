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
    """An integer of some other library."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    found: Any = 1
    for _ in range(depth):
        found = [found]
    return found


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
    """The value of an expression of a case."""
    return eval(expression, {**NAMES, **names})


def text_of(short: str) -> str:
    """A text of a case, which is an expression if it begins with ``=``."""
    return str(value_of(short[1:])) if short.startswith("=") else short


# --- bytes ----------------------------------------------------------------------------------


def byte_edits(rng: Random) -> list[Any]:
    """A few changes of a file: ``[what, where (a share of the length), a number]``."""
    whats = ("bit", "bit", "byte", "cut", "drop", "repeat", "zero", "insert")
    number = rng.choice((1, 1, 1, 2, 5, 30))
    return [[rng.choice(whats), rng.random(), rng.randrange(256)] for _ in range(number)]


def edited_bytes(content: bytes, edits: Sequence[Any]) -> bytes:
    """A file after changes."""
    found = bytearray(content)
    for what, share, number in edits:
        place, some = int(share * len(found)), 1 + number // 2
        if what == "cut" or not found:
            found = found[:place]
        elif what == "bit":
            found[place] ^= 1 << number % 8
        elif what == "byte":
            found[place] = number
        elif what == "drop":
            del found[place : place + some]
        elif what == "repeat":
            found[place:place] = found[place : place + some]
        elif what == "zero":
            found[place : place + some] = bytes(len(found[place : place + some]))
        else:
            found[place:place] = Random(number).randbytes(some)
    return bytes(found)


# --- JSON -----------------------------------------------------------------------------------


def json_edits(rng: Random, depth: int = 4) -> list[Any]:
    """A few changes of a document: ``[what, path (shares of the lengths), JSON text]``."""
    found = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        what = rng.choice(("put", "put", "put", "put", "drop", "rename", "add"))
        path = [rng.random() for _ in range(rng.randint(1, depth))]
        found.append([what, path, rng.choice(TEXTS)])
    return found


def edited_json(content: Any, edits: Sequence[Any]) -> str:
    """The text of a document after changes; it need not be JSON any more."""
    whole = [json.loads(json.dumps(content))]
    texts: dict[str, str] = {}
    for number, (what, path, text) in enumerate(edits):
        mark = f"@{number}@"
        texts[json.dumps(mark)] = text_of(text)
        _edit(whole, what, path, mark)
    found = json.dumps(whole[0])
    for mark, text in texts.items():
        found = found.replace(mark, text)
    return found


def _edit(whole: list[Any], what: str, path: Sequence[float], mark: str) -> None:
    inside, key = whole, 0
    for share in path:
        below = inside[key]
        if not isinstance(below, dict | list) or not below:
            break
        keys = list(below) if isinstance(below, dict) else range(len(below))
        inside, key = below, keys[int(share * len(keys))]
    if what == "add" and isinstance(inside[key], dict):
        inside[key][mark] = mark
    elif what == "add" and isinstance(inside[key], list):
        inside[key].append(mark)
    elif what == "drop" and inside is not whole:
        del inside[key]
    elif what == "rename" and isinstance(inside, dict):
        inside[f"{key}x"] = inside.pop(key)  # type: ignore[unreachable]
    else:
        inside[key] = mark
