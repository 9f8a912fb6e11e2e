"""Scripts in processes of their own, which can be interrupted and resumed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx
import psutil

from agents.training.run_folder import CHECKPOINT, POLICY
from kododo_env.commands.tournament import log_of

ROOT = Path(__file__).parents[2]
PATIENCE = 600.0  # seconds to wait for any event


@dataclass(frozen=True)
class Work:
    """A script that writes into the folder ``run``, below the folder in which it is started.

    Attributes:
        args: Its arguments.
        saved: The file that each of its saves changes.
    """

    args: tuple[str, ...]
    saved: str

    def start(self, folder: Path) -> subprocess.Popen[bytes]:
        """Start the script, or resume it if it was interrupted."""
        (folder / "run").mkdir(parents=True, exist_ok=True)
        resume = ["--resume"] if self.progress(folder) else []
        with (folder / "errors").open("wb") as errors:
            return subprocess.Popen(
                [sys.executable, *self.args, *resume],
                cwd=folder,
                env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )

    def progress(self, folder: Path) -> int:
        """Return 0 before anything is saved, and another number after each save."""
        path = folder / "run" / self.saved
        try:
            return path.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def in_the_middle(self, folder: Path) -> subprocess.Popen[bytes]:
        """Start the script and wait until it can be resumed."""
        script = self.start(folder)
        assert wait_for(script, lambda: self.progress(folder) > 0)
        return script

    def results(self, folder: Path) -> list[bytes]:
        """Run the script to its end, and return what it has written, without times."""
        end(self.start(folder), folder, [0])
        run = folder / "run"
        assert not [path for path in run.iterdir() if path.name.startswith(".")]
        if not (run / POLICY).exists():
            return [(run / "table.json").read_bytes()]
        with zipfile.ZipFile(run / CHECKPOINT) as archive:
            learner = archive.read("learner.pt")
        graph = onnx.load(run / POLICY).graph.SerializeToString(deterministic=True)
        return [graph, learner, (run / "results.json").read_bytes()]


TRAINING = Work(
    (
        str(ROOT / "train.py"), "--players", "2", "--steps", "5000", "--num-envs", "8", "--width",
        "16", "--threads", "1", "--games", "24", "--evaluations", "2", "--checkpoint-minutes",
        "0.000001", "--run-dir", "run",
    ),
    CHECKPOINT,
)  # fmt: skip
TOURNAMENT = Work(
    (
        str(ROOT / "evaluate.py"), "--agents", "random", "greedy", "follow", "--players", "3",
        "--games", "12000", "--workers", "2", "--json", "run/table.json",
    ),
    log_of(Path("table.json")).name,
)  # fmt: skip


def wait_for(script: subprocess.Popen[bytes], condition: Callable[[], bool]) -> bool:
    """Wait for a condition; return False if the script ends before."""
    until = time.monotonic() + PATIENCE
    while script.poll() is None:
        if condition():
            return True
        assert time.monotonic() < until
        time.sleep(0.002)
    return False


def end(script: subprocess.Popen[bytes], folder: Path, statuses: Sequence[int]) -> str:
    """Wait for the end of a script.

    It must have one of these exit statuses, print at most one line, which is returned, and leave no
    processes.
    """
    status = script.wait(PATIENCE)
    errors = (folder / "errors").read_text(errors="replace")
    assert status in statuses, errors
    # A killed script cannot prevent the messages of library processes about its end.
    if status != -signal.SIGKILL:
        assert len(errors.strip().splitlines()) <= 1, errors
        assert not any(word in errors for word in ("Traceback", "Exception ignored", "Warning:"))
    until = time.monotonic() + 20
    while any(_session(pid) == script.pid for pid in psutil.pids()):
        assert time.monotonic() < until, "a process of the script goes on"
        time.sleep(0.05)
    return errors


def _session(pid: int) -> int:
    try:
        if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return -1
        return os.getsid(pid)
    except (psutil.Error, OSError):
        return -1
