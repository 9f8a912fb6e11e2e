"""The learner's machine: memory and caches, and the network's device."""

from __future__ import annotations

import io
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.ppo.machine import device_named
from kododo_env import kododo_v0
from kododo_env.networks.network_agent import NetworkAgent
from tests.trainings import learner, update

ROOT = Path(__file__).parents[2]


def printed_number(script: str) -> int:
    """Run a script in its own process and return the number that it prints."""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return int(done.stdout)


# --- memory -------------------------------------------------------------------------------

FREED = """
import ctypes, psutil
from agents.ppo.machine import prepare_process
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
def kept():
    before = psutil.Process().memory_info().rss
    blocks = [ctypes.c_void_p(libc.malloc(30 << 20)) for _ in range(5)]
    for block in blocks:
        ctypes.memset(block, 1, 30 << 20)
    for block in blocks:
        libc.free(block)
    return psutil.Process().memory_info().rss - before
as_it_is = kept()
prepare_process()
print(int(as_it_is < 30 << 20 < 120 << 20 < kept()))
"""
COMPILED = """
import psutil, torch
from agents.ppo.machine import prepare_process
prepare_process()
layer, resident = torch.nn.Linear(256, 256), []
for rows in range(1, 801):
    with torch.no_grad(), torch.autocast('cpu', torch.bfloat16):
        layer(torch.zeros(rows, 256))
    resident.append(psutil.Process().memory_info().rss)
print(resident[-1] - resident[100])
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has the setting")
def test_freed_memory_stays_with_the_process() -> None:
    """The script allocates blocks itself, because torch's allocations depend on the machine."""
    assert printed_number(FREED)


def test_code_compiled_for_each_number_of_rows_is_not_kept_for_ever() -> None:
    """Training in bfloat16 grew by hundreds of MB, where the processor has it."""
    assert printed_number(COMPILED) < 64 << 20


def test_importing_the_learner_changes_no_environment() -> None:
    script = (
        "import os, torch; before = dict(os.environ)\n"
        "import agents.commands.train, agents.training.response_training\n"
        "print(int(dict(os.environ) != before))"
    )
    assert printed_number(script) == 0


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
