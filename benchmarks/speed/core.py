"""Time the batch core of every game, in nanoseconds per agent-step, and measure its memory.

A step of N games of P players counts as N * P agent-steps. Each kind of call is timed separately,
over whole games: ``step``; ``legal_action_mask``; ``observe`` into an array with the core's memory
layout; ``observe`` into contiguous rows (N, P, F), as stable-baselines3 takes them; and ``reset``,
divided by the steps of the game. Times are CPU times of the process.
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
from benchmarks.speed.figures import PLAYERS, Bench, Sample, SkippedBench
from benchmarks.speed.recorded_games import RecordedGames, random_actions
from kododo_env import registry
from kododo_env.core.batch_game import BatchGame

SIZES = (1, 8, 32, 63, 64, 128, 256, 512, 1024, 4096, 16_384, 65_536)
MANY_GAMES = 4096  # larger batches take long, and their times vary less
MOST_GAMES = 1_000_000
Call = Callable[[BatchGame, Any], object]
GAMES_AT_A_TIME = 1024
MOST_BATCHES = 64
"""Maximum number of small batches that are timed together, because reading the clock takes time."""
WORKS = ("step", "mask", "observe", "reset")
"""The calls that add up to the whole. Observing into rows is an alternative to observing."""


def benches() -> Iterator[Bench]:
    """Yield a game in C, all games of the package at every size, and a million games of each."""
    for num in SIZES:
        yield Bench(
            f"C/{reference_loop.GAME}/{num}", partial(reference_loop.sample_of, num, PLAYERS)
        )
    for game in registry.ENVIRONMENT_MODULES:
        for num in SIZES:
            max_rounds = 3 if num > MANY_GAMES else 1000
            yield Bench(f"core/{game}/{num}", partial(replayed, game, num), max_rounds)
    for game in registry.ENVIRONMENT_MODULES:
        yield Bench(f"million/{game}", partial(in_a_process, game), max_rounds=1)


def batch(game: str, num: int, seed: int = 0) -> BatchGame:
    """Make a batch of ``num`` games with the number of players of the benchmarks."""
    batch_game: BatchGame = registry.environment_module(game).batch_game(
        num, num_players=PLAYERS, seed=seed
    )
    return batch_game


def replayed(game: str, num: int) -> Sample:
    """Return a sampler of batches of ``num`` games, which take turns at every step."""
    batches = min(max(1, GAMES_AT_A_TIME // num), MOST_BATCHES)
    return TimedBatches([batch(game, num, seed) for seed in range(batches)]).sample


class TimedBatches:
    """Recorded batches whose calls are timed by kind.

    Args:
        games: The batches, all of one size.
        rows: Whether to time observing into rows as well.
    """

    def __init__(self, games: list[BatchGame], rows: bool = True) -> None:
        self.recorded = [RecordedGames(game) for game in games]
        layout = games[0].layout
        num_envs = games[0].num_envs
        shape = (games[0].num_players, layout.size)
        core_order = np.full((*shape, num_envs), 0, layout.dtype).transpose(2, 0, 1)
        self.calls: dict[str, Call] = {
            "reset": lambda game, _: game.reset(),
            "step": lambda game, actions: game.step(actions),
            "mask": lambda game, _: game.legal_action_mask(),
            "observe": lambda game, _: game.observe(out=core_order),
        }
        if rows:
            row_order = np.full((num_envs, *shape), 0, layout.dtype)
            self.calls["rows"] = lambda game, _: game.observe(out=row_order)

    def sample(self) -> dict[str, float]:
        """Replay the games; return nanoseconds per agent-step by kind of call."""
        for recorded in self.recorded:
            recorded.rewind()
        reset, *step_works = self.calls
        times = dict.fromkeys(self.calls, 0.0)
        times[reset] = self._seconds(reset, [(recorded.game, None) for recorded in self.recorded])
        for turn in range(max(len(recorded.actions) for recorded in self.recorded)):
            running = [recorded for recorded in self.recorded if turn < len(recorded.actions)]
            for work in step_works:
                pairs = [(recorded.game, recorded.actions[turn]) for recorded in running]
                times[work] += self._seconds(work, pairs)
        agent_steps = sum(recorded.agent_steps for recorded in self.recorded)
        times["whole"] = sum(times[work] for work in WORKS)
        return {work: seconds / agent_steps * 1e9 for work, seconds in times.items()}

    def _seconds(self, work: str, pairs: list[tuple[BatchGame, Any]]) -> float:
        """Return the CPU time of a call for each game."""
        call = self.calls[work]
        start = process_time()
        for game, actions in pairs:
            call(game, actions)
        return process_time() - start


# --- a million games --------------------------------------------------------------------------


def in_a_process(game: str, num: int = MOST_GAMES) -> Sample:
    """Return a sampler of a large batch in its own process, because peak memory is measured."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.speed.core", game, str(num)],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    if done.returncode:
        raise SkippedBench((done.stderr.splitlines() or [f"exit status {done.returncode}"])[-1])
    figures: dict[str, float] = json.loads(done.stdout)
    return lambda: figures


def large_batch(game: str, num: int) -> dict[str, float]:
    """Return the memory and then the times of a large batch; recording games takes memory, too."""
    played = batch(game, num)
    rng = np.random.default_rng(0)
    peaks = {}
    observations = np.empty((played.num_players, played.layout.size, num), played.layout.dtype)
    for name, observe in (("peak without observing", False), ("peak", True)):
        played.reset()
        while not played.terminated.all():
            played.step(random_actions(played, rng))
            if observe:
                played.observe(out=observations.transpose(2, 0, 1))
        peaks[name] = peak()
    del observations
    return {**TimedBatches([played], rows=False).sample(), **peaks}


def peak() -> float:
    """Return the peak memory of this process, including Python, in GB."""
    status = Path("/proc/self/status")  # Linux's ru_maxrss starts from the parent's peak
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024 / 1e9
    import resource  # only on Unix

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


if __name__ == "__main__":
    print(json.dumps(large_batch(sys.argv[1], int(sys.argv[2]))))
