"""A script in a separate process, observed from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
PATIENCE = 600.0  # seconds to wait for any event
LEFT = 20.0  # seconds for the child processes to end after a script
TROUBLE = ("Traceback", "Exception ignored", "Warning:")


class Fault(Exception):
    """An error that is raised when a script behaves otherwise than required."""


class Script:
    """A running script in a separate session.

    Args:
        args: The arguments of ``python``.
        words: The file for its standard error.
    """

    def __init__(self, args: Sequence[str], words: Path) -> None:
        self.words = words
        environment = os.environ | {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        with words.open("wb") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, *args],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
            )

    @property
    def running(self) -> bool:
        """Whether the script is still running."""
        return self.process.poll() is None

    def wait_for(self, true: Callable[[], bool]) -> bool:
        """Wait for a condition; return False if the script ends before."""
        until = time.monotonic() + PATIENCE
        while self.running:
            if true():
                return True
            if time.monotonic() > until:
                raise Fault("what was waited for does not come")
            time.sleep(0.002)
        return False

    def send(self, number: signal.Signals) -> None:
        """Send a signal; signals other than SIGKILL are sent only when Python handles them."""
        if number != signal.SIGKILL:
            self.wait_for(self._hears)
        if self.running:
            self.process.send_signal(number)

    def _hears(self) -> bool:
        """Whether Python has started the script and handles signals."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:  # this file only exists on Linux
            return time.time() - psutil.Process(self.process.pid).create_time() > 5
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
        return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)

    def end(self, allowed: Sequence[int]) -> int:
        """Wait for the end of the script.

        Returns:
            The exit status.

        Raises:
            Fault: The status is not allowed, more than one line was printed, or a process is left.
        """
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired as error:
            self.process.kill()
            raise Fault("it does not end") from error
        errors = self.words.read_text(errors="replace")
        if status not in allowed:
            raise Fault(f"status {status}, not one of {list(allowed)}: {errors.strip()[-500:]}")
        # A killed script cannot prevent the messages of library processes about its end.
        judged = status != -signal.SIGKILL
        if judged and (
            len(errors.strip().splitlines()) > 1 or any(word in errors for word in TROUBLE)
        ):
            raise Fault(f"more than a line on stderr: {errors.strip()[-500:]}")
        self._alone()
        return status

    def _alone(self) -> None:
        """Raise Fault if a process of the script's session still exists after some seconds."""
        until = time.monotonic() + LEFT
        while pids := [pid for pid in psutil.pids() if _session(pid) == self.process.pid]:
            if time.monotonic() > until:
                for pid in pids:
                    os.kill(pid, signal.SIGKILL)
                raise Fault(f"{len(pids)} of its processes go on without it")
            time.sleep(0.05)


def _session(pid: int) -> int:
    try:
        if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return -1
        return os.getsid(pid)
    except (psutil.Error, OSError):
        return -1
