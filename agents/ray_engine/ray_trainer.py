"""The training run of ``agents.training``, its games and its learning on a Ray cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from agents.ppo.imitation import LAST
from agents.ray_engine.cluster import cores
from agents.ray_engine.crew import Crew, crew
from agents.ray_engine.player import pieces
from agents.training.trainer import Trainer


class RayTrainer(Trainer):
    """Takes the arguments of ``Trainer``.

    The policy that is measured, saved and exported is the trainer's own; it gets the learners'
    weights after each update. A checkpoint is one like any other: either engine goes on with it.
    """

    crew: Crew

    def run(self) -> None:
        """Learn until the budget is spent or somebody asks to stop; then write a checkpoint."""
        config = self.config
        workers, learners = config.workers or cores(), config.learners or 1
        with crew(self.task, workers, learners, config.bfloat16) as self.crew:
            policy = self.model.policy
            self.crew.go_on(
                {"policy": policy.state_dict(), "optimizer": policy.optimizer.state_dict()}
            )
            super().run()

    def _imitate(self) -> None:
        recipe = self.task.recipe
        decisions = self._played("imitation", imitation=True)
        left = self.imitation_remaining()
        self._learn(
            "imitation", decisions, recipe.imitation_learning_rate * (LAST + (1 - LAST) * left)
        )

    def _play_itself(self) -> None:
        opponent = self.task.recipe.opponent_of(self.progress.updates)
        decisions = self._played("acting", opponent=opponent)
        left = self.self_play_remaining()
        tensors = {name: torch.from_numpy(each) for name, each in decisions.items()}
        with_magnet = self.model.policy.with_magnet(tensors)
        decisions = {name: each.numpy() for name, each in with_magnet.items()}
        rate, entropy = self.model.lr_schedule(left), self.model.ent_schedule(left)
        self._learn("train", decisions, rate, entropy)

    def _played(self, name: str, **what: Any) -> dict[str, Any]:
        """The decisions of an update's games."""
        games, parts = self.task.recipe.num_envs, self.crew.workers
        work = pieces(games, parts, update=self.progress.updates, **what)
        network = self.model.policy.network
        weights = {name: each.numpy() for name, each in network.state_dict().items()}
        with self.model.stopwatch.on(name):
            played = self.crew.play(work, weights)
        self.model.num_timesteps += sum(each.steps for each in played)
        return {
            name: np.concatenate([each.decisions[name] for each in played])
            for name in played[0].decisions
        }

    def _learn(
        self, log: str, decisions: dict[str, Any], rate: float, entropy: float = 0.0
    ) -> None:
        model = self.model
        with model.stopwatch.on("learning"):
            logged = self.crew.learn(decisions, self._seed_of_update(), rate, entropy)
            self._take(self.crew.learned())
        for name, value in logged.items():
            model.logger.record(f"{log}/{name}", value)
        model.logger.dump(model.num_timesteps)

    def _take(self, learned: dict[str, Any]) -> None:
        """Have what the learners have learned."""
        self.model.policy.load_state_dict(learned["policy"])
        self.model.policy.optimizer.load_state_dict(learned["optimizer"])
