"""Who has which place in an order, as tensor operations that can be exported.

Where nothing is exported, some are done by faster ones that no policy file may contain.
"""

from __future__ import annotations

import torch
from torch import Tensor

EXACT = 1 << 53  # keys are float64, which adds whole numbers up to this without rounding


def descending_places(key: Tensor) -> Tensor:
    """The place of each entry by descending key, (B, C); equal ones keep their order."""
    entries = key.shape[1]
    mine, other = key[:, :, None], key[:, None, :]
    earlier = torch.ones(entries, entries, device=key.device).tril(-1) > 0
    before = (other > mine) | ((other == mine) & earlier)
    return before.sum(dim=2)


def inverse(places: Tensor) -> Tensor:
    """Which entry has each place: the inverse of the permutations (B, C)."""
    entries = torch.arange(places.shape[1], device=places.device)
    if torch.compiler.is_exporting():
        return ((places[:, None, :] == entries[:, None]) * entries).sum(dim=2)
    return torch.empty_like(places).scatter_(1, places, entries.expand_as(places))


def count_not_above(ascending: Tensor, bounds: Tensor) -> Tensor:
    """How many numbers of each row are not above each of the bounds, int64 (B, K).

    Args:
        ascending: Shape (B, F).
        bounds: Shape (K,).
    """
    if torch.compiler.is_exporting():
        return (ascending[:, None, :] <= bounds[None, :, None]).sum(dim=2)
    bounds = bounds.expand(len(ascending), -1).contiguous()
    return torch.searchsorted(ascending, bounds, right=True)


def columns_of(numbers: Tensor, columns: Tensor) -> Tensor:
    """``numbers[:, columns]``, which in onnxruntime is fast and in torch six times slower.

    Args:
        numbers: Shape (B, F).
        columns: Shape (K,).
    """
    if torch.compiler.is_exporting():
        return numbers[:, columns]
    return numbers.index_select(1, columns)
