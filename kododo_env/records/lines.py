"""The lines of a record, all alike: their digests, their fields, how they are named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kododo_env.core.numbers import shown

DIGEST = "digest"
DIGITS = 8  # against mistakes; a forger of records can reckon a digest too


def sealed(content: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """A line with its digest, which is of all other fields and of the line before.

    Args:
        content: The fields, with a digest or without.
        before: The digest of the line before.
    """
    rest = {name: value for name, value in content.items() if name != DIGEST}
    text = before + json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return rest | {DIGEST: hashlib.sha256(text.encode()).hexdigest()[:DIGITS]}


def check_sealed(line: Mapping[str, Any], before: str = "") -> None:
    """Raise ValueError if a line is not as it was written, or does not follow the one before."""
    if line.get(DIGEST) != sealed(line, before)[DIGEST]:
        raise ValueError(f"the line has been changed: {shown(line.get(DIGEST))} is not its digest")


def check_keys(content: Mapping[str, Any], wanted: set[str]) -> None:
    """Raise ValueError unless a line has these fields and no others."""
    for name in sorted(wanted ^ set(content)):
        what = "is missing" if name in wanted else "is none of a record's fields"
        raise ValueError(f"{shown(name)} {what}")


def where(source: str, line: int) -> str:
    """A line of a file, for messages; a source that is empty is none."""
    return f"{source}, line {line}" if source else f"line {line}"


@contextmanager
def at_line(source: str, line: int) -> Iterator[None]:
    """A ValueError inside says in which line of which file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{where(source, line)}: {error}") from error
