"""The network as RLlib's RLModule."""

from __future__ import annotations

from typing import Any

from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from agents.ppo.ppo import PPO
from agents.training.training_config import Task


class GameModule(TorchRLModule):
    """A network as RLlib's module, on canonical observations.

    ``model_config`` contains the ``task`` and ``bfloat16``.
    """

    def setup(self) -> None:
        """Make the network and its optimiser."""
        task: Task = self.model_config["task"]
        bfloat16 = self.model_config["bfloat16"]
        self.ppo = PPO(task.batch_game(1, task.seed), task.recipe, task.seed, bfloat16=bfloat16)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        """Return logits (B, A) without a mask, and values (B,)."""
        logits, values = self.ppo.evaluate(batch)
        return {"logits": logits, "values": values}
