"""The strength of the scripted players, one against copies of another."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env.arena.head_to_head import Match
from kododo_env.baselines.kado import HeuristicAgent
from kododo_env.core import Agent
from tests.games.kado.written_deals import no_challenge


def share(game: str, agent: Agent | str, opponents: str, players: int, games: int) -> float:
    """Return the agent's share of the victory, with each deck played from every seat."""
    return Match(agent, opponents, game, players, games, seed=100).play().share.mean


@pytest.mark.parametrize(
    ("game", "agent", "opponents", "players", "at_least"),
    [
        ("kododo", "greedy", "random", 2, 0.51),
        ("kododo", "follow", "random", 2, 0.92),
        ("kododo", "follow", "random", 4, 0.55),
        ("kododo", "heuristic", "random", 2, 0.98),
        ("kododo", "heuristic", "random", 4, 0.61),
        ("kododo", "heuristic", "follow", 2, 0.82),
        ("kododo", "heuristic", "follow", 3, 0.56),
        ("kododo", "heuristic", "follow", 4, 0.38),
        ("kododo", "heuristic", "follow", 5, 0.26),
        ("kododo", "held-out:plain-heuristic", "follow", 4, 0.32),
        ("kododo", "heuristic", "held-out:plain-heuristic", 4, 0.26),
        ("combi_combo", "greedy", "random", 4, 0.43),
        ("combi_combo", "greedy", "random", 5, 0.37),
        ("combi_combo", "heuristic", "random", 4, 0.75),
        ("combi_combo", "heuristic", "random", 5, 0.69),
        ("combi_combo", "heuristic", "greedy", 4, 0.53),
        ("combi_combo", "heuristic", "greedy", 5, 0.44),
        ("kado", "greedy", "random", 2, 0.78),
        ("kado", "greedy", "random", 3, 0.67),
        ("kado", "greedy", "random", 4, 0.60),
        ("kado", "heuristic", "random", 2, 0.95),
        ("kado", "heuristic", "random", 3, 0.89),
        ("kado", "heuristic", "random", 4, 0.87),
        ("kado", "heuristic", "greedy", 2, 0.82),
        ("kado", "heuristic", "greedy", 3, 0.65),
        ("kado", "heuristic", "greedy", 4, 0.59),
    ],
)
def test_the_better_one_wins_clearly_more_than_its_share(
    game: str, agent: str, opponents: str, players: int, at_least: float
) -> None:
    """Uses a fixed seed; the bounds are well below precise measurements."""
    games = {"kododo": 1200, "combi_combo": 400 * players, "kado": 150 * players}[game]
    assert share(game, agent, opponents, players, games) > at_least


def test_one_greedy_among_heuristics_gets_little_in_combi_combo() -> None:
    assert share("combi_combo", "greedy", "heuristic", 4, 1600) < 0.09


def test_a_player_who_always_passes_loses_by_it_in_kado() -> None:
    class Silent(HeuristicAgent):
        def act(self, view: object, rng: np.random.Generator) -> np.ndarray:
            chosen = super().act(view, rng)  # type: ignore[arg-type]
            legal = view.legal_action_mask  # type: ignore[attr-defined]
            return np.where(legal[:, no_challenge(3)], no_challenge(3), chosen)

    assert share("kado", Silent(), "heuristic", 3, 1200) < 0.15
