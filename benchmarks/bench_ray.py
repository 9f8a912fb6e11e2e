"""Compare ``--engine ray`` with a single process: ``make ray`` writes docs/ray.json.

Training is measured in agent-steps/s of whole updates of self-play, and of playing and learning
separately; evaluation in games/s of a tournament. All configurations take turns, and each figure is
the median over the rounds, so that other load of the machine affects all of them equally. Only
compare figures of the same run.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from agents.ray_engine.cluster import cluster
from agents.ray_engine.crew import Crew
from agents.ray_engine.ray_trainer import RayTrainer
from agents.ray_engine.tournament import run_on_cluster
from agents.training.checkpoint import Checkpoint
from agents.training.trainer import Trainer
from agents.training.training_config import default_config, task_of
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run
from kododo_env.system.cores import available_cores
from kododo_env.system.files import write_text

FIGURES = Path(__file__).parents[1] / "docs" / "ray.json"
GAME = "kododo"
PLAYERS = 4
WORKERS = (1, 2)
AGENTS = ("heuristic", "kododo-4p")
GAMES = 8_000
ONE_PROCESS = "one process"


class TimedTrainer:
    """A trainer whose updates are timed.

    Args:
        trainer: The trainer.
    """

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.rounds: list[dict[str, float]] = []

    def update(self) -> None:
        """Run one update of self-play and record its speeds."""
        trainer = self.trainer
        watch = trainer.learner.stopwatch
        watch.seconds.clear()
        steps_before = trainer.progress.steps
        start = perf_counter()
        trainer.progress.updates = 1  # an update of self-play
        trainer._play_itself()
        seconds = perf_counter() - start
        learning = watch.seconds["learning"]
        steps = trainer.progress.steps - steps_before
        self.rounds.append(
            {
                "update": steps / seconds,
                "playing": steps / (seconds - learning),
                "learning": steps / learning,
            }
        )

    def figures(self) -> dict[str, float]:
        """Return the median agent-steps/s, without the first round, which warms up."""
        rounds = self.rounds[1:]
        return {name: round(median(speeds[name] for speeds in rounds)) for name in rounds[0]}


def training(rounds: int, folder: Path) -> dict[str, dict[str, float]]:
    """Return agent-steps/s by trainer."""
    config = default_config(GAME, PLAYERS, threads=1, expert="", opponents=())
    task = task_of(config)
    trainers = {ONE_PROCESS: TimedTrainer(Trainer(config, Checkpoint(task), folder))}
    for workers in WORKERS:
        trainer = RayTrainer(config, Checkpoint(task), folder)
        trainer.crew = Crew(task, workers, 1, config.in_bfloat16)
        trainers[str(workers)] = TimedTrainer(trainer)
    for _ in range(rounds + 1):
        for trainer in trainers.values():
            trainer.update()
    return {name: trainer.figures() for name, trainer in trainers.items()}


def evaluation(rounds: int) -> dict[str, float]:
    """Return games/s by engine."""
    tournament = Tournament(GAME, AGENTS, PLAYERS, GAMES)
    chunks = tournament.chunks()
    engines: dict[str, Callable[[], Any]] = {ONE_PROCESS: lambda: run(tournament, chunks)}
    for workers in WORKERS:
        engines[str(workers)] = lambda workers=workers: run_on_cluster(tournament, chunks, workers)
    speeds: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(rounds + 1):
        for name, play in engines.items():
            start = perf_counter()
            games = sum(chunk.shares.size for chunk in play())
            speeds[name].append(games / (perf_counter() - start))
    return {name: round(median(rates[1:])) for name, rates in speeds.items()}


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="measurements of each configuration")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        with cluster(None, sum(WORKERS)):  # both crews exist at once and take turns
            trained = training(rounds, Path(folder))
        with cluster(None, max(WORKERS)):
            evaluated = evaluation(rounds)
    results = {
        "game": GAME,
        "players": PLAYERS,
        "cores": available_cores(),
        "rounds": rounds,
        "agents": AGENTS,
        "games": GAMES,
        "training": trained,
        "evaluation": evaluated,
    }
    write_text(FIGURES, json.dumps(results, indent=1) + "\n")
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
