"""Muon for the matrices of hidden layers and Adam for all else, as one optimiser."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

ITERATIONS = 3  # of Newton and Schulz; torch's five learned no better, and take longer


class MuonWithAdam(torch.optim.Optimizer):
    """Muon (Jordan et al. 2024) for matrices, Adam (Kingma and Ba 2015) for the rest.

    Every parameter group has ``scale``: whoever sets a learning rate sets this times it, see
    ``set_learning_rate``.

    Args:
        matrices: Weights of hidden layers, two-dimensional.
        others: All other parameters.
        lr: Adam's learning rate.
        muon: Muon's learning rate is this times Adam's.
    """

    def __init__(
        self, matrices: Iterable[Tensor], others: Iterable[Tensor], lr: float, muon: float
    ) -> None:
        self._muon = torch.optim.Muon(
            [{"params": list(matrices), "scale": muon}],
            lr=lr * muon,
            weight_decay=0.0,
            ns_steps=ITERATIONS,
        )
        self._adam = torch.optim.Adam([{"params": list(others), "scale": 1.0}], lr=lr)
        super().__init__(self._groups(), {})

    def _groups(self) -> list[dict[str, Any]]:
        return [*self._muon.param_groups, *self._adam.param_groups]

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """One step of both; ``closure``, if given, is called first and returns the loss."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self._muon.step()
        self._adam.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        """The state of both."""
        return {"muon": self._muon.state_dict(), "adam": self._adam.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Put the state of both back."""
        self._muon.load_state_dict(state_dict["muon"])
        self._adam.load_state_dict(state_dict["adam"])
        self.param_groups = self._groups()


def set_learning_rate(optimizer: torch.optim.Optimizer, learning_rate: float) -> None:
    """Give every parameter group its own multiple (``scale``, 1 if it has none) of a rate."""
    for group in optimizer.param_groups:
        group["lr"] = learning_rate * group.get("scale", 1.0)
