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

LOCK = ".lock"  # in a folder that is reserved
UNFINISHED = ".unfinished"  # in a folder that is being filled
WINDOWS = os.name == "nt"  # where a file that is open cannot be removed


class Reservation:
    """A place that is ``reserved``, by a locked file that stays open until the end."""

    def __init__(self, place: Path, lock: Path) -> None:
        self.place = place
        self._lock = lock
        self._inode = lock.stat().st_ino  # while a file is open no other gets its number

    def check(self) -> None:
        """Raise ValueError if the place was moved or removed, though another may have its name."""
        with suppress(OSError):
            if self._lock.stat().st_ino == self._inode:
                return
        raise ValueError(f"{self.place} was taken away; nothing more is written there")

    def remove(self) -> None:
        """Remove the locked file while it is locked, unless it is another's by now."""
        with suppress(ValueError, OSError):
            self.check()
            self._lock.unlink()


@contextmanager
def reserved(place: Path, files: Iterable[Path]) -> Iterator[Reservation]:
    """Inside, no other process can reserve the same place.

    The lock is the system's, so that it ends with the process, however that ends.

    The place is a folder that exists, or a file that need not. What killed processes have left of
    writing the files is removed.

    Raises:
        ValueError: Another process has the place, or one of the files cannot be written.
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
    """A folder to fill, whose files appear in ``folder`` when all of them are complete.

    If the block raises, ``folder`` is as it was before. What a process that was killed left of
    filling it is removed first.

    Args:
        folder: A new folder or an empty one, which no other process can fill meanwhile.
        names: The names of the files.

    Yields:
        A folder in ``folder``.

    Raises:
        ValueError: ``folder`` has other files, cannot be written, or another process is filling it.
        OSError: A file is missing at the end, or there is no room for it.
    """
    scratch = folder / UNFINISHED
    moved_files: list[Path] = []
    with filled_folder(folder), reserved(folder, []) as reservation:
        leftovers = {UNFINISHED, *names} if scratch.is_dir() else set()
        if {path.name for path in folder.iterdir()} - leftovers - {LOCK}:
            raise ValueError(f"{folder} is not empty: give a new folder")
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
        finally:  # the last, since it tells that the files are not complete
            shutil.rmtree(scratch, ignore_errors=True)
