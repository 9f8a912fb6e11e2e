"""Places: what is exported, and what is faster, give the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from agents.networks.places import columns_of, count_not_above, descending_places, inverse

torch.manual_seed(0)
KEYS = torch.randint(0, 4, (200, 5)).double()
WAYS: list[Callable[[], torch.Tensor]] = [
    lambda: inverse(descending_places(KEYS)),
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


def test_the_inverse_says_who_has_each_place() -> None:
    places = torch.tensor([[2, 0, 1], [0, 1, 2]])
    assert inverse(places).tolist() == [[1, 2, 0], [0, 1, 2]]
