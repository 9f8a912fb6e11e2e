"""Who plays the seats that do not learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from kododo_env.core.agent import Agent, RandomAgent

Opponents = Agent | Sequence[Agent] | None


def is_agent(candidate: object) -> TypeGuard[Agent]:
    """Whether it can play: an object, not a class, with a name and ``act``."""
    return isinstance(candidate, Agent) and not isinstance(candidate, type)


def one_for_each(opponents: Opponents, places: int) -> list[Agent]:
    """One agent for each place.

    Args:
        opponents: None for random legal play, one agent for all places, or as many as
            there are places.
        places: How many.

    Raises:
        ValueError: They are not agents, or not one for each place.
    """
    if opponents is None:
        opponents = RandomAgent()
    if is_agent(opponents):
        return [opponents] * places
    if not isinstance(opponents, list | tuple) or not all(is_agent(each) for each in opponents):
        raise ValueError(
            "opponents must be None, an agent (an object with a name and act(view, rng)) or "
            f"a list of agents, not {opponents!r}"
        )
    if len(opponents) != places:
        raise ValueError(
            f"there must be {places} opponents, one for each other seat, not {len(opponents)}"
        )
    return list(opponents)


def seated(opponents: Sequence[Agent | None] | None, num_players: int) -> list[Agent | None]:
    """One agent, or None for a learner, for each seat.

    Raises:
        ValueError: They are not one for each seat, not agents, or leave no learner.
    """
    if opponents is None:
        return [None] * num_players
    if not isinstance(opponents, list | tuple) or not all(
        each is None or is_agent(each) for each in opponents
    ):
        raise ValueError(
            "opponents must be a list with an agent (an object with a name and act(view, rng)) "
            f"or None for each seat, not {opponents!r}"
        )
    if len(opponents) != num_players:
        raise ValueError(
            f"opponents must be {num_players}, one for each seat, None for a learner; "
            f"not {len(opponents)}"
        )
    if None not in opponents:
        raise ValueError("opponents play all seats; leave None where the learner sits")
    return list(opponents)
