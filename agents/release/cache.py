"""Findings that took long, kept in files under what they depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.training.run_folder import write_json


def kept(path: Path, heading: dict[str, Any], find: Callable[[], Any]) -> Any:
    """What was found before under the same heading, or else what ``find`` finds.

    Args:
        path: The JSON file in which it is kept.
        heading: All that the finding depends on, as JSON.
        find: Finds it, as JSON.
    """
    found = read_kept(path, heading)
    if found is None:
        found = find()
        write_json(path, {"heading": heading, "found": found})
    return found


def read_kept(path: Path, heading: dict[str, Any]) -> Any:
    """What is kept, None if there is nothing of that heading."""
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_text())
        return content["found"] if content["heading"] == heading else None
    except (KeyError, TypeError, ValueError, RecursionError):
        return None  # damaged: it is found again


def fingerprint(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
