"""The command ``kododo`` of the wheel."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import kododo_env
from kododo_env.commands import console
from tests.command_line import kododo


@pytest.mark.parametrize(("args", "status"), [((), 2), (("--help",), 0), (("-h",), 0)])
def test_it_lists_its_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], args: tuple[str, ...],
    status: int,
) -> None:  # fmt: skip
    code, out, _ = kododo(monkeypatch, capsys, *args)
    assert code == status
    assert all(f"  {command}" in out for command in console.COMMANDS)


def test_its_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    expected = (0, f"kododo-env {kododo_env.__version__}\n", "")
    assert kododo(monkeypatch, capsys, "--version") == expected


def test_the_benchmark_compares_all_games_with_rps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ("--seconds", "0.01", "--rounds", "1", "--num-envs", "8")
    status, out, _ = kododo(monkeypatch, capsys, "bench", *sizes)
    assert status == 0
    lines = out.splitlines()
    assert [line.split(",")[0] for line in lines[1:-1:2]] == ["kododo", "combi_combo", "kado"]
    assert lines[-1].startswith("PettingZoo's rps_v2")
    assert lines[-1].endswith(" 1.0")


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["evaluate", "--help"]])
def test_nothing_is_said_where_nobody_reads(args: list[str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-u", "-m", "kododo_env", *args]
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, check=False)
    os.close(write_end)
    assert done.stderr == b""
