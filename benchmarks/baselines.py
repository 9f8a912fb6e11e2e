"""Measure each game's scripted players: ``make baselines`` writes docs/baselines.json.

Each plays alone against copies of the next weaker one, of random, and of the next stronger one.
This takes some minutes; ``docs/update_tables.py`` makes the tables of the games' pages from it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from kododo_env import registry
from kododo_env.agent_registry import baselines
from kododo_env.arena.head_to_head import Match
from kododo_env.commands.cli import run_cli
from kododo_env.system.files import write_text

RESULTS = Path(__file__).parents[1] / "docs" / "baselines.json"
GAMES = 8_000


def pairs(game: str) -> list[tuple[str, str]]:
    """Return the pairs that play: a single agent, and the agent whose copies it meets."""
    weakest, *stronger_agents = baselines(game)
    matches = [(agent, weakest) for agent in stronger_agents]
    for weaker, stronger in pairwise(stronger_agents):
        matches += [(stronger, weaker), (weaker, stronger)]
    return matches


def shares(game: str, players: int) -> dict[str, float]:
    """Return the win shares of a game's pairs."""
    return {
        f"{agent} v {copies}": Match(agent, copies, game, players, GAMES).play().share.mean
        for agent, copies in pairs(game)
    }


@dataclass(frozen=True)
class BaselinesConfig:
    """Let the scripted players play each other, and write their win shares."""


def play_all(_: BaselinesConfig) -> None:
    """Play the pairs of all games and numbers of players."""
    results = {
        game: {
            str(players): shares(game, players)
            for players in registry.environment_module(game).PLAYERS
        }
        for game in registry.ENVIRONMENT_MODULES
    }
    write_text(RESULTS, json.dumps({"games": GAMES, "shares": results}, indent=1) + "\n")


if __name__ == "__main__":
    run_cli(BaselinesConfig, play_all)
