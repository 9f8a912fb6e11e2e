"""RLlib's PPO learner, with the network, optimiser and imitation of ``agents.ppo``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.utils.schedules.scheduler import Scheduler
from torch import Tensor
from torch.nn import functional

from agents.ppo.machine import prepare_process
from agents.ppo.optimizer import set_learning_rate
from agents.ppo.ppo import PPO, PROBED, divergence_of
from kododo_env.networks.network import check_answers, check_finite

VALUE_TARGETS = "value_targets"  # RLlib's name for the returns


class SelfPlayLearner(PPOTorchLearner):
    """RLlib's PPO learner with a magnet, and with the imitation loss if a batch has ``targets``."""

    def build(self) -> None:
        """Make the module and its optimiser."""
        super().build()
        prepare_process()  # one thread, because a minibatch is divided among learners

    @property
    def ppo(self) -> PPO:
        """The object that owns the network and its optimiser."""
        ppo: PPO = self.module[DEFAULT_MODULE_ID].unwrapped().ppo
        return ppo

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
        self.entropy_coeff_schedulers_per_module[DEFAULT_MODULE_ID] = Scheduler(
            fixed_value_or_schedule=timesteps["entropy"], framework="torch"
        )
        self._losses: list[dict[str, Tensor]] = []
        try:
            super().update(*args, timesteps={}, **kwargs)
            with torch.no_grad():
                check_answers(*self.ppo.evaluate(self._latest))
            check_finite(*self.ppo.network.parameters())
            self.ppo.move_average()
        except ValueError as error:
            return error
        means = {
            name: torch.stack([losses[name] for losses in self._losses]).mean().item()
            for name in self._losses[0]
        }
        return {"learning_rate": timesteps["rate"], **means}

    def compute_loss_for_module(
        self, *, module_id: str, config: Any, batch: dict[str, Any], fwd_out: dict[str, Tensor]
    ) -> Tensor:
        """Return the mean loss of a minibatch."""
        self._latest = {name: batch[name][:PROBED] for name in ("canonical", "entries")}
        if "targets" in batch:
            return self._imitation_loss(config.vf_loss_coeff, batch, fwd_out)
        advantages = batch["advantages"]
        logits = fwd_out[Columns.ACTION_DIST_INPUTS]
        if len(advantages) > 1:  # the standard deviation of a single number is NaN
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        batch = {
            **batch,
            "advantages": advantages,
            VALUE_TARGETS: batch["returns"],
            Columns.ACTION_LOGP: batch["log_probs"],
            Columns.ACTION_DIST_INPUTS: logits.detach(),  # for RLlib's KL, which is not used
            Columns.VF_PREDS: fwd_out[Columns.VF_PREDS],
        }
        loss: Tensor = super().compute_loss_for_module(
            module_id=module_id, config=config, batch=batch, fwd_out=fwd_out
        )
        if "magnet" in batch:
            log_probs = functional.log_softmax(logits, dim=1)
            loss = loss + self.ppo.recipe.magnet * divergence_of(log_probs, batch["magnet"])
        self._losses.append({"loss": loss.detach()})
        return loss

    def _imitation_loss(
        self, vf_coef: float, batch: dict[str, Any], fwd_out: dict[str, Tensor]
    ) -> Tensor:
        """Return the loss of ``agents.ppo.imitation``."""
        log_probs = functional.log_softmax(fwd_out[Columns.ACTION_DIST_INPUTS], dim=1)
        cross_entropy = -(batch["targets"] * log_probs).sum(dim=1).mean()
        value_loss = functional.mse_loss(fwd_out[Columns.VF_PREDS], batch["returns"])
        loss: Tensor = cross_entropy + vf_coef * value_loss
        losses = {"cross_entropy": cross_entropy, "value_loss": value_loss, "loss": loss}
        self._losses.append({name: loss_part.detach() for name, loss_part in losses.items()})
        return loss

    def compute_gradients(self, loss_per_module: dict[str, Tensor], **kwargs: Any) -> Any:
        """Compute and check the gradients; RLlib would replace NaN by 0."""
        gradients: Any = super().compute_gradients(loss_per_module, **kwargs)
        check_finite(*loss_per_module.values(), *gradients.values())
        return gradients
