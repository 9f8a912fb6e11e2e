"""Real clusters on this machine, each of its processes ended by its own number."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
SMALL = ("--num-cpus", "1", "--object-store-memory", str(100 * 2**20), "--disable-usage-stats")
PATIENCE = 120  # seconds for a program to end


class Nodes:
    """A head and, joined by its address, a second node, of one core each.

    They and the programs that work there share a token that is made for them.

    Args:
        stack: Ends them.

    Attributes:
        address: The head's.
    """

    def __init__(self, stack: ExitStack) -> None:
        port = str(free_port())
        self.address = f"127.0.0.1:{port}"
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT), **token}
        stack.enter_context(self._node("--head", "--port", port, "--include-dashboard", "false"))
        stack.enter_context(self._node("--address", self.address))

    def run(self, *arguments: str) -> str:
        """The output of a Python program that works there; it must end well."""
        done = subprocess.run(
            [sys.executable, *arguments],
            env=self._environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def _node(self, *arguments: str) -> Iterator[None]:
        """The processes that ``ray start`` with these arguments runs."""
        started = subprocess.Popen(
            [Path(sys.executable).with_name("ray"), "start", "--block", *SMALL, *arguments],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert started.stdout is not None
        try:
            said = []
            for line in started.stdout:
                said.append(line)
                if line.rstrip().endswith("--block"):  # all of it runs
                    break
            else:
                raise AssertionError("".join(said))
            yield
        finally:
            started.terminate()  # it forgets its address then, which others would try to join
            with suppress(subprocess.TimeoutExpired):
                started.wait(PATIENCE)
            with suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()
            started.stdout.close()


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    """Inside, there are the nodes."""
    with ExitStack() as stack:
        yield Nodes(stack)


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
    return port
