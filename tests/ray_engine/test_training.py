"""train.py --engine ray: train to the policy file, and resume."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray", reason="Ray is not installed: make test-ray has an environment with it")

from agents.training.checkpoint import read_checkpoint
from agents.training.run_folder import CHECKPOINT, POLICY
from tests.command_line import cli
from tests.ray_engine.short_trainings import ON_RAY, trained
from tests.trainings import weights


def test_it_exports_a_policy_that_evaluate_plays_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_dir = tmp_path / "run"
    first = trained(capsys, run_dir, 3, *ON_RAY)
    assert read_checkpoint(run_dir / CHECKPOINT).progress.updates == 3
    before = weights(run_dir / POLICY)
    agents = ("--agents", str(run_dir / POLICY), "random", "--players", "3", "--games", "30")
    code, output, error = cli(capsys, *agents, "--workers", "1")
    assert code == 0, error
    assert "random" in output
    second = trained(capsys, run_dir, 5, "--resume", *ON_RAY)
    assert second > first
    assert read_checkpoint(run_dir / CHECKPOINT).progress.updates == 5
    assert any((a != b).any() for a, b in zip(before, weights(run_dir / POLICY), strict=True))


def test_either_engine_goes_on_with_the_others_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_dir = tmp_path / "run"
    first = trained(capsys, run_dir, 2)
    second = trained(capsys, run_dir, 4, "--resume", *ON_RAY)
    third = trained(capsys, run_dir, 6, "--resume")
    assert first < second < third


def test_a_resumed_run_is_the_unbroken_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The checkpoint has the learners' optimiser, and all random states."""
    trained(capsys, tmp_path / "whole", 6, *ON_RAY)
    trained(capsys, tmp_path / "broken", 6, *ON_RAY, stopped_after=3)
    trained(capsys, tmp_path / "broken", 6, "--resume", *ON_RAY)
    whole, broken = (weights(tmp_path / name / POLICY) for name in ("whole", "broken"))
    for a, b in zip(whole, broken, strict=True):
        np.testing.assert_array_equal(a, b)
