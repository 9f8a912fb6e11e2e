"""``GameNetwork`` as a policy of stable-baselines3 and sb3-contrib."""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from kododo_env.networks.network import GameNetwork, masked
from kododo_env.wrappers.spaces import GameLayouts, layouts_of


class GamePolicy(MaskableActorCriticPolicy):
    """``GameNetwork`` for PPO, A2C and MaskablePPO: ``MaskablePPO(GamePolicy, env)``.

    The observation space of the environment determines the game. If observations are dictionaries
    with masks, illegal actions have probability 0 even with PPO and A2C.

    Args:
        observation_space: The observation space of an environment of this package, without
            normalisation.
        action_space: The actions of the game.
        lr_schedule: The learning rate as a function of the remaining progress, from 1 to 0.
        width: Width of the hidden layers.
        depth: Number of hidden layers.
        one_hot: The largest maximum of numbers that are also encoded one-hot; see ``GameNetwork``.
        tied: Whether to share weights between the entries of tied axes; see ``GameNetwork``.
        use_sde: Always False; PPO and A2C pass it, and reject True for discrete actions.
        **options: Further arguments of ``MaskableActorCriticPolicy``, such as the optimiser's.

    Raises:
        ValueError: The observation space is not that of an environment of this package, or is
            normalised; or ``tied`` does not suit the game.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        *,
        width: int = 256,
        depth: int = 3,
        one_hot: int = 8,
        tied: bool = False,
        use_sde: bool = False,
        **options: Any,
    ) -> None:
        self._layouts = layouts_of(observation_space)
        self._network_options = {"width": width, "depth": depth, "one_hot": one_hot, "tied": tied}
        options["features_extractor_class"] = _Rows
        super().__init__(observation_space, action_space, lr_schedule, **options)

    def _build(self, lr_schedule: Schedule) -> None:
        self.mlp_extractor = _ActorCritic(self._layouts, self._network_options)  # type: ignore[assignment]
        self.action_net = nn.Identity()
        self.value_net = nn.Identity()  # type: ignore[assignment]
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]
            **self.optimizer_kwargs,
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        parameters = super()._get_constructor_parameters()
        for name in ("net_arch", "activation_fn", "ortho_init", "features_extractor_class"):
            del parameters[name]
        return parameters | self._network_options


class _Rows(BaseFeaturesExtractor):
    """The numbers of an observation and, if it is a dictionary, its mask after them."""

    def __init__(self, observation_space: spaces.Space[Any]) -> None:
        parts = [observation_space]
        if isinstance(observation_space, spaces.Dict):
            parts = [observation_space["observation"], observation_space["action_mask"]]
        super().__init__(observation_space, sum(spaces.flatdim(part) for part in parts))

    def forward(self, observations: Tensor | dict[str, Tensor]) -> Tensor:
        if isinstance(observations, Tensor):
            return observations
        return torch.cat([observations["observation"], observations["action_mask"]], dim=1)


class _ActorCritic(nn.Module):
    """The network as SB3's ``MlpExtractor``: logits (B, A) and values (B, 1)."""

    def __init__(self, layouts: GameLayouts, options: dict[str, Any]) -> None:
        super().__init__()
        self.size = layouts.observation.size
        self.network = GameNetwork(
            layouts.observation, layouts.actions, canonical_input=layouts.canonical, **options
        )
        # Read by SB3.
        self.latent_dim_pi = layouts.actions.size
        self.latent_dim_vf = 1

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        numbers = features[:, : self.size]
        masks = features[:, self.size :]
        logits, values = self.network(numbers)
        if masks.shape[1]:
            logits = masked(logits, masks)
        return logits, values[:, None]

    def forward_actor(self, features: Tensor) -> Tensor:
        return self.forward(features)[0]

    def forward_critic(self, features: Tensor) -> Tensor:
        return self.forward(features)[1]
