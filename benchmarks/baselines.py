"""How each game's scripted players fare: ``make baselines`` writes docs/baselines.json.

Each plays alone against copies of the next weaker one, of random, and of the next stronger one.
It takes some minutes; ``docs/update_tables.py`` makes the tables of the games' pages from it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from kododo_env import registry
from kododo_env.agent_registry import baselines
from kododo_env.arena.match import Match
from kododo_env.commands.cli import run_cli
from kododo_env.system.files import write_text

FOUND = Path(__file__).parents[1] / "docs" / "baselines.json"
GAMES = 8_000


def pairs(game: str) -> list[tuple[str, str]]:
    """The pairs that play: one agent, and another one of which there are copies."""
    weakest, *others = baselines(game)
    found = [(one, weakest) for one in others]
    for weaker, stronger in pairwise(others):
        found += [(stronger, weaker), (weaker, stronger)]
    return found


def shares(game: str, players: int) -> dict[str, float]:
    """The win shares of a game's pairs."""
    return {
        f"{one} v {copies}": Match(one, copies, game, players, GAMES).play().share.mean
        for one, copies in pairs(game)
    }


@dataclass(frozen=True)
class BaselinesConfig:
    """Let the scripted players play each other, and write their shares."""


def play_all(_: BaselinesConfig) -> None:
    """Play the pairs of all games and numbers of players."""
    found = {
        game: {str(players): shares(game, players) for players in registry.door(game).PLAYERS}
        for game in registry.DOORS
    }
    write_text(FOUND, json.dumps({"games": GAMES, "shares": found}, indent=1) + "\n")


if __name__ == "__main__":
    run_cli(BaselinesConfig, play_all)
