"""A network over canonical observations as one over plain observations."""

from __future__ import annotations

from torch import Tensor, nn

from kododo_env.core.actions import ActionLayout
from kododo_env.core.observation import ObservationLayout
from kododo_env.networks.canonical import CanonicalActions


class CanonicalNetwork(nn.Module):
    """Gives a network canonical observations, and its logits back to the game's own actions.

    So a network that learns behind it from plain observations is given canonical ones, as
    ``train.py --network`` takes it.

    Args:
        network: From canonical observations (B, F) float32 to the logits of canonical actions
            (B, A), or to these and values.
        layout: The game's observations.
        actions: The game's actions.
    """

    def __init__(
        self, network: nn.Module, layout: ObservationLayout, actions: ActionLayout
    ) -> None:
        super().__init__()
        self.network = network
        self.canonical_actions = CanonicalActions(layout, actions)

    def forward(self, observation: Tensor) -> tuple[Tensor, ...]:
        """Logits (B, A) of the game's own actions and, if the network gives any, values."""
        ordered, places = self.canonical_actions(observation)
        answers = self.network(ordered)
        logits, *values = answers if isinstance(answers, tuple | list) else (answers,)
        return logits.gather(1, places), *values
