"""The levels of the shipped policies, from ``level-1``, the weakest, to ``level-5``."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

LEVEL = "level-"
LEVEL_WORDS = {
    f"{LEVEL}1": "easy",
    f"{LEVEL}2": "medium",
    f"{LEVEL}3": "hard",
    f"{LEVEL}4": "expert",
    f"{LEVEL}5": "strongest",
}
LEVELS = tuple(LEVEL_WORDS)
WEAKER = LEVELS[:3]  # these levels play the shipped policy at a higher temperature
EASY = LEVELS[0]
MEDIUM = LEVELS[1]
AS_IT_SHIPS = LEVELS[3]
SEARCHING = LEVELS[4]
# The settings and the measured strength of the levels, for each game and number of players.
LEVELS_FILE = Path(str(resources.files("kododo_env.policy"))) / "data" / "levels.json"


def levels(game: str, players: int) -> dict[str, dict[str, Any]]:
    """Return the levels of a game, the weakest first; all use the shipped policy.

    Args:
        game: The game's name.
        players: P, the number of players.

    Returns:
        A dict for each level, by its name for ``make_agent``. Its keys are ``temperature``, the
        policy's temperature, or ``search``, the budget of a search that uses the policy; and
        ``share``, the win share in ``games`` games against P - 1 copies of the policy.

    Raises:
        ValueError: No policy is shipped for this game and number of players.
    """
    tables = json.loads(LEVELS_FILE.read_text("utf-8"))
    facts: dict[str, dict[str, Any]] = tables.get(f"{game}-{players}p", {}).get("levels", {})
    if not facts:
        raise ValueError(
            f"{game} with {players} players has no levels, because it has no shipped policy"
        )
    return facts
