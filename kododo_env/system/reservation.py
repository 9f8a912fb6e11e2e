"""Reserving a folder or a file for one process while it writes there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from kododo_env.system.files import check_file, remove_leftovers
from kododo_env.system.folders import filled_folder

LOCK = ".lock"  # in a reserved folder
UNFINISHED = ".unfinished"  # in a folder that is being written
WINDOWS = os.name == "nt"  # which cannot remove open files


class Reservation:
    """A file or folder that is ``reserved`` by a locked file, open until the end."""

    def __init__(self, place: Path, lock: Path) -> None:
        self.place = place
        self._lock = lock
        self._inode = lock.stat().st_ino  # no other file gets this number while it is open

    def check(self) -> None:
        """Raise ValueError if the place was moved or removed, even if its name exists again."""
        with suppress(OSError):
            if self._lock.stat().st_ino == self._inode:
                return
        raise ValueError(f"{self.place} was moved or removed; nothing more is written there")

    def remove(self) -> None:
        """Remove the locked file while it is locked, unless another process owns it by now."""
        with suppress(ValueError, OSError):
            self.check()
            self._lock.unlink()


@contextmanager
def reserved(place: Path, files: Iterable[Path]) -> Iterator[Reservation]:
    """Reserve a place, so that no other process can reserve it meanwhile.

    The operating system releases the lock when the process ends, however it ends.

    The place is an existing folder, or a file that need not exist. Temporary files that killed
    processes have left are removed.

    Raises:
        ValueError: Another process has reserved the place, or a file cannot be written.
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
    """Write a folder whose files appear only when all of them are complete.

    If the block raises, ``folder`` is unchanged. Files that a killed process has left are removed
    first.

    Args:
        folder: A new or empty folder, which is reserved meanwhile.
        names: The names of the files.

    Yields:
        A temporary folder in ``folder`` for the files.

    Raises:
        ValueError: ``folder`` has other files, cannot be written, or another process uses it.
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
        finally:  # last, since it marks the files as incomplete
            shutil.rmtree(scratch, ignore_errors=True)
