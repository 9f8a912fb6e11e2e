"""Weights of scripted players, and random weights for held-out opponents."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any, TypeVar

import numpy as np

Weights = TypeVar("Weights")


def within(usual: float, lowest: float, highest: float) -> Any:
    """Declare a dataclass field with a default and the range for random weights."""
    return field(default=usual, metadata={"range": (lowest, highest)})


def drawn_weights(weights: type[Weights], seed: int) -> Weights:
    """Draw weights uniformly from their ranges, reproducibly by seed."""
    rng = np.random.default_rng(seed)
    drawn = {}
    for weight in fields(weights):  # type: ignore[arg-type]
        lowest, highest = weight.metadata["range"]
        drawn[weight.name] = float(rng.uniform(lowest, highest))
    return weights(**drawn)
