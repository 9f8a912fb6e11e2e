"""Compare the settings of results in a file with those of a command that resumes."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from agents.recipes.recipe import Recipe
from kododo_env.agent_registry import policy_file, search_parts
from kododo_env.checks.numbers import quote
from kododo_env.system.files import fingerprint


def check_names(kind: str, names: Collection[str], choices: Collection[str]) -> None:
    """Raise ValueError unless all names are among the choices."""
    for name in names:
        if name not in choices:
            raise ValueError(f"unknown {kind} {quote(name)}; choose from {'; '.join(choices)}")


def as_json(content: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of an object as it is read back from a JSON file."""
    copy: dict[str, Any] = json.loads(json.dumps(content))
    return copy


def new_row(name: str, changes: dict[str, Any], recipe: Recipe) -> dict[str, Any]:
    """Return a row without results."""
    return as_json({"what": name, "changes": changes, "recipe": asdict(recipe), "seeds": []})


def is_same_training(before: dict[str, Any], row: dict[str, Any]) -> bool:
    """Return whether an earlier row was trained like a row that is to be trained."""
    same_changes = bool(before["changes"] == row["changes"])
    return same_changes and is_same_recipe(before.get("recipe", {}), row["recipe"])


def is_same_recipe(before: dict[str, Any], recipe: dict[str, Any]) -> bool:
    """Return whether recipes are equal; a setting that the earlier one lacks had its default."""
    before = {**asdict(Recipe()), **before}
    return all(before[name] == setting for name, setting in recipe.items())


def file_of(agent: str) -> str:
    """Return the first 12 digits of the SHA-256 of an agent's policy file; "" if it has no file.

    The file of a search is the file of its policy.
    """
    path = policy_file(search_parts(agent)[1])
    return fingerprint(path)[:12] if path and path.exists() else ""
