"""How a bot fares against a game's baselines."""

from __future__ import annotations

from typing import Any

from agents.training.training_config import Task
from kododo_env import agent_registry as registry
from kododo_env.arena.match import Match, MatchResult
from kododo_env.arena.tables import table as aligned
from kododo_env.core.agent import Agent


def against_baselines(agent: Agent, task: Task, games: int, seed: int) -> dict[str, MatchResult]:
    """Play one agent against P - 1 copies of each baseline of its game.

    Args:
        agent: The agent that is measured.
        task: The game and its rules.
        games: How many against each.
        seed: The same seed deals the same decks.

    Returns:
        By the baseline's name, the weakest first.
    """
    rules = {name: value for name, value in task.rules.items() if name != "num_players"}
    return {
        name: Match(
            agent, name, task.game, task.num_players, max(games, task.num_players), seed, rules
        ).play()
        for name in registry.baselines(task.game)
    }


def results(measured: dict[str, MatchResult]) -> dict[str, Any]:
    """Results as JSON."""
    return {name: each.to_json() for name, each in measured.items()}


def table(measured: dict[str, MatchResult]) -> str:
    """Results as an aligned table."""
    rows = [("opponents", "win share", "95 %", "margin", "points")]
    for name, each in measured.items():
        margin, points = f"{each.margin.mean:+.2f}", f"{each.points.mean:.2f}"
        rows.append((name, *each.share.texts(".3f"), margin, points))
    return aligned(rows)
