"""The batch core of every game: nanoseconds an agent-step, by number of games; memory of many.

A step of N games of P players counts N * P agent-steps. Timed are the calls of whole games, each
kind by itself: ``step``, ``legal_action_mask``, ``observe`` into an array that lies as the core's
own do, the same into contiguous rows (N, P, F) as stable-baselines3 takes them, and ``reset``,
spread over the steps of the game. Time is that of the process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.speed import reference_loop
from benchmarks.speed.figures import PLAYERS, Bench, LeftOut, Sample
from benchmarks.speed.recorded import Recorded, random_actions
from kododo_env import registry
from kododo_env.core.batch_game import BatchGame

SIZES = (1, 8, 32, 63, 64, 128, 256, 512, 1024, 4096, 16_384, 65_536)
MANY_GAMES = 4096  # more games than these take long, and vary less
MOST_GAMES = 1_000_000
Call = Callable[[BatchGame, Any], object]
GAMES_AT_A_TIME = 1024
MOST_BATCHES = 64
"""Batches one after the other, up to one of these numbers of games: a clock costs time as well."""
WORKS = ("step", "mask", "observe", "reset")
"""What adds up to the whole; observing into rows comes instead of observing."""


def benches() -> Iterator[Bench]:
    """A game in C at every size, all games of ours at every size, and a million of each."""
    for num in SIZES:
        yield Bench(
            f"C/{reference_loop.GAME}/{num}", partial(reference_loop.sample_of, num, PLAYERS)
        )
    for game in registry.DOORS:
        for num in SIZES:
            most = 3 if num > MANY_GAMES else 1000
            yield Bench(f"core/{game}/{num}", partial(played_again, game, num), most)
    for game in registry.DOORS:
        yield Bench(f"million/{game}", partial(in_a_process, game), most=1)


def batch(game: str, num: int, seed: int = 0) -> BatchGame:
    """A batch with the players of the benchmarks."""
    made: BatchGame = registry.door(game).batch_game(num, num_players=PLAYERS, seed=seed)
    return made


def played_again(game: str, num: int) -> Sample:
    """Some batches of this many games each, that take turns at every step."""
    batches = min(max(1, GAMES_AT_A_TIME // num), MOST_BATCHES)
    return Timed([batch(game, num, seed) for seed in range(batches)]).sample


class Timed:
    """Recorded batches, and the time that each kind of call takes in them.

    Args:
        games: The batches, all of one size.
        rows: Whether they are observed into rows as well.
    """

    def __init__(self, games: list[BatchGame], rows: bool = True) -> None:
        self.recorded = [Recorded(game) for game in games]
        one = games[0]
        shape, kind = (one.num_players, one.layout.size), one.layout.dtype
        own = np.full((*shape, one.num_envs), 0, kind).transpose(2, 0, 1)
        self.calls: dict[str, Call] = {
            "reset": lambda game, _: game.reset(),
            "step": lambda game, actions: game.step(actions),
            "mask": lambda game, _: game.legal_action_mask(),
            "observe": lambda game, _: game.observe(out=own),
        }
        if rows:
            out = np.full((one.num_envs, *shape), 0, kind)
            self.calls["rows"] = lambda game, _: game.observe(out=out)

    def sample(self) -> dict[str, float]:
        """Play the games once more: nanoseconds an agent-step of each kind of call."""
        for each in self.recorded:
            each.rewind()
        deal, *others = self.calls
        spent = dict.fromkeys(self.calls, 0.0)
        spent[deal] = self._seconds(deal, [(each.game, None) for each in self.recorded])
        for turn in range(max(len(each.actions) for each in self.recorded)):
            going_on = [each for each in self.recorded if turn < len(each.actions)]
            for work in others:
                pairs = [(each.game, each.actions[turn]) for each in going_on]
                spent[work] += self._seconds(work, pairs)
        agent_steps = sum(each.agent_steps for each in self.recorded)
        spent["whole"] = sum(spent[work] for work in WORKS)
        return {work: seconds / agent_steps * 1e9 for work, seconds in spent.items()}

    def _seconds(self, work: str, pairs: list[tuple[BatchGame, Any]]) -> float:
        """Of the processor, for a call of each game."""
        call, begun = self.calls[work], process_time()
        for game, actions in pairs:
            call(game, actions)
        return process_time() - begun


# --- a million games --------------------------------------------------------------------------


def in_a_process(game: str, num: int = MOST_GAMES) -> Sample:
    """A number of games in a process of their own, whose memory is looked at."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.speed.core", game, str(num)],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    if done.returncode:
        raise LeftOut((done.stderr.splitlines() or [f"it ended with {done.returncode}"])[-1])
    found: dict[str, float] = json.loads(done.stdout)
    return lambda: found


def many(game: str, num: int) -> dict[str, float]:
    """What a large batch takes; memory first, before anything is recorded."""
    played, rng, most = batch(game, num), np.random.default_rng(0), {}
    seen = np.empty((played.num_players, played.layout.size, num), played.layout.dtype)
    for name, observe in (("peak without observing", False), ("peak", True)):
        played.reset()
        while not played.terminated.all():
            played.step(random_actions(played, rng))
            if observe:
                played.observe(out=seen.transpose(2, 0, 1))
        most[name] = peak()
    del seen
    return {**Timed([played], rows=False).sample(), **most}


def peak() -> float:
    """The most memory that this process ever had, in GB, Python and all."""
    status = Path("/proc/self/status")  # Linux's ru_maxrss begins with that of the parent
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024 / 1e9
    import resource  # Unix alone has it

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


if __name__ == "__main__":
    print(json.dumps(many(sys.argv[1], int(sys.argv[2]))))
