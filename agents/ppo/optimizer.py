"""The optimiser: Adam, or Muon for the matrices of hidden layers and Adam for all other weights."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from agents.ppo.custom_network import Learned

ITERATIONS = 3  # of Newton-Schulz; torch's default of 5 learned no better


def make_optimizer(
    network: Learned, learning_rate: float, muon: float, bfloat16: bool
) -> torch.optim.Optimizer:
    """Make the optimiser of a network.

    Args:
        network: The network.
        learning_rate: The learning rate of Adam.
        muon: The learning rate of Muon, which updates the matrices of hidden layers, as a multiple
            of Adam's. With 0, or for a network that has only hidden matrices or none, Adam updates
            all weights.
        bfloat16: Whether Muon multiplies in bfloat16.
    """
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    hidden = {id(weight) for weight in network.hidden_matrices()} if muon else set()
    matrices = [weight for weight in weights if id(weight) in hidden]
    remainder = [weight for weight in weights if id(weight) not in hidden]
    if not (matrices and remainder):
        return torch.optim.Adam(weights, lr=learning_rate, eps=1e-5)  # PPO's usual eps
    return MuonWithAdam(matrices, remainder, learning_rate, muon, bfloat16)


def set_learning_rate(optimizer: torch.optim.Optimizer, learning_rate: float) -> None:
    """Set the learning rate of an optimiser that ``make_optimizer`` made."""
    for group in optimizer.param_groups:
        group["lr"] = learning_rate


class MuonWithAdam(torch.optim.Optimizer):
    """Muon (Jordan et al. 2024) for matrices of hidden layers, Adam (Kingma and Ba 2015) for the
    rest.

    Muon's learning rate is ``muon`` times that of Adam's group, so ``set_learning_rate`` sets both.
    """

    def __init__(
        self,
        matrices: Iterable[Tensor],
        remainder: Iterable[Tensor],
        lr: float,
        muon: float,
        bfloat16: bool,
    ) -> None:
        self.muon = muon
        self._muon = _Muon(list(matrices), lr=lr * muon, weight_decay=0.0, ns_steps=ITERATIONS)
        self._muon.dtype = torch.bfloat16 if bfloat16 else torch.float32
        self._adam = torch.optim.Adam(list(remainder), lr=lr)
        super().__init__(self._groups(), {})

    def _groups(self) -> list[dict[str, Any]]:
        return [*self._muon.param_groups, *self._adam.param_groups]

    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Take a step of both optimisers."""
        for group in self._muon.param_groups:
            group["lr"] = self.muon * self._adam.param_groups[0]["lr"]
        self._muon.step()
        self._adam.step()

    def state_dict(self) -> dict[str, Any]:
        """Return the state of both optimisers."""
        return {"muon": self._muon.state_dict(), "adam": self._adam.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the state of both optimisers."""
        self._muon.load_state_dict(state_dict["muon"])
        self._adam.load_state_dict(state_dict["adam"])
        self.param_groups = self._groups()


class _Muon(torch.optim.Muon):
    """torch's Muon with a choice of dtype; bfloat16 is slow on some processors."""

    dtype: torch.dtype

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Take a step without weight decay."""
        for group in self.param_groups:
            for weight in group["params"]:
                state = self.state[weight]
                gradient = weight.grad
                if not state:
                    state["momentum_buffer"] = torch.zeros_like(gradient)
                momentum = state["momentum_buffer"].lerp_(gradient, 1 - group["momentum"])
                update = gradient.lerp(momentum, group["momentum"]).to(self.dtype)
                rows, columns = weight.shape
                tall = rows > columns
                direction = _orthogonal(update.T if tall else update, group)
                rate = group["lr"] * math.sqrt(max(1, rows / columns))
                weight.add_(direction.T if tall else direction, alpha=-rate)


def _orthogonal(matrix: Tensor, settings: dict[str, Any]) -> Tensor:
    """Approximate the closest matrix with orthonormal rows by Newton-Schulz iterations."""
    of_matrix, of_gram, of_square = settings["ns_coefficients"]
    matrix = matrix / matrix.norm().clamp(min=settings["eps"])
    for _ in range(settings["ns_steps"]):
        gram = matrix @ matrix.T
        polynomial = torch.addmm(gram, gram, gram, beta=of_gram, alpha=of_square)
        matrix = torch.addmm(matrix, polynomial, matrix, beta=of_matrix)
    return matrix
