"""Adapt a network of canonical observations to plain observations."""

from __future__ import annotations

from torch import Tensor, nn

from kododo_env.layouts.actions import ActionLayout
from kododo_env.layouts.observation import ObservationLayout
from kododo_env.networks.canonical import CanonicalActions


class CanonicalNetwork(nn.Module):
    """A network of plain observations and actions that wraps one of canonical form.

    It can be trained with plain observations, for instance by ``train.py --network``.

    Args:
        network: From canonical observations, float32 (B, F), to the logits of canonical actions
            (B, A), or logits and values.
        layout: The game's observation layout.
        actions: The game's action layout.
    """

    def __init__(
        self, network: nn.Module, layout: ObservationLayout, actions: ActionLayout
    ) -> None:
        super().__init__()
        self.network = network
        self.canonical_actions = CanonicalActions(layout, actions)

    def forward(self, observation: Tensor) -> tuple[Tensor, ...]:
        """Return logits (B, A) of plain actions, and values if any, for observations (B, F)."""
        ordered, places = self.canonical_actions(observation)
        answers = self.network(ordered)
        logits, *values = answers if isinstance(answers, tuple | list) else (answers,)
        return logits.gather(1, places), *values
