"""``--engine ray`` beside one process: ``make ray`` writes docs/ray.json.

Training: agent-steps/s of whole updates of self-play, and of their two halves, playing and
learning; evaluation: games/s of a tournament. All of them take turns, and each figure is the
median of its rounds, so that what else the machine does falls on all alike. Ratios to one
process are within one run; the speeds themselves are this machine's.
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
GAME, PLAYERS = "kododo", 4
WORKERS = (1, 2)
AGENTS, GAMES = ("heuristic", "kododo-4p"), 8_000
ONE = "one process"


class Measured:
    """A trainer whose updates are timed.

    Args:
        trainer: What trains.
    """

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.rounds: list[dict[str, float]] = []

    def update(self) -> None:
        """One update of self-play; what it took."""
        trainer, watch = self.trainer, self.trainer.learner.stopwatch
        watch.seconds.clear()
        steps, begun = trainer.progress.steps, perf_counter()
        trainer.progress.updates = 1  # against itself
        trainer._play_itself()
        took = perf_counter() - begun
        learning = watch.seconds["learning"]
        steps = trainer.progress.steps - steps
        self.rounds.append(
            {
                "update": steps / took,
                "playing": steps / (took - learning),
                "learning": steps / learning,
            }
        )

    def figures(self) -> dict[str, float]:
        """Agent-steps/s, the first round left out: it warms up."""
        rounds = self.rounds[1:]
        return {name: round(median(each[name] for each in rounds)) for name in rounds[0]}


def training(rounds: int, folder: Path) -> dict[str, dict[str, float]]:
    """Agent-steps/s by who trains."""
    config = default_config(GAME, PLAYERS, threads=1, expert="", opponents=())
    task = task_of(config)
    measured = {ONE: Measured(Trainer(config, Checkpoint(task), folder))}
    for workers in WORKERS:
        crew = Crew(task, workers, 1, config.in_bfloat16)
        measured[str(workers)] = Measured(RayTrainer(config, Checkpoint(task), folder, crew=crew))
    for _ in range(rounds + 1):
        for each in measured.values():
            each.update()
    return {name: each.figures() for name, each in measured.items()}


def evaluation(rounds: int) -> dict[str, float]:
    """Games/s by who plays."""
    played = Tournament(GAME, AGENTS, PLAYERS, GAMES)
    chunks = played.chunks()
    who: dict[str, Callable[[], Any]] = {ONE: lambda: run(played, chunks)}
    for workers in WORKERS:
        who[str(workers)] = lambda workers=workers: run_on_cluster(played, chunks, workers)
    speeds: dict[str, list[float]] = {name: [] for name in who}
    for _ in range(rounds + 1):
        for name, play in who.items():
            begun = perf_counter()
            games = sum(each.shares.size for each in play())
            speeds[name].append(games / (perf_counter() - begun))
    return {name: round(median(each[1:])) for name, each in speeds.items()}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="how often each is measured")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        with cluster(None, sum(WORKERS)):  # both crews are there, and take turns
            trained = training(rounds, Path(folder))
        with cluster(None, max(WORKERS)):
            evaluated = evaluation(rounds)
    found = {
        "game": GAME,
        "players": PLAYERS,
        "cores": available_cores(),
        "rounds": rounds,
        "agents": AGENTS,
        "games": GAMES,
        "training": trained,
        "evaluation": evaluated,
    }
    write_text(FIGURES, json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
