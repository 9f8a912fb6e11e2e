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
    # Keys are whole numbers: who does not come first anyway must have one more.
    before = other >= mine + torch.ones(entries, entries, device=key.device).triu()
    return before.sum(dim=2)


def arrangement(places: Tensor) -> Tensor:
    """By what ``arranged`` puts the entries in their places (B, C)."""
    batch, entries = (torch.arange(length, device=places.device) for length in places.shape)
    if torch.compiler.is_exporting():  # matrices of 1 and 0: products are exact, and few operations
        return (places[:, None, :] == entries[:, None]).to(torch.float32)
    order = torch.empty_like(places).scatter_(1, places, entries.expand_as(places))
    return (batch[:, None] * len(entries) + order).flatten()


def arranged(rows: Tensor, by: Tensor) -> Tensor:
    """What entries have, (B * C, W), in the order of their places; see ``arrangement``."""
    if torch.compiler.is_exporting():
        return (by @ rows.reshape(-1, by.shape[1], rows.shape[1])).flatten(0, 1)
    return rows.index_select(0, by)


def count_not_above(ascending: Tensor, bounds: Tensor) -> Tensor:
    """How many numbers of each row are not above each of the bounds, int64 (B, K).

    Args:
        ascending: Shape (B, F).
        bounds: Shape (K,).
    """
    if torch.compiler.is_exporting():
        # In float32, since the runtime adds those up in a fifth of the time.
        not_above = ascending[:, None, :] <= bounds[None, :, None]
        return not_above.to(torch.float32).sum(dim=2).to(torch.int64)
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
