"""Reserving a folder or a file for one process, with a lock file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from kododo_env.system.files import check_file, remove_leftovers
from kododo_env.system.folders import filled_folder

LOCK = ".lock"  # the lock file in a reserved folder
UNFINISHED = ".unfinished"  # the temporary folder in a folder that is being written
WINDOWS = os.name == "nt"  # Windows cannot remove open files


class Reservation:
    """A reserved file or folder, as ``reserved`` yields it.

    Attributes:
        place: The file or folder.
    """

    def __init__(self, place: Path, lock: Path) -> None:
        self.place = place
        self._lock = lock
        self._inode = lock.stat().st_ino  # unique while the lock file is open

    def check(self) -> None:
        """Raise ValueError if ``place`` was moved or removed, even if it was created again."""
        with suppress(OSError):
            if self._lock.stat().st_ino == self._inode:
                return
        raise ValueError(f"cannot write {self.place}: it was moved or removed")

    def remove(self) -> None:
        """Remove the lock file, unless it was replaced by another process's lock file."""
        with suppress(ValueError, OSError):
            self.check()
            self._lock.unlink()


@contextmanager
def reserved(place: Path, files: Iterable[Path]) -> Iterator[Reservation]:
    """Reserve a file or folder until the end of the block; a context manager.

    No other process can reserve the same place in the meantime. The operating system releases the
    lock when the process exits, even if it is killed.

    Args:
        place: An existing folder, or a file that need not exist.
        files: The files to be written. They are checked, and temporary files of killed processes
            beside them are removed.

    Raises:
        ValueError: Another process has reserved ``place``, or a file cannot be written.
    """
    path = place / LOCK if place.is_dir() else place.with_name(f".{place.name}.lock")
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise ValueError(f"another process is using {place}") from error
    except OSError as error:
        raise ValueError(f"cannot write {place}: {error.strerror}") from error
    reservation = Reservation(place, path)
    try:
        for file in files:
            remove_leftovers(file)
            check_file(file)
        yield reservation
    finally:
        reservation.remove()
        lock.release()
        if WINDOWS:
            with suppress(OSError):
                path.unlink()


@contextmanager
def folder_written_whole(folder: Path, names: Collection[str]) -> Iterator[Path]:
    """Write files to a temporary folder, and move them to ``folder`` at the end of the block.

    If the block raises, ``folder`` does not change. Files that a killed process has left are
    removed first.

    Args:
        folder: A new or empty folder, which is reserved until the end.
        names: The names of the files.

    Yields:
        The temporary folder, a subfolder of ``folder``.

    Raises:
        ValueError: ``folder`` is not empty or cannot be written, or another process has reserved
            it.
        OSError: A file is missing at the end, or the disk is full.
    """
    scratch = folder / UNFINISHED
    moved_files: list[Path] = []
    with filled_folder(folder), reserved(folder, []) as reservation:
        leftovers = {UNFINISHED, *names} if scratch.is_dir() else set()
        if {path.name for path in folder.iterdir()} - leftovers - {LOCK}:
            raise ValueError(f"{folder} is not empty: choose a new folder")
        try:
            for name in leftovers - {UNFINISHED}:
                (folder / name).unlink(missing_ok=True)
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            yield scratch
            reservation.check()
            for name in names:
                moved_files.append((scratch / name).replace(folder / name))
        except BaseException:
            for file in moved_files:
                file.unlink(missing_ok=True)
            raise
        finally:  # removed last, since this folder marks the files as incomplete
            shutil.rmtree(scratch, ignore_errors=True)
