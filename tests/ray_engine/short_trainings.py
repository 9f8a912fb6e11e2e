"""Run trainings by train.py that take seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.training.checkpoint import read_checkpoint
from agents.training.run_folder import CHECKPOINT
from agents.training.trainer import Trainer
from tests.command_line import train_py

ON_RAY = ("--engine", "ray", "--workers", "2")
SMALL = (
    "--players", "3", "--num-envs", "16", "--batch-size", "256", "--width", "16", "--games", "30",
    "--evaluations", "1", "--no-bfloat16", "--threads", "1",
)  # fmt: skip
UPDATE = 16 * 3 * 21  # agent-steps


def trained(
    capsys: pytest.CaptureFixture[str],
    run_dir: Path,
    updates: int,
    *arguments: str,
    stopped_after: int | None = None,
) -> int:
    """Train up to a total number of updates; return the agent-steps of the checkpoint.

    Args:
        capsys: The fixture.
        run_dir: The run's folder.
        updates: The total number of updates.
        *arguments: Further arguments of train.py.
        stopped_after: Stop as if by Ctrl-C after this many updates.
    """
    command_line = [*SMALL, "--steps", str(updates * UPDATE), "--run-dir", str(run_dir), *arguments]
    with pytest.MonkeyPatch.context() as patch:
        if stopped_after is not None:
            patch.setattr(Trainer, "_measure_if_due", stopping(stopped_after))
        code, _, error = train_py(capsys, command_line)
    assert code == (0 if stopped_after is None else 130), error
    return read_checkpoint(run_dir / CHECKPOINT).progress.steps


def stopping(after: int) -> Any:
    """Replace a trainer's measuring by a stop after this many updates."""

    def stop(trainer: Trainer) -> None:
        if trainer.progress.updates == after:
            trainer.stopped = KeyboardInterrupt

    return stop
