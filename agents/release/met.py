"""Whom a bot has met in its training, as far as its file tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def met(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """From the recipe that a policy's training facts hold.

    Args:
        recipe: The fields of ``agents.recipes.recipe.Recipe``.

    Returns:
        As JSON: whom it has ``imitated``, and the ``opponents`` that it had (scripted players,
        or policies by name or file), by name with their share of the training; and the share
        of ``itself`` as the opponent.
    """
    imitated = recipe["imitation_share"] if recipe["expert"] else 0.0
    names = recipe["opponents"]
    each = (1 - imitated) * recipe["opponents_share"] / max(1, len(names))
    opponents = {name: names.count(name) * each for name in dict.fromkeys(names) if each}
    return {
        "imitated": {recipe["expert"]: imitated} if imitated else {},
        "opponents": opponents,
        "itself": 1 - imitated - sum(opponents.values()),
    }


def met_in_words(found: Mapping[str, Any]) -> str:
    """What ``met`` returns as a part of a sentence, the shares in percent."""

    def named(shares: Mapping[str, float]) -> str:
        return " and ".join(f"{name} ({100 * share:.0f} %)" for name, share in shares.items())

    parts = [f"it imitated {named(found['imitated'])}"] if found["imitated"] else []
    opponents = found["opponents"] | ({"itself": found["itself"]} if found["itself"] else {})
    if opponents:
        parts.append(f"played against {named(opponents)}")
    return ", then ".join(parts)


def role(name: str, found: Mapping[str, Any]) -> str:
    """What a player was in the training that ``met`` tells of: "imitated", "opponent" or ""."""
    roles = {"imitated": found["imitated"], "opponent": found["opponents"]}
    return ", ".join(each for each, names in roles.items() if name in names)
