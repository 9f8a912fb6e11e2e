"""A policy file passes the same checks as those that the examples write."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kododo_env import registry
from tests.clients import policy_files
from tests.policy_exports import from_elsewhere


def test_a_file_that_plays_otherwise_elsewhere_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has been measured and played by then; tests/play/static has the same in Pyodide."""
    monkeypatch.setenv("PYTHONPATH", str(policy_files.ROOT))
    monkeypatch.setattr(policy_files, "missing", lambda: "pyodide")
    path = from_elsewhere(registry.batch_game("kado", 1, num_players=2), tmp_path / "own.onnx")
    monkeypatch.setattr(policy_files, "_by_numpy_alone", lambda policy, questions: [])
    with pytest.raises(ValueError, match=r"own\.onnx plays otherwise by numpy alone"):
        policy_files.use(path, sys.executable)
