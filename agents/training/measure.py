"""How a bot fares against a game's baselines."""

from __future__ import annotations

from typing import Any

from agents.training.training_config import Task
from kododo_env import agent_registry as registry
from kododo_env.arena.match import Duel, duel
from kododo_env.core.agent import Agent


def against_baselines(agent: Agent, task: Task, games: int, seed: int) -> dict[str, Duel]:
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
        name: duel(
            agent,
            registry.make_agent(name, task.game),
            task.game,
            task.num_players,
            max(games, task.num_players),
            seed,
            **rules,
        )
        for name in registry.baselines(task.game)
    }


def results(duels: dict[str, Duel]) -> dict[str, Any]:
    """Duels as JSON."""
    return {
        name: {
            "share": each.share.to_json(),
            "margin": each.margin.to_json(),
            "points": each.points.to_json(),
        }
        for name, each in duels.items()
    }


def table(duels: dict[str, Duel]) -> str:
    """Duels as an aligned table."""
    lines = ["opponents      win share  95 % interval     margin   points"]
    for name, each in duels.items():
        share = each.share
        interval = f"{share.low:.3f} – {share.high:.3f}"
        lines.append(
            f"{name:<14} {share.mean:9.3f}  {interval}  {each.margin.mean:+9.2f} "
            f"{each.points.mean:8.2f}"
        )
    return "\n".join(lines)
