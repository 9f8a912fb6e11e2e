"""``train.py`` in the form of the examples, for ``library_curve.py``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agents.training.checkpoint import Checkpoint
from agents.training.trainer import Trainer
from agents.training.training_config import default_config, task_of
from kododo_env.core.agent import Agent
from kododo_env.networks import NetworkAgent

REPORTS = 50


class ReportingTrainer(Trainer):
    """A training run that reports its policy instead of measuring it."""

    report: Callable[[Agent], None]

    def _measure(self, point: dict[str, Any]) -> None:
        self.report(NetworkAgent(self.learner.network, self.task.recipe.temperature, "train.py"))


def train(
    steps: int = 1_000_000,
    seed: int = 0,
    report: Callable[[Agent], None] = lambda agent: None,
    game: str = "kododo",
    players: int = 4,
    recipe: str = "game",
) -> None:
    """Train with a recipe on one thread.

    Args:
        steps: The agent-steps.
        seed: The seed of everything random.
        report: A function that is called with the agent at each measurement.
        game: The game's name.
        players: P.
        recipe: "game" or "scratch".
    """
    config = default_config(
        game, players, recipe=recipe, steps=steps, seed=seed, threads=1, evaluations=REPORTS
    )
    with TemporaryDirectory() as folder:
        trainer = ReportingTrainer(config, Checkpoint(task_of(config)), Path(folder))
        trainer.report = report
        trainer.run()
        if trainer.stopped:
            raise trainer.stopped
