"""A training run that plays and learns on a Ray cluster."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
import torch

from agents.options import RAY
from agents.ppo.ppo import about
from agents.ray_engine.cluster import cores
from agents.ray_engine.crew import Crew
from agents.ray_engine.player import pieces
from agents.training.trainer import Trainer


class RayTrainer(Trainer):
    """A trainer on a Ray cluster.

    The trainer measures, saves and exports its own copy of the policy, which gets the learners'
    weights after each update. Checkpoints of both engines are the same, so each engine can resume
    runs of the other.

    Args:
        *arguments: The arguments of ``Trainer``.

    Attributes:
        crew: The processes that play and learn, during ``run``.
    """

    crew: Crew

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.workers = self.config.workers or cores()
        self.learners = self.config.learners or 1

    def means(self) -> dict[str, Any]:
        """Return the settings on which the result depends, with the engine and its processes."""
        numbers = {"workers": self.workers, "learners": self.learners}
        return {**super().means(), "threads": 1, "engine": RAY, **numbers}

    def run(self) -> None:
        """Learn until the budget is spent or the user stops the run; then write a checkpoint."""
        options = (self.workers, self.learners, self.config.in_bfloat16)
        with closing(Crew(self.task, *options)) as self.crew:
            self.crew.go_on(self.learner.learned())
            super().run()

    def _imitate(self) -> dict[str, float]:
        rate = self.task.recipe.imitation_rate(self.imitation_remaining())
        return self._learn("imitation", self._played("imitation", imitation=True), rate)

    def _play_itself(self) -> dict[str, float]:
        steps = self.progress.steps
        decisions = self._played("acting")
        share = len(decisions["returns"]) / (self.progress.steps - steps)
        if not share:
            return {"rollout/share_of_decisions": share}
        tensors = {name: torch.from_numpy(column) for name, column in decisions.items()}
        decisions = {name: column.numpy() for name, column in self.learner.lessons(tensors).items()}
        rates = self.task.recipe.self_play_rates(self.self_play_remaining())
        statistics = {f"train/{name}": number for name, number in about(tensors, rates[1]).items()}
        learned = self._learn("train", decisions, *rates)
        return {**learned, **statistics, "rollout/share_of_decisions": share}

    def _played(self, name: str, **options: Any) -> dict[str, Any]:
        """Play an update's games and return the decisions."""
        games = self.task.recipe.num_envs
        parts = self.crew.workers
        work = pieces(games, parts, update=self.progress.updates, **options)
        state = self.learner.network.state_dict()
        weights = {name: tensor.numpy() for name, tensor in state.items()}
        with self.learner.stopwatch.on(name):
            played = self.crew.play(work, weights)
        self.progress.steps += sum(piece.steps for piece in played)
        decided = [piece.decisions for piece in played if len(piece.decisions["returns"])]
        decided = decided or [played[0].decisions]
        return {name: np.concatenate([columns[name] for columns in decided]) for name in decided[0]}

    def _learn(
        self, log: str, decisions: dict[str, Any], rate: float, entropy: float = 0.0
    ) -> dict[str, float]:
        if not len(decisions["returns"]):  # every choice was forced
            return {}
        with self.learner.stopwatch.on("learning"):
            logged = self.crew.learn(decisions, self._seed_of_update(), rate, entropy)
            self.learner.go_on(self.crew.learned())
        return {f"{log}/{name}": number for name, number in logged.items()}
