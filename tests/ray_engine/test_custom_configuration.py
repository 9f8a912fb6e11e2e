"""The page's example for users who bring their own RLlib configuration."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.clients.libraries import CLIENTS
from tests.clients.python_clients import ROOT, run_example

pytest.importorskip("ray", reason="Ray is not installed: make test-ray has an environment with it")


def test_rllibs_own_ppo_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (rllib,) = (client for client in CLIENTS if client.name == "RLlib")
    run_example(rllib, sys.executable, tmp_path)
