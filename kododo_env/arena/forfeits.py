"""Tournaments of bots that may fail: after a fault the turn is played at random.

The results are the same on every machine, unless a bot exceeds its time limit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from kododo_env.arena.match import Chunk, ChunkResult
from kododo_env.arena.tournament import Tournament
from kododo_env.arrays.dtypes import Integer
from kododo_env.bots.names import EXEC, FILE
from kododo_env.bots.time_limit import LOADING, call_within
from kododo_env.core.agent import Agent, begin, choice_of, random_legal_actions
from kododo_env.core.view import View
from kododo_env.search.search import SearchAgent

BOT = "Bot"  # the class of a bot in Python
MOST_FAULTS = 3  # at a table; afterwards the bot plays at random
Result = TypeVar("Result")


class ForfeitingAgent:
    """Wraps an agent: plays at random in turns in which the agent fails, and after three faults.

    Args:
        agent: The agent. It fails if it exceeds its time, plays an illegal action, has exited, or
            raises ValueError.
        seconds: The time limit of a decision; for a batch, it is multiplied by the number of games.

    Attributes:
        faults: The messages of its faults at this table.
    """

    def __init__(self, agent: Agent, seconds: float) -> None:
        self.name = agent.name
        self.faults = list[str]()
        self._agent = agent
        self._seconds = seconds
        self._is_bot = hasattr(agent, "bot_seconds")
        if self._is_bot:  # a bot enforces the time limit; its class may be a frozen dataclass
            object.__setattr__(agent, "bot_seconds", seconds)

    def begin(self, view: View) -> None:
        """Let the agent reset its memory, if it has one."""
        self._unless_it_fails(partial(begin, self._agent, view), view)

    def act(self, view: View, rng: np.random.Generator) -> Integer:
        """Return the agent's action in each game, or a random one if it fails; shape (N,)."""
        chosen = self._unless_it_fails(partial(choice_of, self._agent, view, rng), view)
        return random_legal_actions(view.legal_action_mask, rng) if chosen is None else chosen

    def _unless_it_fails(self, call: Callable[[], Result], view: View) -> Result | None:
        """Return the result of a call; None if it fails, or has failed too often before."""
        if len(self.faults) == MOST_FAULTS:
            return None
        try:
            if self._is_bot:
                return call()
            return call_within(self._seconds, call, self.name, games=view.num_envs)
        except ValueError as error:
            self.faults.append(str(error))
            return None


@dataclass(frozen=True)
class FolderTournament(Tournament):
    """A tournament of bots whose paths are relative to a folder.

    Args:
        folder: The folder of the bots, which becomes the working directory of the processes that
            play.
        seconds: The time limit of a decision.
    """

    folder: Path = Path()
    seconds: float = 2.0

    def named(self) -> Sequence[str]:
        """Return the names for ``make_agent``, with ``:Bot`` added to Python files."""
        return [
            f"{agent}:{BOT}" if agent.endswith(FILE) and not agent.startswith(EXEC) else agent
            for agent in self.agents
        ]

    def load_agents(self) -> list[Agent]:
        """Return a ``ForfeitingAgent`` for each agent.

        Searches are prepared, so that their first decision does not take longer.

        Raises:
            ValueError: An agent is unknown or cannot be loaded.
        """
        os.chdir(self.folder)
        agents = super().load_agents()
        for agent in agents:
            if isinstance(agent, SearchAgent):
                agent.prepare(self.make_game(1))
        return [ForfeitingAgent(agent, self.seconds) for agent in agents]

    def play_chunk(self, chunk: Chunk, agents: Sequence[Agent]) -> ChunkResult:
        """Play a chunk; ``recorded`` has the faults of each agent of the tournament."""
        forfeiting = [agent for agent in agents if isinstance(agent, ForfeitingAgent)]
        for agent in forfeiting:
            agent.faults = []
        result = super().play_chunk(chunk, agents)
        return replace(result, recorded=tuple(agent.faults for agent in forfeiting))


def try_out(played: FolderTournament) -> str | None:
    """Play the tournament's only chunk and return the first bot's first error, or None.

    Call it in a worker process, since it changes the working directory.
    """
    try:
        agents = call_within(LOADING, played.load_agents, played.agents[0], "is not loaded")
        (chunk,) = played.chunks()
        return next(iter(played.play_chunk(chunk, agents).recorded[0]), None)
    except (ValueError, ImportError) as error:
        return str(error)
