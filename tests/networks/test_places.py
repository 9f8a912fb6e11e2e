"""Places: the exported operators and the faster ones give the same results."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kododo_env.networks.canonical import (
    arranged,
    arrangement,
    columns_of,
    count_not_above,
    descending_places,
)

torch.manual_seed(0)
KEYS = torch.randint(0, 4, (200, 5)).double()
WAYS: list[Callable[[], torch.Tensor]] = [
    lambda: arranged(KEYS.float().reshape(-1, 1), arrangement(descending_places(KEYS))),
    lambda: count_not_above(KEYS.cumsum(dim=1), torch.arange(-1, 9).double()),
    lambda: columns_of(KEYS, torch.tensor([3, 0, 3])),
]


@pytest.mark.parametrize("way", WAYS)
def test_the_faster_form_is_the_same(
    way: Callable[[], torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = way()
    monkeypatch.setattr(torch.compiler, "is_exporting", lambda: True)
    exported = way()
    assert torch.equal(fast, exported)
    assert fast.dtype == exported.dtype


def test_the_values_of_entries_are_put_in_their_places() -> None:
    places = torch.tensor([[2, 0, 1], [0, 1, 2]])
    rows = torch.tensor([[1, 10], [2, 20], [3, 30], [4, 40], [5, 50], [6, 60]])
    moved = arranged(rows, arrangement(places))
    assert moved[:, 0].tolist() == [2, 3, 1, 4, 5, 6]
    assert moved[:, 1].tolist() == [20, 30, 10, 40, 50, 60]
