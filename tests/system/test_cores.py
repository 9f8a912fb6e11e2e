"""Counting the cores that a process may use, in control groups of both versions and without any."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kododo_env.system.cores import available_cores

V1 = "4:memory:/elsewhere\n3:cpu,cpuacct:{group}\n0::/\n"
V2 = "0::{group}\n"
MOUNTS = {
    V1: "30 25 0:20 {root} {mount} rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "31 25 0:21 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
    V2: "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 25 0:20 {root} {mount} rw - cgroup2 cgroup2 rw\n",
}


@pytest.fixture(autouse=True)
def sixteen_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*range(16)}, raising=False)


def limit(group: Path, version: str, quota: str, period: str = "100000") -> None:
    """Write the limit of a group; "max" is none."""
    group.mkdir(parents=True, exist_ok=True)
    if version == V2:
        (group / "cpu.max").write_text(f"{quota} {period}\n")
        return
    (group / "cpu.cfs_quota_us").write_text("-1\n" if quota == "max" else f"{quota}\n")
    (group / "cpu.cfs_period_us").write_text(f"{period}\n")


def process(folder: Path, version: str, group: str, root: str = "/") -> Path:
    """Describe a process in a group, whose hierarchy is mounted at ``folder/mount``."""
    (folder / "cgroup").write_text(version.format(group=group))
    (folder / "mountinfo").write_text(MOUNTS[version].format(root=root, mount=folder / "mount"))
    return folder


@pytest.mark.parametrize("version", [V1, V2])
def test_a_quota_of_a_group_limits_the_cores(version: str, tmp_path: Path) -> None:
    group = tmp_path / "mount" / "batch" / "job"
    described = process(tmp_path, version, "/batch/job")
    for quota, period, cores in (
        ("200000", "100000", 2),
        ("150000", "100000", 2),  # part of a core counts as one
        ("10000", "100000", 1),
        ("10000", "5000", 2),
        ("6400000", "100000", 16),
        ("max", "100000", 16),
    ):
        limit(group, version, quota, period)
        assert available_cores(described) == cores


@pytest.mark.parametrize("version", [V1, V2])
def test_the_quota_of_a_group_above_counts_too(version: str, tmp_path: Path) -> None:
    limit(tmp_path / "mount" / "batch", version, "300000")
    limit(tmp_path / "mount" / "batch" / "job", version, "max")
    assert available_cores(process(tmp_path, version, "/batch/job")) == 3
    limit(tmp_path, version, "100000")  # above the mount point, which is no group
    assert available_cores(process(tmp_path, version, "/batch/job")) == 3


@pytest.mark.parametrize("version", [V1, V2])
def test_a_container_sees_its_own_group_as_the_root(version: str, tmp_path: Path) -> None:
    limit(tmp_path / "mount", version, "400000")
    assert available_cores(process(tmp_path, version, "/")) == 4  # with a namespace of groups
    assert available_cores(process(tmp_path, version, "/docker/1f", "/docker/1f")) == 4
    assert available_cores(process(tmp_path, version, "/../1f", "/docker/1f")) == 16


def test_without_groups_all_cores_of_the_process_count(tmp_path: Path) -> None:
    assert available_cores(tmp_path) == 16
    (tmp_path / "cgroup").write_bytes(b"\xff")
    (tmp_path / "mountinfo").write_text("no description of a mount\n")
    assert available_cores(tmp_path) == 16
