"""Measure each game's scripted players: ``make baselines`` writes docs/baselines.json.

Each player plays one seat against copies of the next weaker player, of random, and of the next
stronger player. This takes some minutes. ``docs/update_tables.py`` makes the tables of the games'
pages.
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
    """Return pairs of names: an agent, and the opponent whose copies it plays against."""
    weakest, *stronger_agents = baselines(game)
    matches = [(agent, weakest) for agent in stronger_agents]
    for weaker, stronger in pairwise(stronger_agents):
        matches += [(stronger, weaker), (weaker, stronger)]
    return matches


def shares(game: str, players: int) -> dict[str, float]:
    """Return the win share of each pair, as ``agent v opponent``."""
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
