"""The Ray cluster that does the work: one of this machine alone, or one that is there already."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kododo_env.system.cores import available_cores
from kododo_env.system.extras import needs

needs("--engine ray", "ray", "ray")

import ray  # noqa: E402

# Ray reports no usage, and prints no faults from which it recovers.
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
OBJECT_STORE = 200 * 2**20  # bytes, of a cluster of this machine; any more goes to the disk
PATIENCE = 10.0  # seconds for a cluster to answer
ROOT = Path(__file__).parents[2]
PACKAGES = [str(ROOT / name) for name in ("agents", "kododo_env")]  # nodes need no checkout


@contextmanager
def cluster(address: str | None, workers: int | None) -> Iterator[None]:
    """Inside, this process is the driver of a Ray cluster.

    Args:
        address: Of a cluster that runs, such as ``10.0.0.1:6379``; None makes one of this
            machine, which ends with the block.
        workers: How many of its cores are wanted; None: all.

    Raises:
        ValueError: There is no cluster at the address, or it has fewer cores.
    """
    where: dict[str, Any] = {"address": address, "runtime_env": {"py_modules": PACKAGES}}
    if address is None:
        where = {
            "address": "local",  # or it would join one that it finds here
            "num_cpus": workers or available_cores(),
            "object_store_memory": OBJECT_STORE,
            "include_dashboard": False,
        }
    os.environ.update({**QUIET, **os.environ})
    try:
        if address is not None:
            _knock(address)
        ray.init(**where, log_to_driver=False, logging_level="critical")
    except (OSError, RuntimeError, ValueError) as error:
        raise ValueError(_refusal(address)) from error
    try:
        if workers is not None and cores() < workers:
            raise ValueError(
                f"the Ray cluster has {cores()} cores: give --workers {cores()} or fewer"
            )
        yield
    finally:
        ray.shutdown()


def cores() -> int:
    """How many cores the cluster has."""
    return int(ray.cluster_resources().get("CPU", 0))


def _knock(address: str) -> None:
    """Raise OSError or ValueError if nobody listens there: Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    socket.create_connection((host, int(port)), PATIENCE).close()


def _refusal(address: str | None) -> str:
    if address is None:
        return "no Ray cluster can be begun on this machine: try ray start --head to see why"
    return (
        f"no Ray cluster answers at {address}, or this machine is none of it: begin one with "
        "ray start --head, and join it from here with ray start --address"
    )
