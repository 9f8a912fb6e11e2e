"""Ctrl-C and SIGTERM: one line at any time, and no process outlives its starter."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.commands.train import train
from agents.training.checkpoint import read_checkpoint
from agents.training.command_defaults import defaults
from agents.training.training_config import TrainConfig
from kododo_env.commands.cli import run_cli
from kododo_env.commands.tournament import log_of
from kododo_env.system.signals import TerminationSignal

ROOT = Path(__file__).parents[2]
SCRIPTS = (
    ("train.py",), ("evaluate.py",),
    ("-m", "kododo_env", "evaluate"),
)  # fmt: skip
KILLS = (signal.SIGINT, signal.SIGTERM)


# train.py with an empty file for the policy: an export takes seconds, and is tested elsewhere.
TRAINING = """
import runpy, agents.commands.train
agents.commands.train.export_policy = lambda network, game, path, **_: path.touch()
runpy.run_path("train.py", run_name="__main__")
"""


def started(*args: str, path: Path = ROOT) -> subprocess.Popen[str]:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{path}:{ROOT}"}
    return subprocess.Popen(
        [sys.executable, *args], cwd=ROOT, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def wait_until(true: Callable[[], bool]) -> None:
    patience = time.monotonic() + 120
    while not true():
        assert time.monotonic() < patience, "it does not come"
        time.sleep(0.05)


def evaluating(folder: Path, workers: str) -> subprocess.Popen[str]:
    """Start a long tournament and wait until its log has results."""
    args = ("--agents", "random", "greedy", "--games", "400000", "--workers", workers)
    log = log_of(folder / "out.json")
    process = started("evaluate.py", *args, "--json", str(folder / "out.json"))
    wait_until(lambda: log.exists() and log.read_bytes().count(b"\n") > 1)
    return process


# --- at any time --------------------------------------------------------------------------


@pytest.mark.parametrize("script", SCRIPTS, ids=" ".join)
@pytest.mark.parametrize("number", KILLS)
def test_while_libraries_are_imported(
    script: tuple[str, ...], number: signal.Signals, tmp_path: Path
) -> None:
    """It once ended in a traceback from inside torch."""
    module = "import pathlib, time; pathlib.Path(__file__).with_name('now').touch(); time.sleep(60)"
    (tmp_path / "numpy.py").write_text(module)
    with started(*script, path=tmp_path) as process:
        wait_until((tmp_path / "now").exists)
        process.send_signal(number)
        output = process.communicate(timeout=60)
    assert (output, process.returncode) == (("", "\nstopped\n"), 128 + number)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("number", KILLS)
def test_an_evaluation_keeps_what_it_has_played(
    number: signal.Signals, workers: str, tmp_path: Path
) -> None:
    """SIGTERM once ended it without a message, and its workers not at all."""
    with evaluating(tmp_path, workers) as process:
        process.send_signal(number)
        output = process.communicate(timeout=60)
    line = "\nstopped: the games so far are saved, continue with --resume\n"
    assert (output, process.returncode) == (("", line), 128 + number)
    assert [*tmp_path.iterdir()] == [log_of(tmp_path / "out.json")]


def test_a_training_is_saved_and_ends(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = ("--run-dir", str(run), "--players", "2", "--threads", "1",
        "--games", "20", "--num-envs", "8", "--width", "16")  # fmt: skip
    with started("-c", TRAINING, *command) as process:
        wait_until(lambda: any(run.glob("tensorboard/*")))
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        out, error = process.communicate(timeout=120)
    assert process.returncode == 143, error
    assert "stopped early" in out
    assert error == f"\nstopped: resume with: python train.py --resume --run-dir {run}\n"
    assert read_checkpoint(run / "checkpoint.zip").progress.updates > 0
    assert (run / "policy.onnx").exists()


def test_told_twice_a_training_ends_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def signal_twice(self: object) -> None:
        for _ in range(2):
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("agents.training.trainer.Trainer._imitate", signal_twice)
    with pytest.raises(SystemExit) as exit_info:
        run_cli(TrainConfig, train, ["--run-dir", str(tmp_path), "--players", "2"], defaults)
    assert exit_info.value.code == 143
    assert capsys.readouterr().err.count("\n") == 2
    assert not (tmp_path / "checkpoint.zip").exists()
    assert issubclass(TerminationSignal, KeyboardInterrupt)


# --- what works for another ---------------------------------------------------------------


def test_workers_end_with_an_evaluation_that_is_killed(tmp_path: Path) -> None:
    """They once stayed for ever, and with them a pipe such as ``| tee``."""
    with evaluating(tmp_path, workers="2") as process:
        process.kill()
        process.communicate(timeout=30)  # reads until all processes have closed the pipe
