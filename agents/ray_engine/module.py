"""The network as RLlib's RLModule."""

from __future__ import annotations

from typing import Any

from ray.rllib.core.columns import Columns
from ray.rllib.core.distribution.torch.torch_distribution import TorchCategorical
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from agents.ppo.ppo import PPO
from agents.training.training_config import Task
from kododo_env.networks.network import masked


class GameModule(TorchRLModule, ValueFunctionAPI):
    """A network as RLlib's module, on canonical observations.

    ``model_config`` contains the ``task`` and ``bfloat16``.
    """

    action_dist_cls = TorchCategorical

    def setup(self) -> None:
        """Make the network and its optimiser."""
        task: Task = self.model_config["task"]
        bfloat16 = self.model_config["bfloat16"]
        self.ppo = PPO(task.batch_game(1, task.seed), task.recipe, task.seed, bfloat16=bfloat16)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        """Return logits (B, A), ``ILLEGAL`` for illegal actions, and values (B,)."""
        logits, state_values = self.ppo.evaluate(batch)
        return {
            Columns.ACTION_DIST_INPUTS: masked(logits, batch["masks"]),
            Columns.VF_PREDS: state_values,
        }

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """Return the values (B,), from the batch if it has them."""
        state_values: Tensor = (batch if Columns.VF_PREDS in batch else self._forward(batch))[
            Columns.VF_PREDS
        ]
        return state_values
