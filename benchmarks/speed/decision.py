"""What a decision costs: the policies that ship, and search, for one position and for many.

Positions are those of random legal play in which the first seat has a choice. Each is looked at
again, so writing its observation counts. Time is that of the process.
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

from benchmarks.speed.figures import PLAYERS, Bench, LeftOut, Sample
from benchmarks.speed.recorded import Recorded
from kododo_env import registry
from kododo_env.agent_registry import make_agent, policy_tables, shipped
from kododo_env.core.agent import Agent

GAME = next(iter(registry.DOORS))
POLICY = f"{GAME}-{PLAYERS}p"  # what search is measured with
MANY_GAMES = 1000
WORLDS, MANY_SEARCHED = 64, 64
FEW_STEPS = 4  # of what takes long only every fourth step: each turn of a round in turn
MILLISECONDS = 50
SEAT = 0


def benches() -> Iterator[Bench]:
    """All policies, then search."""
    for name, (game, players) in policy_tables().items():
        if name in shipped():
            one = partial(Decisions, name, game, players, 1, games=4)
            many = partial(Decisions, name, game, players, MANY_GAMES, every=FEW_STEPS)
            yield Bench(f"decision/{name}/1", partial(decided, one))
            yield Bench(f"decision/{name}/{MANY_GAMES}", partial(decided, many))
    search = f"search:{POLICY}"
    for num in (1, MANY_SEARCHED):
        searched = partial(Decisions, f"{search}:{WORLDS}", GAME, PLAYERS, num, every=FEW_STEPS)
        yield Bench(f"decision/{search}:{WORLDS}/{num}", partial(decided, searched), most=3)
    yield Bench(f"decision/{search}:{MILLISECONDS}ms/1", partial(worlds_in_time, search))


class Decisions:
    """Games in which an agent says at every step what it would do in the first seat.

    Args:
        agent: Its name.
        game: The game's name.
        players: P.
        num: Positions at a time.
        games: This many games one after the other, for a longer time to be measured.
        every: At which steps: 1 at all, 2 at every other one, ...

    Attributes:
        asked: For how many positions it has been asked.
    """

    def __init__(
        self, agent: str, game: str, players: int, num: int, games: int = 1, every: int = 1
    ) -> None:
        self.agent: Agent = make_agent(agent, game)
        door = registry.door(game)
        made = [door.batch_game(num, num_players=players, seed=seed) for seed in range(games)]
        self.recorded = [Recorded(each) for each in made]
        self.num, self.every, self.asked = num, every, 0

    def seconds(self) -> float:
        """The mean time for one position."""
        before, spent, rng = self.asked, 0.0, np.random.default_rng(0)
        for each in self.recorded:
            each.rewind()
            each.game.reset()
            for index, actions in enumerate(each.actions):
                if index % self.every == 0 and each.game.deciding()[:, SEAT].any():
                    view = each.game.view(SEAT)
                    begun = process_time()
                    self.agent.act(view, rng)
                    spent += process_time() - begun
                    self.asked += self.num
                each.game.step(actions)
        return spent / (self.asked - before)


def decided(make: Callable[[], Decisions]) -> Sample:
    """Microseconds for one position."""
    decisions = make()
    return lambda: {"decision": decisions.seconds() * 1e6}


def worlds_in_time(search: str) -> Sample:
    """Worlds in which a search tries what it has not dropped yet, in a time of the processor."""
    timed = Decisions(f"{search}:{MILLISECONDS}ms", GAME, PLAYERS, 1, every=FEW_STEPS)
    timed.seconds()  # what search fits once is not counted

    def sample() -> dict[str, float]:
        with counted() as worlds:
            before = timed.asked
            took = timed.seconds()
        if not worlds:
            raise LeftOut("search tries its worlds in another way")
        each = sum(worlds) / (timed.asked - before)
        return {"worlds": each * MILLISECONDS / 1000 / took}

    return sample


@contextmanager
def counted() -> Iterator[list[int]]:
    """In how many worlds a search tries its candidates, call by call."""
    calls: list[int] = []
    kind: Any = resolve_name("kododo_env.search.search:_Search")
    tried = kind._try_worlds

    def try_worlds(search: Any, worlds: int) -> None:
        calls.append(worlds)
        tried(search, worlds)

    with patch.object(kind, "_try_worlds", try_worlds):
        yield calls
