"""The Ray cluster of a command: a new local one, or a running one."""

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

# Ray sends no usage reports, and prints no errors from which it recovers.
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
OBJECT_STORE = 200 * 2**20  # bytes in a local cluster; larger amounts go to disk
PATIENCE = 10.0  # seconds to wait for a connection to a cluster
ROOT = Path(__file__).parents[2]
PACKAGES = [str(ROOT / name) for name in ("agents", "kododo_env")]  # sent to the nodes


@contextmanager
def cluster(address: str | None, workers: int | None) -> Iterator[None]:
    """Make this process the driver of a Ray cluster within the context.

    Args:
        address: The address of a running cluster, such as ``10.0.0.1:6379``; None starts one on
            this machine, which ends with the context.
        workers: The number of cores to use; None: all.

    Raises:
        ValueError: No cluster can be reached at the address, or it has fewer than ``workers``
            cores.
    """
    options: dict[str, Any] = {"address": address, "runtime_env": {"py_modules": PACKAGES}}
    if address is None:
        options = {
            "address": "local",  # without it Ray joins a running cluster
            "num_cpus": workers or available_cores(),
            "object_store_memory": OBJECT_STORE,
            "include_dashboard": False,
        }
    os.environ.update({**QUIET, **os.environ})
    try:
        if address is not None:
            _knock(address)
        ray.init(**options, log_to_driver=False, logging_level="critical")
    except (OSError, RuntimeError, ValueError) as error:
        raise ValueError(_refusal(address)) from error
    try:
        if workers is not None and cores() < workers:
            raise ValueError(
                f"the Ray cluster has {cores()} cores; --workers must be at most {cores()}"
            )
        yield
    finally:
        ray.shutdown()


def cores() -> int:
    """Return the number of cores of the cluster."""
    return int(ray.cluster_resources().get("CPU", 0))


def _knock(address: str) -> None:
    """Raise OSError or ValueError if nothing listens at the address: Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    socket.create_connection((host, int(port)), PATIENCE).close()


def _refusal(address: str | None) -> str:
    if address is None:
        return "cannot start a Ray cluster on this machine; run ray start --head to see why"
    return (
        f"no Ray cluster at {address}, or this machine is not part of it; start one with ray start "
        "--head, and join it from this machine with ray start --address"
    )
