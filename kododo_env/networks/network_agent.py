"""A network as a player, while it is being trained."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from kododo_env.core.agent import Agent, first_of_best
from kododo_env.core.arrays import Float32, Int64
from kododo_env.core.view import View
from kododo_env.networks.canonical_network import CanonicalNetwork
from kododo_env.networks.network import GameNetwork, check_answers, masked


class NetworkAgent(Agent):
    """Plays by the answers of a network.

    Args:
        network: From observations (N, F) to logits (N, A) and values; it may go on learning. A
            ``GameNetwork`` may be one that learns from canonical observations.
        temperature: 0 plays the likeliest action, by ``first_of_best`` among equals; 1 draws
            from the network's distribution.
        name: For tables.
    """

    by_row = True

    def __init__(self, network: nn.Module, temperature: float = 0.0, name: str = "learner") -> None:
        self.network = network
        self._plain = network  # gets plain observations, as a view has them
        if isinstance(network, GameNetwork) and network.canonical_input:
            layout = network.canonical.layout
            self._plain = CanonicalNetwork(network, layout, network.actions)
        self.temperature = temperature
        self.name = name

    @torch.no_grad()
    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Choose actions, shape (N,).

        Raises:
            Diverged: The network's answers are no numbers to choose by.
        """
        logits = self._logits(view).numpy()
        if self.temperature == 0:
            return first_of_best(logits)
        noise = rng.gumbel(size=logits.shape) * self.temperature
        return np.asarray((logits + noise).argmax(axis=1))

    @torch.no_grad()
    def probabilities(self, view: View) -> Float32:
        """The network's own distribution, that of temperature 1, (N, A).

        Raises:
            Diverged: The network's answers are no numbers to choose by.
        """
        chances: Float32 = self._logits(view).softmax(dim=1).numpy()
        return chances

    def _logits(self, view: View) -> torch.Tensor:
        observation = torch.from_numpy(np.array(view.observation, order="C"))
        mask = torch.from_numpy(np.array(view.legal_action_mask, order="C"))
        answers = self._plain(observation.to(next(self.network.parameters()).device))[0].cpu()
        check_answers(answers)  # or an illegal action might be the best
        return masked(answers, mask)
