"""The device of the network."""

from __future__ import annotations

import io

import numpy as np
import pytest
import torch

from agents.ppo.machine import device_named
from kododo_env import kododo_v0
from kododo_env.networks.network_agent import NetworkAgent
from tests.trainings import learner, update

# --- device -------------------------------------------------------------------------------


def test_auto_takes_a_gpu_if_there_is_one() -> None:
    assert device_named("cpu") == "cpu"
    assert device_named("auto") == ("cuda" if torch.cuda.is_available() else "cpu")


def test_a_gpu_that_torch_finds_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert device_named("auto") == device_named("cuda") == "cuda"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpu", "cpu, cuda, auto.*'gpu'"),
        ("mps", "cpu, cuda, auto.*'mps'"),
        ("cuda:1", "cpu, cuda, auto.*'cuda:1'"),
        ("cuda", "--device cuda.*--device cpu"),
    ],
)
def test_a_device_that_there_is_not(
    name: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=message):
        device_named(name)


def test_everything_the_network_gets_is_brought_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a GPU would notice a tensor that is not moved, so the moves are counted."""
    game = kododo_v0.batch_game(4, 2, seed=0)
    model = learner(game)
    moved: list[torch.device] = []
    original = torch.Tensor.to

    def to(tensor: torch.Tensor, *args: object, **options: object) -> torch.Tensor:
        moved.extend(arg for arg in args if isinstance(arg, torch.device))
        return original(tensor, *args, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(torch.Tensor, "to", to)
    model.answers(game.observe().reshape(8, -1))
    NetworkAgent(model.network).act(kododo_v0.batch_game(3, 2).view(0), np.random.default_rng(0))
    assert moved == [torch.device("cpu")] * 2


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU here")
def test_a_run_on_a_gpu_goes_on_elsewhere() -> None:
    game = kododo_v0.batch_game(8, 2, seed=0)
    model = learner(game, device="cuda")
    update(model, game)
    assert {weights.device.type for weights in model.network.parameters()} == {"cuda"}
    buffer = io.BytesIO()
    torch.save(model.learned(), buffer)
    buffer.seek(0)
    resumed = learner(game)
    resumed.go_on(torch.load(buffer, weights_only=True, map_location="cpu"))
    view = kododo_v0.batch_game(50, 2, seed=1).view(0)
    actions = NetworkAgent(model.network).act(view, np.random.default_rng(0))
    resumed_actions = NetworkAgent(resumed.network).act(view, np.random.default_rng(0))
    assert (actions == resumed_actions).mean() > 0.95
