"""The network as a policy of sb3-contrib, for MaskablePPO."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor

from agents.networks.network import GameNetwork
from agents.ppo.optimizer import MuonWithAdam
from kododo_env.core.actions import ActionLayout
from kododo_env.core.observation import ObservationLayout


class GamePolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy over a ``GameNetwork``: actor and critic share the trunk.

    Args:
        observation_space: Of the VecEnv.
        action_space: Of the VecEnv.
        lr_schedule: Learning rate by remaining progress.
        layout: The game's observations.
        actions: The game's actions.
        network: The other arguments of ``GameNetwork``.
        muon: If above 0, the trunk's matrices are learned by Muon, at this times the
            learning rate of the rest; see ``MuonWithAdam``.
        **kwargs: Passed on to sb3-contrib's policy.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Discrete,
        lr_schedule: Schedule,
        *,
        layout: ObservationLayout,
        actions: ActionLayout,
        network: Mapping[str, Any],
        muon: float = 0.0,
        **kwargs: Any,
    ) -> None:
        self.layout, self.actions, self.network_arguments = layout, actions, dict(network)
        self.muon = muon
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = GameNetwork(self.layout, self.actions, **self.network_arguments)
        self.optimizer: torch.optim.Optimizer
        if self.muon:
            matrices = [weight for weight in self.network.trunk.parameters() if weight.ndim == 2]
            known = set(matrices)
            others = [weight for weight in self.network.parameters() if weight not in known]
            self.optimizer = MuonWithAdam(matrices, others, lr_schedule(1), self.muon)
        else:
            settings: dict[str, Any] = {"lr": lr_schedule(1), **self.optimizer_kwargs}
            self.optimizer = self.optimizer_class(self.network.parameters(), **settings)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {
            "layout": self.layout, "actions": self.actions, "network": self.network_arguments,
            "muon": self.muon,
        }  # fmt: skip
        return super()._get_constructor_parameters() | own

    def _distribution(
        self, obs: PyTorchObs, action_masks: npt.NDArray[Any] | Tensor | None
    ) -> tuple[MaskableDistribution, Tensor]:
        assert isinstance(obs, Tensor)
        logits, values = self.network(obs)
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution, values

    def forward(
        self,
        obs: Tensor,
        deterministic: bool = False,
        action_masks: npt.NDArray[np.bool_] | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Actions, values and log-probabilities, each (B,)."""
        distribution, values = self._distribution(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, values, distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Values, log-probabilities and entropies of given actions, each (B,)."""
        distribution, values = self._distribution(obs, action_masks)
        return values, distribution.log_prob(actions), distribution.entropy()

    def get_distribution(
        self, obs: PyTorchObs, action_masks: npt.NDArray[Any] | None = None
    ) -> MaskableDistribution:
        """The distribution over legal actions."""
        return self._distribution(obs, action_masks)[0]

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """The values, (B, 1)."""
        assert isinstance(obs, Tensor)
        values: Tensor = self.network(obs)[1]
        return values[:, None]
