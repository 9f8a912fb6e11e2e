"""What stands in for macOS and Windows, which the tests do not run on: their gaps, made here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.training import memory
from kododo_env.arena import workers
from kododo_env.system import files, reservation
from kododo_env.system.files import read_ordinary, write_text
from kododo_env.system.reservation import reserved
from tests.arena.players import report_of, tournament

# The libraries first, which have their own ways there; then only ours are looked at.
IMPORTS = """
import asyncio, multiprocessing.popen_spawn_posix, multiprocessing.resource_tracker
import importlib, os, pkgutil, signal, sys
import gymnasium, matplotlib.pyplot, onnxruntime, pettingzoo, prompt_toolkit, scipy.optimize
import starlette.applications, tyro, uvicorn, websockets

for name in ("fcntl", "grp", "posix", "pwd", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
for module, names in ((os, ("fork", "getuid", "mkfifo", "O_NONBLOCK", "sched_getaffinity",
                            "sysconf", "uname")),
                      (signal, ("SIGALRM", "SIGHUP", "SIGKILL", "pthread_sigmask"))):
    for name in names:
        delattr(module, name)
import kododo_env
for each in pkgutil.walk_packages(kododo_env.__path__, "kododo_env."):
    if "__main__" not in each.name and "open_spiel" not in each.name:
        importlib.import_module(each.name)
print(workers.cores() if (workers := sys.modules["kododo_env.arena.workers"]) else 0)
"""


def test_every_module_imports_without_what_posix_alone_has() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IMPORTS],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) >= 1


def test_workers_start_where_there_is_no_resource_tracker(monkeypatch: pytest.MonkeyPatch) -> None:
    """To start one, multiprocessing imports a module that Windows lacks."""

    def missing() -> None:
        raise ModuleNotFoundError("No module named '_posixsubprocess'")

    alone = report_of(tournament(games=48), 1).to_json()
    monkeypatch.setattr(workers, "POSIX", False)
    monkeypatch.setattr(workers.resource_tracker, "ensure_running", missing)
    own = workers.get_context("spawn").Process

    def without_tracker(*args: Any, **kwargs: Any) -> Any:  # this system's processes want it
        monkeypatch.undo()
        return own(*args, **kwargs)

    monkeypatch.setattr(workers.get_context("spawn"), "Process", without_tracker)
    monkeypatch.setattr(workers, "POSIX", False)
    monkeypatch.setattr(workers.resource_tracker, "ensure_running", missing)
    assert report_of(tournament(games=48), 2).to_json() == alone


def test_what_is_flushed_may_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows flushes no file that is open for reading alone: nothing could be written there."""
    fcntl = pytest.importorskip("fcntl", reason="how a file is open cannot be told here")
    flushed = []

    def fsync(handle: int) -> None:
        flushed.append(fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE)

    monkeypatch.setattr(files.os, "fsync", fsync)
    write_text(tmp_path / "a.txt", "text")
    assert flushed == [os.O_RDWR]


def test_a_file_is_read_byte_by_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows opens a file as text unless it is told otherwise."""
    asked: list[int] = []
    opened = os.open
    binary = 1 << 30

    def asking(path: Any, flags: int) -> int:
        asked.append(flags)
        return opened(path, flags & ~binary)

    monkeypatch.setattr(files.os, "O_BINARY", binary, raising=False)
    monkeypatch.setattr(files.os, "open", asking)
    (tmp_path / "with spaces").write_bytes(b"a\r\nb\x1a")
    assert read_ordinary(tmp_path / "with spaces", 10, "it") == b"a\r\nb\x1a"
    assert asked[0] & binary


def test_a_lock_that_is_open_is_removed_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows removes no file that is open, and so left a lock in every folder."""
    unlink, held = Path.unlink, True

    def as_there(path: Path, missing_ok: bool = False) -> None:
        if held and path.name.endswith(".lock"):
            raise PermissionError(13, "The process cannot access the file", str(path))
        unlink(path, missing_ok)

    def release(lock: Any) -> None:
        nonlocal held
        held = False
        released(lock)

    released = reservation.FileLock.release
    monkeypatch.setattr(Path, "unlink", as_there)
    monkeypatch.setattr(reservation.FileLock, "release", release)
    monkeypatch.setattr(reservation, "WINDOWS", True)
    with reserved(tmp_path, []):
        assert (tmp_path / ".lock").exists()
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_a_machine_that_does_not_tell_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sysconf")
    assert memory._memory() is None


def test_stops_are_those_that_every_system_has() -> None:
    assert {*workers.STOPS} == {signal.SIGINT, signal.SIGTERM}
