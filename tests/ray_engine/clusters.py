"""Real clusters on this machine, each of its processes ended by its own number."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

SMALL = ("--num-cpus", "1", "--object-store-memory", str(100 * 2**20), "--disable-usage-stats")


@contextmanager
def two_nodes() -> Iterator[str]:
    """A head and, joined by its address, a second node, of one core each; gives the address."""
    address = f"127.0.0.1:{free_port()}"
    with ExitStack() as stack:
        port = address.rpartition(":")[2]
        stack.enter_context(node("--head", "--port", port, "--include-dashboard", "false"))
        stack.enter_context(node("--address", address))
        yield address


@contextmanager
def node(*arguments: str) -> Iterator[None]:
    """What ``ray start`` with these arguments runs."""
    ray = Path(sys.executable).with_name("ray")
    started = subprocess.Popen(
        [ray, "start", "--block", *SMALL, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert started.stdout is not None
        said = []
        for line in started.stdout:
            said.append(line)
            if "--block" in line:  # all of it runs
                break
        else:
            raise AssertionError("".join(said))
        yield
    finally:
        started.send_signal(signal.SIGTERM)
        try:
            started.wait(30)
        finally:
            with_group(started.pid)


def with_group(number: int) -> None:
    """End what is left of a process's group."""
    try:
        os.killpg(number, signal.SIGKILL)
    except ProcessLookupError:
        return


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
    return port
