"""Muon and Adam as one optimiser, and gradients computed in parts on several threads."""

from __future__ import annotations

from copy import deepcopy
from itertools import chain

import pytest
import torch
from torch import Tensor, nn

from agents.ppo.machine import DataParallel
from agents.ppo.optimizer import MuonWithAdam, set_learning_rate
from kododo_env import kododo_v0
from tests.trainings import learner, numbers_of, update


def layers() -> nn.Sequential:
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(5, 8), nn.Linear(8, 2))


def joint(network: nn.Sequential, bfloat16: bool = True) -> MuonWithAdam:
    first, *rest_parameters = network.parameters()
    return MuonWithAdam([first], rest_parameters, lr=0.01, muon=4.0, bfloat16=bfloat16)


def step(network: nn.Sequential, *optimizers: torch.optim.Optimizer) -> None:
    inputs = torch.linspace(-1, 1, 15).reshape(3, 5)
    for optimizer in optimizers:
        optimizer.zero_grad()
    network(inputs).square().sum().backward()
    for optimizer in optimizers:
        optimizer.step()


def test_matrices_follow_muon_and_the_rest_adam() -> None:
    network = layers()
    reference = layers()
    float32 = layers()
    first, *rest_parameters = reference.parameters()
    muon = torch.optim.Muon([first], lr=0.04, weight_decay=0.0, ns_steps=3)
    adam = torch.optim.Adam(rest_parameters, lr=0.01)
    optimizer = joint(network)
    float32_optimizer = joint(float32, bfloat16=False)
    for _ in range(3):
        step(network, optimizer)
        step(float32, float32_optimizer)
        step(reference, muon, adam)
    assert torch.equal(numbers_of(network), numbers_of(reference))
    assert not torch.equal(numbers_of(network), numbers_of(layers()))
    assert not torch.equal(numbers_of(network), numbers_of(float32))
    assert torch.allclose(numbers_of(network), numbers_of(float32), atol=5e-3)


def test_a_learning_rate_reaches_both_in_their_proportion() -> None:
    network = layers()
    optimizer = joint(network)
    set_learning_rate(optimizer, 0.5)
    step(network, optimizer)
    assert [group["lr"] for group in optimizer.param_groups] == [2.0, 0.5]
    plain = torch.optim.Adam(layers().parameters(), lr=1.0)
    set_learning_rate(plain, 0.5)
    assert plain.param_groups[0]["lr"] == 0.5


def test_a_saved_optimizer_goes_on_as_if_it_had_never_stopped() -> None:
    network = layers()
    optimizer = joint(network)
    step(network, optimizer)
    state = deepcopy(optimizer.state_dict())
    resumed = layers()
    resumed.load_state_dict(network.state_dict())
    resumed_optimizer = joint(resumed)
    resumed_optimizer.load_state_dict(state)
    set_learning_rate(optimizer, 0.002)
    step(network, optimizer)
    set_learning_rate(resumed_optimizer, 0.002)  # reaches the groups that were loaded
    step(resumed, resumed_optimizer)
    assert torch.equal(numbers_of(network), numbers_of(resumed))


def test_parts_make_up_the_batch_in_order() -> None:
    for threads in (1, 2, 3):
        parallel = DataParallel(threads)
        for total in (1, 2, 7, 100):
            parts = parallel.map(lambda part: list(range(1000))[part], total)
            assert list(chain.from_iterable(parts)) == list(range(total))
            assert len(parts) == min(threads, total)
            assert max(map(len, parts)) - min(map(len, parts)) <= 1
    with pytest.raises(ValueError, match=r"threads.* 0"):
        DataParallel(0)


def trained(threads: int) -> Tensor:
    """Return the weights after two small updates with Muon on this many threads."""
    game = kododo_v0.batch_game(8, seed=0)
    model = learner(game, muon=30.0, n_epochs=1, threads=threads, margin_weight=0.0)
    for seed in range(2):
        update(model, game, seed)
    return numbers_of(model.network)


def test_threads_learn_the_same_but_for_rounding_and_reproducibly() -> None:
    single = trained(1)
    double = trained(2)
    assert torch.equal(double, trained(2))
    assert torch.allclose(single, double, atol=5e-3)
    assert (single - double).abs().mean() < 1e-4
