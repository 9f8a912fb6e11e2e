"""Games a second of a tournament of scripted agents: a table of four, one worker and two."""

from __future__ import annotations

import time

from kododo_env.agent_registry import baselines
from kododo_env.arena.report import build_report
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run
from kododo_env.registry import DOORS

GAME, PLAYERS = next(iter(DOORS)), 4


def main() -> None:
    agents = baselines(GAME)[-PLAYERS:]
    print(f"{GAME}, {PLAYERS} players: {', '.join(agents)}; starting the workers is included")
    for games in (20_000, 100_000):
        played = Tournament(GAME, agents, PLAYERS, games)
        for workers in (1, 2):
            start = time.perf_counter()
            results = list(run(played, played.chunks(), workers))
            seconds = time.perf_counter() - start
            print(
                f"{games:8,} games, {workers} worker(s): {seconds:6.1f} s, "
                f"{games / seconds:8,.0f} games/s"
            )
    start = time.perf_counter()
    build_report(played, results)
    print(f"the report of {games:,} games: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
