"""Recipes beside results: whether what a file has was trained in the same way."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from agents.recipes.recipe import Recipe


def as_json(recipe: Recipe) -> dict[str, Any]:
    """A recipe's settings, as they come out of a file."""
    found: dict[str, Any] = json.loads(json.dumps(asdict(recipe)))
    return found


def alike(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether settings are alike; one that there was not yet had no effect."""
    before = {**asdict(Recipe()), **before}
    return all(before[name] == value for name, value in now.items())
