"""Full disks, missing folders and missing permissions: one-line errors, no other files."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from agents.training.checkpoint import read_checkpoint
from agents.training.run_folder import CHECKPOINT
from tests.faults.scripts import Fault, Script
from tests.faults.work import Work, compare, in_the_middle, nothing_hidden, start_work, undisturbed

SIZE = 8  # MB of the small file system


@contextmanager
def small_disk(scratch: Path) -> Iterator[Path | None]:
    """Mount a file system of some MB; yield None if this user may not mount one."""
    place = scratch / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}m", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    try:
        yield place if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(place)], check=True)
        shutil.rmtree(place, ignore_errors=True)


def full_disk(work: Work, disk: Path, scratch: Path) -> None:
    """Check that work on a full disk ends with one line, and can be resumed later."""
    whole = undisturbed(work, scratch)
    folder = disk / "run"
    script = in_the_middle(work, folder, scratch)
    _fill(disk)
    _refused(script, "No space left on device")
    nothing_hidden(folder)
    (disk / "filler").unlink()
    start_work(work, folder, scratch).end([0])
    compare(work, whole, folder)


def no_larger_file(work: Work, scratch: Path, to_the_end: bool = True) -> None:
    """Check work that may not write large files, which simulates a full disk without root.

    Args:
        work: The work to start.
        scratch: A folder for it.
        to_the_end: Whether it is then resumed and compared with undisturbed work.
    """
    folder = scratch / "run"
    script = in_the_middle(work, folder, scratch)
    psutil.Process(script.process.pid).rlimit(psutil.RLIMIT_FSIZE, (64, 64))
    _refused(script, "File too large")
    nothing_hidden(folder)
    if to_the_end:
        start_work(work, folder, scratch).end([0])
        compare(work, undisturbed(work, scratch), folder)


def loses_folder(work: Work, take: Callable[[Path], None], scratch: Path) -> None:
    """Check that work that loses its folder ends with one line and writes nothing there."""
    folder = scratch / "run"
    moved = scratch / "moved"
    script = in_the_middle(work, folder, scratch)
    take(folder)
    before = _files(folder)
    _refused(script, str(folder))
    if _files(folder) != before:
        raise Fault(f"written after all: {sorted(_files(folder) - before)}")
    if (moved / CHECKPOINT).exists():
        read_checkpoint(moved / CHECKPOINT)


def removed(folder: Path) -> None:
    """Delete the folder."""
    aside = folder.with_name("removed")
    folder.rename(aside)  # atomically, while files are written to it
    shutil.rmtree(aside, ignore_errors=True)


def renamed(folder: Path) -> None:
    """Move the folder with its content."""
    folder.rename(folder.with_name("moved"))


def replaced(folder: Path) -> None:
    """Replace the folder by one with another run's files."""
    renamed(folder)
    folder.mkdir()
    (folder / CHECKPOINT).write_text("another run's")


def read_only(folder: Path) -> None:
    """Make the folder read-only."""
    folder.chmod(0o555)


WAYS = (removed, renamed, replaced)


def _fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as filler:
        for size in (1 << 16, 1 << 10, 1):
            try:
                while True:
                    filler.write(bytes(size))
            except OSError:
                continue


def _refused(script: Script, message: str) -> None:
    script.end([2])
    words = script.words.read_text()
    if message not in words:
        raise Fault(f"it does not say {message!r} but: {words.strip()[-300:]}")


def _files(folder: Path) -> set[str]:
    return {
        f"{path.relative_to(folder)} {path.stat().st_size if path.is_file() else ''}"
        for path in folder.rglob("*")
    }


def may_ignore_modes() -> bool:
    """Return whether this user can write into read-only folders, as root can."""
    return os.geteuid() == 0
