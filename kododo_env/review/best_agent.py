"""The agent that advises people if they choose none."""

from __future__ import annotations

from contextlib import suppress

from kododo_env.agent_registry import baselines, load, make_agent, shipped
from kododo_env.core.agent import Agent, check_agents
from kododo_env.core.batch_game import BatchGame


def best_agent(game: BatchGame) -> Agent:
    """Return the policy that ships for a batch's game and rules, or the best scripted player."""
    policy = f"{game.name}-{game.num_players}p"
    if policy in shipped():
        agent = load(policy)
        with suppress(ValueError):  # the policy may be for other rules
            check_agents(game, [agent])
            return agent
    return make_agent(baselines(game.name)[-1], game.name)
