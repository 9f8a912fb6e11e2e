"""Results that took long, cached in JSON files beside all that they depend on."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from kododo_env.system.files import write_json


def cached(path: Path, key: dict[str, Any], find: Callable[[], Any]) -> Any:
    """What a file holds for a key, or else what ``find`` finds, which is written there.

    Args:
        path: The JSON file; one that is damaged holds nothing.
        key: All that the result depends on, as JSON.
        find: Finds it, as JSON.
    """
    try:
        content = json.loads(path.read_text())
        if content["key"] == key:
            return content["found"]
    except (OSError, KeyError, TypeError, ValueError, RecursionError):
        pass
    found = find()
    write_json(path, {"key": key, "found": found})
    return found


def fingerprint(path: Path) -> str:
    """SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()
