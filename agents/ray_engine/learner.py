"""RLlib's module and learner, with the network, optimiser and losses of ``agents.ppo``."""

from __future__ import annotations

from typing import Any

import numpy as np
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.learner.torch.torch_learner import TorchLearner
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from agents.ppo.imitation import imitation_losses
from agents.ppo.machine import prepare_process
from agents.ppo.optimizer import set_learning_rate
from agents.ppo.ppo import PPO, normalised, policy_losses
from agents.training.training_config import Task
from kododo_env.networks.network import check_finite


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


class SelfPlayLearner(TorchLearner):
    """RLlib's learner with the losses of ``agents.ppo``: imitation if a batch has ``targets``."""

    def build(self) -> None:
        """Make the module and its optimiser."""
        super().build()
        prepare_process()  # one thread, because a minibatch is divided among learners

    @property
    def ppo(self) -> PPO:
        """The object that owns the network and its optimiser."""
        return self.module[DEFAULT_MODULE_ID].unwrapped().ppo

    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        """Register the recipe's optimiser, whose learning rate ``update`` sets."""
        module = self._module[module_id]
        self.register_optimizer(
            module_id=module_id,
            optimizer=module.ppo.optimizer,
            params=list(module.ppo.network.parameters()),  # without those of the average
        )

    def update(self, *args: Any, timesteps: dict[str, Any], **kwargs: Any) -> Any:
        """Learn from decisions.

        Args:
            *args: Arguments of RLlib's method.
            timesteps: The ``seed`` of the minibatches, the learning ``rate``, and the weight of the
                ``entropy``.
            **kwargs: Keyword arguments of RLlib's method.

        Returns:
            The means of the losses, by name; or an exception if the network diverged. It is not
            raised, because an error that is raised in an actor of RLlib ends the actor without a
            message.
        """
        np.random.seed(timesteps["seed"])  # noqa: NPY002  RLlib shuffles with it
        set_learning_rate(self.ppo.optimizer, timesteps["rate"])
        self._entropy_weight = timesteps["entropy"]
        self._losses: list[dict[str, Tensor]] = []
        try:
            super().update(*args, timesteps={}, **kwargs)
            means = self.ppo.end_update(self._losses, self._latest)
        except ValueError as error:
            return error
        return {"learning_rate": timesteps["rate"], **means}

    def compute_loss_for_module(
        self, *, module_id: str, config: Any, batch: dict[str, Any], fwd_out: dict[str, Tensor]
    ) -> Tensor:
        """Return the mean loss of a minibatch."""
        self._latest = {name: batch[name] for name in ("canonical", "entries")}
        recipe = self.ppo.recipe
        logits = fwd_out["logits"]
        values = fwd_out["values"]
        if "targets" in batch:
            losses = imitation_losses(recipe, logits, values, batch)
        else:
            losses = policy_losses(recipe, logits, values, normalised(batch), self._entropy_weight)
        self._losses.append({name: loss.detach() for name, loss in losses.items()})
        return losses["loss"]

    def compute_gradients(self, loss_per_module: dict[str, Tensor], **kwargs: Any) -> Any:
        """Compute and check the gradients; RLlib would replace NaN by 0."""
        gradients: Any = super().compute_gradients(loss_per_module, **kwargs)
        check_finite(*loss_per_module.values(), *gradients.values())
        return gradients
