"""Time tournaments, in games per second: of scripted players only, and with policies.

With one process the CPU time counts; with two processes the wall time, including their start.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import perf_counter, process_time

from benchmarks.speed.figures import PLAYERS, Bench, Sample
from kododo_env import registry
from kododo_env.agent_registry import baselines
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run
from kododo_env.held_out import HELD_OUT, held_out

GAME = next(iter(registry.ENVIRONMENT_MODULES))
POLICIES = (f"{GAME}-{PLAYERS}p", f"{HELD_OUT}{GAME}-{PLAYERS}p")
SCRIPTED = tuple(name for name in held_out(GAME, PLAYERS) if name.count(":") == 1)
FIELDS = {
    "scripted": baselines(GAME)[-PLAYERS:],
    "nine": (*baselines(GAME), *SCRIPTED, "first", *POLICIES),
}
"""Players by tournament: the four strongest scripted players; nine players, two of them
policies."""
GAMES = {"scripted": 100_000, "nine": 20_000}
PROCESSES = (1, 2)


def benches() -> Iterator[Bench]:
    """Yield benchmarks of both fields, with one process and with two."""
    for workers in PROCESSES:
        for field, games in GAMES.items():
            name = f"tournament/{field}/{workers}"
            make = partial(played, field, games, workers)
            yield Bench(name, make, max_rounds=1)


def played(field: str, games: int, workers: int) -> Sample:
    """Return a sampler of games per second."""
    tournament = Tournament(GAME, FIELDS[field], PLAYERS, games)
    clock = process_time if workers == 1 else perf_counter

    def sample() -> dict[str, float]:
        start = clock()
        for _ in run(tournament, tournament.chunks(), workers):
            pass
        return {"games": games / (clock() - start)}

    return sample
