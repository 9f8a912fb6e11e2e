"""Where the network acts and learns; a GPU's part is tried where there is one."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.networks.network_agent import NetworkAgent
from agents.ppo.device import GPUS, device_named
from kododo_env import kododo_v0
from kododo_env.wrappers.vec import BatchVecEnv
from tests.trainings import learner

HERE = [name for name in GPUS if getattr(torch, name).is_available()]


def test_auto_takes_a_gpu_if_there_is_one() -> None:
    assert device_named("cpu") == "cpu"
    assert device_named("auto") == (*HERE, "cpu")[0]


@pytest.mark.parametrize("available", GPUS)
def test_a_gpu_that_torch_finds_is_taken(available: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in GPUS:
        monkeypatch.setattr(
            getattr(torch, name), "is_available", lambda name=name: name == available
        )
    assert device_named("auto") == device_named(available) == available


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpu", "--device must be one of cpu, cuda, mps, auto, not 'gpu'"),
        ("cuda:1", "--device must be one of cpu, cuda, mps, auto, not 'cuda:1'"),
        ("cuda", "--device cuda: torch finds none here; use --device cpu or auto"),
    ],
)
def test_a_device_that_there_is_not(
    name: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        device_named(name)
    assert str(error.value) == message


def test_everything_the_network_gets_is_brought_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tensor that is not moved would be found by the GPU alone; here the moves are counted."""
    model = learner(BatchVecEnv(kododo_v0.batch_game(4, 2, seed=0)))
    moved: list[torch.device] = []
    original = torch.Tensor.to

    def to(tensor: torch.Tensor, *where: object, **how: object) -> torch.Tensor:
        moved.extend(place for place in where if isinstance(place, torch.device))
        return original(tensor, *where, **how)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(torch.Tensor, "to", to)
    observations = model.env.reset()  # type: ignore[union-attr]
    assert isinstance(observations, np.ndarray)
    model.policy.answers(observations)
    NetworkAgent(model.policy.network).act(
        kododo_v0.batch_game(3, 2).view(0), np.random.default_rng(0)
    )
    assert moved == [torch.device("cpu")] * 2


@pytest.mark.parametrize("device", GPUS)
def test_a_run_on_a_gpu_goes_on_elsewhere(device: str, tmp_path: Path) -> None:
    if device not in HERE:
        pytest.skip(f"torch finds no device {device} here")
    model = learner(BatchVecEnv(kododo_v0.batch_game(8, 2, seed=0)), device=device)
    model.learn(model.n_steps * model.n_envs)
    assert {each.device.type for each in model.policy.network.parameters()} == {device}
    kept = io.BytesIO()
    torch.save(model.policy.state_dict(), kept)
    kept.seek(0)
    other = learner(BatchVecEnv(kododo_v0.batch_game(8, 2, seed=0)))
    other.policy.load_state_dict(torch.load(kept, weights_only=True, map_location="cpu"))
    view = kododo_v0.batch_game(50, 2, seed=1).view(0)
    chosen = [
        NetworkAgent(each.policy.network).act(view, np.random.default_rng(0))
        for each in (model, other)
    ]
    assert (chosen[0] == chosen[1]).mean() > 0.95
