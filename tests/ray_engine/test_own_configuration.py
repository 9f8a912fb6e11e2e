"""The page's example for users who bring their own RLlib configuration."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed: make test-ray has an environment with it")

ROOT = Path(__file__).parents[2]


def test_rllibs_own_ppo_trains() -> None:
    done = subprocess.run(
        [sys.executable, "docs/examples/rllib_ppo.py"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAY_ADDRESS": "local"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "update 2: entropy" in done.stdout
