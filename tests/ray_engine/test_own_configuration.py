"""The page's example for those who bring their own RLlib configuration."""

from __future__ import annotations

import os
import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest

from kododo_env import kododo_v0

pytest.importorskip("ray", reason="Ray is not installed: make test-ray has an environment with it")

ROOT = Path(__file__).parents[2]
OPTIONS = signature(kododo_v0.parallel_env).parameters


@pytest.mark.skipif("normalize" not in OPTIONS, reason="parallel_env has no normalize yet")
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
