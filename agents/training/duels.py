"""Matches of an agent against scripted players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.training.training_config import Task
from kododo_env.agent_registry import baselines
from kododo_env.arena.head_to_head import Match, MatchResult
from kododo_env.core.agent import Agent
from kododo_env.system.text_table import table as aligned


def against(
    agent: Agent, task: Task, games: int, seed: int, names: Sequence[str] | None = None
) -> dict[str, MatchResult]:
    """Play an agent against P - 1 copies of each of several players, with the same decks.

    Args:
        agent: The agent.
        task: The game and its rules.
        games: The number of games against each player.
        seed: The seed of the decks.
        names: The names of the players; None: the game's baselines, the weakest first.
    """
    settings = task.game, task.num_players, games, seed, task.further_rules
    names = baselines(task.game) if names is None else names
    return {name: Match(agent, name, *settings).play() for name in names}


def results(measured: dict[str, MatchResult]) -> dict[str, Any]:
    """Return the results of matches for JSON."""
    return {name: duel.to_json() for name, duel in measured.items()}


def table(measured: dict[str, MatchResult]) -> str:
    """Return the results of matches as an aligned table."""
    rows = [("opponents", "win share", "95 %", "margin", "points")]
    for name, duel in measured.items():
        margin = f"{duel.margin.mean:+z.2f}"
        points = f"{duel.points.mean:.2f}"
        rows.append((name, *duel.share.texts(".3f"), margin, points))
    return aligned(rows)
