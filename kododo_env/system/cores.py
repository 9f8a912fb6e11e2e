"""The number of processor cores that this process may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from math import ceil
from pathlib import Path, PurePosixPath

PROCESS = Path("/proc/self")


def available_cores(process: Path = PROCESS) -> int:
    """Return the number of cores that this process may use, at least 1.

    This is the number of cores on which the process may run, or less if a control group (cgroup),
    such as a container's, limits the processor time. A fraction of a core counts as one core.

    Args:
        process: The folder of the process in the ``/proc`` file system of Linux.
    """
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    return max(1, min([cores, *map(ceil, _quotas(process))]))


def _quotas(process: Path) -> Iterator[float]:
    """Yield the limits of the process's control groups, in cores; none where there are no groups.

    A limit binds the groups below it, so those of all groups on the way to the root count.
    """
    for root, mount_point, path in _groups(process):
        with suppress(ValueError):  # the process's group may not be below the mounted group
            folder = mount_point / path.relative_to(root)
            for group in (folder, *folder.parents):
                if group.is_relative_to(mount_point):
                    yield from _quota(group)


def _groups(process: Path) -> Iterator[tuple[PurePosixPath, Path, PurePosixPath]]:
    """Yield where each hierarchy with a processor's limits is mounted, and the process's group.

    Yields:
        The group that is mounted, where it is mounted, and the group of the process. Both groups
        are paths in the hierarchy. See proc_pid_mountinfo(5) and cgroups(7).
    """
    groups: dict[str, PurePosixPath] = {}
    for line in _lines(process / "cgroup"):  # 4:cpu,cpuacct:/group, or 0::/group in version 2
        with suppress(ValueError):
            _, controllers, path = line.split(":", 2)
            groups |= dict.fromkeys(controllers.split(","), PurePosixPath(path))
    for line in _lines(process / "mountinfo"):
        with suppress(ValueError):
            mount, _, filesystem = line.partition(" - ")
            _, _, _, root, mount_point, *_ = mount.split()
            kind, _, options = filesystem.split(maxsplit=2)
            controller = {"cgroup": "cpu", "cgroup2": ""}.get(kind)
            if controller in groups and (not controller or controller in options.split(",")):
                yield PurePosixPath(root), Path(mount_point), groups[controller]


def _quota(group: Path) -> Iterator[float]:
    """Yield the limit of one group, in cores, if it has one."""
    with suppress(OSError, ValueError, ZeroDivisionError):
        quota, period = (group / "cpu.max").read_text().split()  # version 2; "max" is no limit
        yield int(quota) / int(period)
    with suppress(OSError, ValueError, ZeroDivisionError):
        quota = (group / "cpu.cfs_quota_us").read_text()  # version 1; below 0 is no limit
        if int(quota) > 0:
            yield int(quota) / int((group / "cpu.cfs_period_us").read_text())


def _lines(path: Path) -> list[str]:
    """Return the lines of a file of the system; none if it cannot be read."""
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text().splitlines()
    return []
