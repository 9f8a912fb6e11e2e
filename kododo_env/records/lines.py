"""The lines of a record: digests, fields, and line numbers in messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kododo_env.checks.numbers import quote
from kododo_env.system.digests import json_digest
from kododo_env.system.json_text import parse_json

DIGEST = "digest"
DIGITS = 8  # of a digest, enough to detect mistakes


def sealed(content: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return a line with its digest, which covers all other fields and the previous line.

    Args:
        content: The fields of the line; an existing digest is replaced.
        before: The digest of the previous line; empty for the first line.
    """
    undigested = {name: field for name, field in content.items() if name != DIGEST}
    return undigested | {DIGEST: json_digest(undigested, before, DIGITS)}


def check_sealed(line: Mapping[str, Any], before: str = "") -> None:
    """Raise ValueError unless the digest of a line matches its fields and the previous line."""
    if line.get(DIGEST) != sealed(line, before)[DIGEST]:
        raise ValueError(f"the line was modified: wrong digest {quote(line.get(DIGEST))}")


def check_keys(content: Mapping[str, Any], names: set[str]) -> None:
    """Raise ValueError unless an object, such as a line, has exactly these fields."""
    for name in sorted(names ^ set(content), key=str):
        problem = "missing" if name in names else "unknown"
        raise ValueError(f"{problem} field {quote(name)}; expected {', '.join(sorted(names))}")


def parse_object(line: str | bytes) -> dict[str, Any]:
    """Parse a JSON object, such as a line of a record.

    Raises:
        ValueError: The text is not a JSON object, or has a name twice.
    """
    try:
        content = parse_json(line, object_pairs_hook=_unique_names)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"not JSON, or truncated: {quote(line)}") from error
    if not isinstance(content, dict):
        raise ValueError(f"expected a JSON object, got {quote(line)}")
    return content


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise ValueError if a name occurs twice in it."""
    content: dict[str, Any] = {}
    for name, field in pairs:
        if name in content:
            raise ValueError(f"duplicate name {quote(name)} in a JSON object")
        content[name] = field
    return content


def where(source: str, line: int) -> str:
    """Return the file and the line number for messages; an empty ``source`` is left out."""
    return f"{source}, line {line}" if source else f"line {line}"


@contextmanager
def at_line(source: str, line: int) -> Iterator[None]:
    """Add the file and the line number to the message of a ValueError raised in the block."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{where(source, line)}: {error}") from error
