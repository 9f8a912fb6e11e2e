"""Changes of files: of their bytes, and of the JSON in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st

TEXTS = (
    "null", "true", "0", "-1", "2", "300", "0.5", "-0.5", "NaN", "-Infinity", "1e999", '""', '"x"',
    '"1"', "[]", "{}", "[1]", "[[1]]", '{"a": 1}', '"\\u001b[31m\\n"', '"\\ud800"', "[true]",
    "65536", "9" * 30, "9" * 5000, "[" * 40 + "]" * 40, "[" * 100_000, '"' + "x" * 100_000 + '"',
)  # fmt: skip
SHARE = st.floats(0, 1, exclude_max=True)
BYTE_EDITS = st.lists(
    st.tuples(
        st.sampled_from(["bit", "byte", "cut", "drop", "repeat", "insert"]),
        SHARE,
        st.integers(0, 255),
    ),
    min_size=1,
    max_size=5,
)
"""Changes of bytes: the kind, the position as a share of the length, and a number."""
JSON_EDITS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "put", "drop", "rename", "add"]),
        st.lists(SHARE, min_size=1, max_size=5),
        st.sampled_from(TEXTS),
    ),
    min_size=1,
    max_size=2,
)
"""Changes of a document: the kind, the path as shares of lengths, and the text of a new value."""


def edited_bytes(content: bytes, edits: Sequence[tuple[str, float, int]]) -> bytes:
    """Apply changes to a file."""
    edited = bytearray(content)
    for kind, share, number in edits:
        place = int(share * len(edited))
        part = edited[place : place + 1 + number // 2]
        if kind == "cut" or not edited:
            edited = edited[:place]
        elif kind == "bit":
            edited[place] ^= 1 << number % 8
        elif kind == "byte":
            edited[place] = number
        elif kind == "drop":
            del edited[place : place + len(part)]
        else:
            edited[place:place] = part if kind == "repeat" else Random(number).randbytes(len(part))
    return bytes(edited)


def edited_json(text: str | bytes, edits: Sequence[tuple[str, list[float], str]]) -> str:
    """Apply changes to a document; the result may be invalid JSON."""
    whole = [json.loads(text)]
    for number, (kind, path, _) in enumerate(edits):
        _edit(whole, kind, path, f"@{number}@")
    edited = json.dumps(whole[0])
    for number, (_, _, replacement) in enumerate(edits):
        edited = edited.replace(f'"@{number}@"', replacement)
    return edited


def _edit(whole: list[Any], kind: str, path: Sequence[float], mark: str) -> None:
    inside: Any = whole
    key: Any = 0
    for share in path:
        below = inside[key]
        if not isinstance(below, dict | list) or not below:
            break
        keys = list(below) if isinstance(below, dict) else range(len(below))
        inside = below
        key = keys[int(share * len(keys))]
    if kind == "add" and isinstance(inside[key], dict):
        inside[key][mark] = mark
    elif kind == "drop" and inside is not whole:
        del inside[key]
    elif kind == "rename" and isinstance(inside, dict):
        inside[f"{key}x"] = inside.pop(key)
    else:
        inside[key] = mark
