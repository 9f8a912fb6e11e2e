"""Games a second of a tournament: of scripted players alone, and with policies among them.

In one process, by the processor's time; and in two, by the clock, starting them included.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import cycle, islice
from time import perf_counter, process_time

from benchmarks.speed.figures import PLAYERS, Bench, Sample
from kododo_env import registry
from kododo_env.agent_registry import baselines, scripted
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run

GAME = next(iter(registry.DOORS))
POLICIES = (f"{GAME}-{PLAYERS}p", f"stranger-{GAME}-{PLAYERS}p")
FIELDS = {
    "scripted": baselines(GAME)[-PLAYERS:],
    "nine": (*islice(cycle(scripted(GAME)), 9 - len(POLICIES)), *POLICIES),
}
"""Who plays: the four scripted players; nine, of whom two are policies."""
GAMES = {"scripted": 100_000, "nine": 20_000}
PROCESSES = (1, 2)


def benches() -> Iterator[Bench]:
    """Both, in one process and in two."""
    for workers in PROCESSES:
        for field, games in GAMES.items():
            name = f"tournament/{field}/{workers}"
            make = partial(played, field, games, workers)
            yield Bench(name, make, most=1)


def played(field: str, games: int, workers: int) -> Sample:
    """Games a second."""
    tournament = Tournament(GAME, FIELDS[field], PLAYERS, games)
    clock = process_time if workers == 1 else perf_counter

    def sample() -> dict[str, float]:
        begun = clock()
        for _ in run(tournament, tournament.chunks(), workers):
            pass
        return {"games": games / (clock() - begun)}

    return sample
