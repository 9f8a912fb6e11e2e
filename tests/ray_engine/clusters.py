"""Start real clusters on this machine, and end each of their processes by its id."""

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
    """A head node and a second node that joins it by its address, of one core each.

    The nodes and the programs that use them share an authentication token.

    Args:
        stack: Ends the nodes when it closes.

    Attributes:
        address: The address of the head node.
    """

    def __init__(self, stack: ExitStack) -> None:
        port = str(free_port())
        self.address = f"127.0.0.1:{port}"
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT), **token}
        stack.enter_context(self._node("--head", "--port", port, "--include-dashboard", "false"))
        stack.enter_context(self._node("--address", self.address))

    def run(self, *arguments: str) -> str:
        """Run a Python program on the cluster and return its output; it must succeed."""
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
        """Run the processes of ``ray start`` with these arguments."""
        process = subprocess.Popen(
            [Path(sys.executable).with_name("ray"), "start", "--block", *SMALL, *arguments],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert process.stdout is not None
        try:
            output = []
            for line in process.stdout:
                output.append(line)
                if line.rstrip().endswith("--block"):  # everything has started
                    break
            else:
                raise AssertionError("".join(output))
            yield
        finally:
            process.terminate()  # so that it removes its address, which others would try to join
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    """Run two nodes while the context lasts."""
    with ExitStack() as stack:
        yield Nodes(stack)


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
    return port
