"""All agents work if numpy errors and Python warnings raise."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import count

import numpy as np
import pytest

from kododo_env import agent_registry, registry
from kododo_env.agent_registry import SEARCHES, make_agent
from kododo_env.core.agent import (
    Agent,
    ProbabilisticAgent,
    RatingAgent,
    ValueAgent,
    random_legal_actions,
)
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View
from kododo_env.held_out import SPLITS, held_out, population
from kododo_env.levels import LEVELS, SEARCHING
from kododo_env.rules_arguments import default_players
from kododo_env.search.search import SearchAgent


@pytest.fixture(autouse=True)
def strict_script() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        yield


def agent_names(game: str, players: int) -> Iterator[str]:
    """Return the agents of a table, without searches."""
    yield from agent_registry.scripted(game)
    yield from (f"held-out:drawn-{seed}" for seed in range(3))
    for name in held_out(game, players):
        if not name.startswith(SEARCHES):
            yield name
    yield from (level for level in LEVELS if level != SEARCHING)
    for half in SPLITS:
        yield from population(game, players, half)


def moments(
    game: str, players: int, num_envs: int, share: float
) -> Iterator[tuple[int, BatchGame]]:
    """Return a sample of positions of random play, including unusual ones."""
    rng = np.random.default_rng(0)
    played = registry.batch_game(game, num_envs, 0, num_players=players)
    for step in count():
        if played.terminated.all():
            return
        player = step % players
        if played.deciding()[:, player].any() and rng.random() < share:
            yield player, played
        played.step(random_legal_actions(played.legal_action_mask(), rng))


def ask(agent: Agent, view: View) -> None:
    """Compute everything that an agent returns about a position."""
    agent.act(view, np.random.default_rng(0))
    if isinstance(agent, ProbabilisticAgent):
        agent.probabilities(view)
    if isinstance(agent, ValueAgent):
        agent.value(view)
    if isinstance(agent, RatingAgent):
        agent.action_values(view)


@pytest.mark.parametrize("game", registry.ENVIRONMENT_MODULES)
def test_agents(game: str) -> None:
    players = default_players(game)
    agents = [make_agent(name, game, players) for name in dict.fromkeys(agent_names(game, players))]
    for player, played in moments(game, players, 16, 0.3):
        for agent in agents:
            ask(agent, played.view(player))


@pytest.mark.parametrize("game", registry.ENVIRONMENT_MODULES)
def test_searches(game: str) -> None:
    """Regression: ``underflow encountered in exp`` in the middle of a game."""
    players = default_players(game)
    policy = f"{game}-{players}p"
    names = [
        f"{kind}{setting}"
        for kind in SEARCHES
        for setting in ("heuristic:8", f"{policy}:8", "random:5ms")
    ]
    agents = [make_agent(name, game, players) for name in (*names, SEARCHING)]
    for player, played in moments(game, players, 2, 0.1):
        for agent in agents:
            agent.act(played.view(player), np.random.default_rng(0))
            if isinstance(agent, SearchAgent):
                agent.probability(played.view(player), 2, np.random.default_rng(0))
