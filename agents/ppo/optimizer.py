"""The optimiser: Adam, or Muon for the matrices of hidden layers and Adam for all else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from agents.networks.network import GameNetwork

ITERATIONS = 3  # of Newton and Schulz; torch's five learned no better, and take longer


def make_optimizer(
    network: GameNetwork, learning_rate: float, muon: float
) -> torch.optim.Optimizer:
    """Adam; or, if ``muon`` is above 0, Muon at this times the rate for the hidden matrices."""
    weights = list(network.parameters())
    if not muon:
        return torch.optim.Adam(weights, lr=learning_rate, eps=1e-5)  # PPO's usual eps
    matrices = network.hidden_matrices()
    others = [weight for weight in weights if all(weight is not one for one in matrices)]
    return MuonWithAdam(matrices, others, learning_rate, muon)


def set_learning_rate(optimizer: torch.optim.Optimizer, learning_rate: float) -> None:
    """Set the learning rate of an optimiser that ``make_optimizer`` made."""
    for group in optimizer.param_groups:
        group["lr"] = learning_rate


class MuonWithAdam(torch.optim.Optimizer):
    """Muon (Jordan et al. 2024) for matrices, Adam (Kingma and Ba 2015) for the others.

    The learning rate of Muon is ``muon`` times that of Adam's group, so ``set_learning_rate``
    sets both.
    """

    def __init__(
        self, matrices: Iterable[Tensor], others: Iterable[Tensor], lr: float, muon: float
    ) -> None:
        self.muon = muon
        self._muon = torch.optim.Muon(
            list(matrices), lr=lr * muon, weight_decay=0.0, ns_steps=ITERATIONS
        )
        self._adam = torch.optim.Adam(list(others), lr=lr)
        super().__init__(self._groups(), {})

    def _groups(self) -> list[dict[str, Any]]:
        return [*self._muon.param_groups, *self._adam.param_groups]

    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """One step of both."""
        for group in self._muon.param_groups:
            group["lr"] = self.muon * self._adam.param_groups[0]["lr"]
        self._muon.step()
        self._adam.step()

    def state_dict(self) -> dict[str, Any]:
        """The state of both."""
        return {"muon": self._muon.state_dict(), "adam": self._adam.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Put the state of both back."""
        self._muon.load_state_dict(state_dict["muon"])
        self._adam.load_state_dict(state_dict["adam"])
        self.param_groups = self._groups()
