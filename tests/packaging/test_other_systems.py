"""Systems without POSIX: playing and evaluation are imported and run with a simulated Windows.

Tests run on Linux only; ``windows_stand_in`` removes what is missing on Windows, and ``make types``
checks every name of the standard library against those of Windows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kododo_env.system import files, reservation
from kododo_env.system.files import read_ordinary
from kododo_env.system.reservation import reserved

ROOT = Path(__file__).parents[2]
EVERY_MODULE = """
import pkgutil
from importlib import import_module
import kododo_env
names = [each.name for each in pkgutil.walk_packages(kododo_env.__path__, "kododo_env.")]
for name in names:
    if not name.endswith("__main__"):
        import_module(name)
print(len(names))
"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """The environment of a process, and of those that it starts, that are as if on Windows."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text("import tests.packaging.windows_stand_in\n")
    return {
        **os.environ,
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        "PYTHONWARNDEFAULTENCODING": "1",
        "PYTHONIOENCODING": "cp1252",  # what a pipe has there
        "MPLBACKEND": "Agg",
    }


def done(environment: dict[str, str], *arguments: str) -> str:
    """The output of a Python."""
    ended = subprocess.run(
        [sys.executable, *arguments],
        env=environment, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr.decode(errors="replace")
    return ended.stdout.decode("cp1252")


def test_every_module_is_imported_without_posix(elsewhere: dict[str, str]) -> None:
    assert int(done(elsewhere, "-c", EVERY_MODULE)) > 100


def test_a_tournament_in_several_processes_and_its_records(
    elsewhere: dict[str, str], tmp_path: Path
) -> None:
    """No file was written whole there, and no process started."""
    folder = tmp_path / "games of Jürgen and 李"
    folder.mkdir()
    policy = folder / "策略.onnx"
    policy.write_bytes((ROOT / "kododo_env/policy/shipped/kododo-2p.onnx").read_bytes())
    command = ("-m", "kododo_env", "evaluate", "--players", "2", "--games", "400", "--agents")
    files = ("--json", "--plot", "--record")
    reports = {}
    for name, environment in (("here", dict(os.environ)), ("there", elsewhere)):
        paths = [folder / f"{name}{end}" for end in (".json", ".svg", "")]
        options = [text for pair in zip(files, map(str, paths), strict=True) for text in pair]
        settings = ("--workers", "2", "--record-games", "2", *options)
        arguments = (*command, str(policy), "random", *settings)
        output = done({**environment, "PYTHONIOENCODING": "cp1252"}, *arguments)
        assert r"\u7b56\u7565.onnx" in output  # its name, as far as a pipe there can say it
        reports[name] = json.loads(paths[0].read_text("utf-8"))
    assert reports["here"] == reports["there"]
    assert not [*folder.rglob(".*"), *folder.rglob("*.partial")]
    # As a text editor there would write it.
    record = next(iter((folder / "there").iterdir()))
    replayed = done(elsewhere, "-m", "kododo_env", "replay", str(record))
    record.write_bytes(record.read_bytes().replace(b"\n", b"\r\n"))
    assert done(elsewhere, "-m", "kododo_env", "replay", str(record)) == replayed


def test_places_are_reserved_where_the_system_has_no_locks(
    elsewhere: dict[str, str], tmp_path: Path
) -> None:
    script = """
import sys
from pathlib import Path
from filelock import FileLock, SoftFileLock
from kododo_env.system.reservation import reserved
assert FileLock is SoftFileLock
place = Path(sys.argv[1])
with reserved(place, [place / "file"]) as reservation:
    reservation.check()
    try:
        with reserved(place, []):
            print("twice")
    except ValueError as error:
        print(error)
print(*place.iterdir())
"""
    place = tmp_path / "a run"
    place.mkdir()
    output = done(elsewhere, "-c", script, str(place))
    assert output.splitlines() == [f"another process is using {place}", ""]


def test_a_file_is_read_byte_by_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows opens a file as text unless it is told otherwise."""
    all_flags: list[int] = []
    opened = os.open
    binary = 1 << 30

    def asking(path: Any, flags: int) -> int:
        all_flags.append(flags)
        return opened(path, flags & ~binary)

    monkeypatch.setattr(files.os, "O_BINARY", binary, raising=False)
    monkeypatch.setattr(files.os, "open", asking)
    (tmp_path / "with spaces").write_bytes(b"a\r\nb\x1a")
    assert read_ordinary(tmp_path / "with spaces", 10, "it") == b"a\r\nb\x1a"
    assert all_flags[0] & binary


def test_a_lock_that_is_open_is_removed_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows removes no file that is open, and so left a lock in every folder."""
    unlink = Path.unlink
    held = True

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
