"""What does the work that a command line asks for; Ray is imported only where it does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agents.engine import RAY, Engine
from kododo_env.system.extras import needs


@contextmanager
def engine(which: Engine, address: str | None, workers: int | None) -> Iterator[None]:
    """Inside, there is what does the work.

    Args:
        which: "local" has its own processes when it needs them.
        address: Of a Ray cluster that runs; None makes one of this machine.
        workers: How many cores of it are wanted; None: all.

    Raises:
        ImportError: Ray is not installed.
        ValueError: There is no such cluster, or it is too small.
    """
    if which != RAY:
        yield
        return
    needs("--engine ray", "ray", "ray")
    from agents.ray_engine.cluster import cluster

    with cluster(address, workers):
        yield
