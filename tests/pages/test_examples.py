"""The example programs of docs/examples run, as a reader would run them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("game", ["Kododo", "CombiCombo"])
def test_ppo_in_one_file(game: str) -> None:
    pytest.importorskip("torch")
    script = str(ROOT / "docs" / "examples" / "ppo_single_file.py")
    sizes = ["--num-envs", "64", "--steps", "20", "--updates", "3"]
    done = subprocess.run(
        [sys.executable, script, "--game", f"kododo/{game}-v0", *sizes],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "update 3: mean return" in done.stdout
    assert "in the games alone" in done.stdout
