"""Play with a network, also while it is being trained."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from kododo_env.arrays.dtypes import Float32, Int64
from kododo_env.core.agent import Agent, choice_by_logits
from kododo_env.core.view import View
from kododo_env.networks.canonical_network import CanonicalNetwork
from kododo_env.networks.network import GameNetwork, check_answers, masked


class NetworkAgent(Agent):
    """An agent that plays by the logits of a network.

    Args:
        network: From observations (N, F) to logits (N, A) and values. It may be in training, and a
            ``GameNetwork`` may have ``canonical_input``.
        temperature: 0 plays the most probable action (ties by ``first_of_best``); 1 samples from
            the network's distribution.
        name: The agent's name in results.
    """

    by_row = True

    def __init__(self, network: nn.Module, temperature: float = 0.0, name: str = "learner") -> None:
        self.network = network
        self._plain = network  # takes the plain observations of a view
        if isinstance(network, GameNetwork) and network.canonical_input:
            layout = network.canonical.layout
            self._plain = CanonicalNetwork(network, layout, network.actions)
        self.temperature = temperature
        self.name = name

    @torch.no_grad()
    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Choose actions, int64 of shape (N,).

        Raises:
            DivergenceError: The network outputs NaN or too large logits.
        """
        return choice_by_logits(self._logits(view).numpy(), self.temperature, rng)

    @torch.no_grad()
    def probabilities(self, view: View) -> Float32:
        """Return the network's probabilities at temperature 1, float32 (N, A).

        Raises:
            DivergenceError: The network outputs NaN or too large logits.
        """
        return self._logits(view).softmax(dim=1).numpy()

    def _logits(self, view: View) -> torch.Tensor:
        observation = torch.from_numpy(np.array(view.observation, order="C"))
        mask = torch.from_numpy(np.array(view.legal_action_mask, order="C"))
        answers = self._plain(observation.to(next(self.network.parameters()).device))[0].cpu()
        check_answers(answers)  # otherwise an illegal action might have the highest logit
        return masked(answers, mask)
