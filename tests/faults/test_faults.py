"""Scripts that are killed come to the same end; those without room or folder say so in a line.

``make faults`` kills them more often.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from agents.training.checkpoint import read_checkpoint
from agents.training.run_folder import CHECKPOINT
from tests.faults.work import TOURNAMENT, TRAINING, Work, end, wait_for

KILLS = int(os.environ.get("FAULTS_KILLS", "1"))
SEED = int(os.environ.get("FAULTS_SEED", "0"))
ENDS = (0, -signal.SIGKILL, 128 + signal.SIGTERM, 128 + signal.SIGINT)


@pytest.mark.parametrize("work", [TRAINING, TOURNAMENT], ids=["training", "tournament"])
def test_killed_work_comes_to_the_same(work: Work, tmp_path: Path) -> None:
    rng = np.random.default_rng(SEED)
    whole = work.results(tmp_path / "whole")
    broken = tmp_path / "broken"
    for kill in range(KILLS):
        script = work.in_the_middle(broken)
        if rng.random() < 0.3:
            wait_for(script, lambda: any((broken / "run").glob(".*.????????.*")))  # in a write
        else:
            time.sleep(rng.random() * 0.3)
        script.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        status = end(script, broken, ENDS)
        if kill == KILLS - 1 or status == 0:
            assert work.results(broken) == whole
            shutil.rmtree(broken)


def test_a_training_without_room_says_so_in_a_line(tmp_path: Path) -> None:
    """Regression: after the line about a full disk came a traceback of TensorBoard's thread."""
    if not hasattr(psutil.Process, "rlimit"):
        pytest.skip("this system has no limit on the size of files")
    script = TRAINING.in_the_middle(tmp_path)
    psutil.Process(script.pid).rlimit(psutil.RLIMIT_FSIZE, (64, 64))
    assert "File too large" in end(script, tmp_path, [2])
    read_checkpoint(tmp_path / "run" / CHECKPOINT)


def test_a_training_whose_folder_became_anothers_writes_nothing(tmp_path: Path) -> None:
    script = TRAINING.in_the_middle(tmp_path)
    run = tmp_path / "run"
    run.rename(tmp_path / "moved")
    run.mkdir()
    (run / CHECKPOINT).write_text("another run's")
    assert "run" in end(script, tmp_path, [2])
    assert [path.name for path in run.iterdir()] == [CHECKPOINT]
    assert (run / CHECKPOINT).read_text() == "another run's"
    read_checkpoint(tmp_path / "moved" / CHECKPOINT)


def test_a_tournament_whose_folder_is_removed_says_so(tmp_path: Path) -> None:
    script = TOURNAMENT.in_the_middle(tmp_path)
    (tmp_path / "run").rename(tmp_path / "removed")
    assert "run/table.json" in end(script, tmp_path, [2])
    assert not (tmp_path / "run").exists()
