"""Time decisions of the shipped policies and of search, for one position and for many.

The positions come from random legal play in which the first seat has a choice. The time includes
writing the observation. Times are CPU times of the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pkgutil import resolve_name
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.speed.figures import PLAYERS, Bench, Sample, SkippedBench
from benchmarks.speed.recorded_games import RecordedGames
from kododo_env import registry
from kododo_env.agent_registry import make_agent, policy_tables, shipped
from kododo_env.core.agent import Agent

GAME = next(iter(registry.ENVIRONMENT_MODULES))
POLICY = f"{GAME}-{PLAYERS}p"  # the policy that the measured search uses
MANY_GAMES = 1000
WORLDS = 64
MANY_SEARCHED = 64
FEW_STEPS = 4  # slow agents only decide at every fourth step
MILLISECONDS = 50
SEAT = 0


def benches() -> Iterator[Bench]:
    """Yield the benchmarks of all policies, then of search."""
    for name, (game, players) in policy_tables().items():
        if name in shipped():
            single = partial(DecisionBench, name, game, players, 1, games=4)
            batch = partial(DecisionBench, name, game, players, MANY_GAMES, every=FEW_STEPS)
            yield Bench(f"decision/{name}/1", partial(decided, single))
            yield Bench(f"decision/{name}/{MANY_GAMES}", partial(decided, batch))
    search = f"search:{POLICY}"
    for num in (1, MANY_SEARCHED):
        searched = partial(DecisionBench, f"{search}:{WORLDS}", GAME, PLAYERS, num, every=FEW_STEPS)
        yield Bench(f"decision/{search}:{WORLDS}/{num}", partial(decided, searched), max_rounds=3)
    yield Bench(f"decision/{search}:{MILLISECONDS}ms/1", partial(worlds_in_time, search))


class DecisionBench:
    """Games in which an agent decides for the first seat; its decisions are not played.

    Args:
        agent: The name of the agent.
        game: The name of the game.
        players: P.
        num: Number of positions that are decided at once.
        games: Number of games that are played one after the other, for a longer measuring time.
        every: The agent decides at every step (1), at every second step (2), ...

    Attributes:
        positions: The number of positions decided so far.
    """

    def __init__(
        self, agent: str, game: str, players: int, num: int, games: int = 1, every: int = 1
    ) -> None:
        self.agent: Agent = make_agent(agent, game)
        module = registry.environment_module(game)
        self.recorded = [
            RecordedGames(module.batch_game(num, num_players=players, seed=seed))
            for seed in range(games)
        ]
        self.num = num
        self.every = every
        self.positions = 0

    def seconds(self) -> float:
        """Return the mean time for one position."""
        positions_before = self.positions
        seconds = 0.0
        rng = np.random.default_rng(0)
        for recorded in self.recorded:
            game = recorded.game
            recorded.rewind()
            game.reset()
            for index, actions in enumerate(recorded.actions):
                if index % self.every == 0 and game.deciding()[:, SEAT].any():
                    view = game.view(SEAT)
                    start = process_time()
                    self.agent.act(view, rng)
                    seconds += process_time() - start
                    self.positions += self.num
                game.step(actions)
        return seconds / (self.positions - positions_before)


def decided(make: Callable[[], DecisionBench]) -> Sample:
    """Return a sampler of microseconds per position."""
    decisions = make()
    return lambda: {"decision": decisions.seconds() * 1e6}


def worlds_in_time(search: str) -> Sample:
    """Return a sampler of the number of worlds that a search with a time budget evaluates."""
    timed = DecisionBench(f"{search}:{MILLISECONDS}ms", GAME, PLAYERS, 1, every=FEW_STEPS)
    timed.seconds()  # models that search fits once are not timed

    def sample() -> dict[str, float]:
        with counted() as worlds:
            positions_before = timed.positions
            seconds = timed.seconds()
        if not worlds:
            raise SkippedBench("search does not use _try_worlds")
        worlds_per_position = sum(worlds) / (timed.positions - positions_before)
        return {"worlds": worlds_per_position * MILLISECONDS / 1000 / seconds}

    return sample


@contextmanager
def counted() -> Iterator[list[int]]:
    """Record, within the context, the number of worlds in which a search tries its candidates, by
    call.
    """
    calls: list[int] = []
    kind: Any = resolve_name("kododo_env.search.search:_Search")
    tried = kind._try_worlds

    def try_worlds(search: Any, worlds: int) -> None:
        calls.append(worlds)
        tried(search, worlds)

    with patch.object(kind, "_try_worlds", try_worlds):
        yield calls
