"""Whether what a file of results has was made in the same way, so that it is gone on with."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from agents.recipes.recipe import Recipe
from kododo_env.agent_registry import policy_file, search_parts
from kododo_env.core.numbers import shown
from kododo_env.system.files import fingerprint


def check_known(kind: str, names: Collection[str], known: Collection[str]) -> None:
    """Raise ValueError unless all names are known."""
    for name in names:
        if name not in known:
            raise ValueError(f"unknown {kind} {shown(name)}; choose from {'; '.join(known)}")


def as_json(content: dict[str, Any]) -> dict[str, Any]:
    """A copy as it comes out of a file."""
    found: dict[str, Any] = json.loads(json.dumps(content))
    return found


def row_of(what: str, changes: dict[str, Any], recipe: Recipe) -> dict[str, Any]:
    """A row that has no seeds yet."""
    return as_json({"what": what, "changes": changes, "recipe": asdict(recipe), "seeds": []})


def same(row: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether the seeds of a row are those of a row that is to be trained now."""
    return bool(row["changes"] == now["changes"]) and alike(row.get("recipe", {}), now["recipe"])


def alike(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether settings are alike; one that there was not yet had no effect."""
    before = {**asdict(Recipe()), **before}
    return all(before[name] == value for name, value in now.items())


def file_of(agent: str) -> str:
    """By which another policy file of the same agent is known, 12 digits; "" if it has none.

    A search has its policy's.
    """
    path = policy_file(search_parts(agent)[1])
    return fingerprint(path)[:12] if path and path.exists() else ""
