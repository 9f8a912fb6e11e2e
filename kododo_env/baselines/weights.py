"""Weights by which a scripted player goes, and how strangers are drawn from them."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any, TypeVar

import numpy as np

Weights = TypeVar("Weights")


def within(usual: float, lowest: float, highest: float) -> Any:
    """A dataclass's field with its usual value, and the range from which others are drawn."""
    return field(default=usual, metadata={"range": (lowest, highest)})


def drawn_weights(weights: type[Weights], seed: int) -> Weights:
    """Weights drawn evenly from their ranges; the same seed draws the same."""
    rng = np.random.default_rng(seed)
    drawn = {}
    for weight in fields(weights):  # type: ignore[arg-type]
        lowest, highest = weight.metadata["range"]
        drawn[weight.name] = float(rng.uniform(lowest, highest))
    return weights(**drawn)
