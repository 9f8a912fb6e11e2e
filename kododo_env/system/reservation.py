"""Reserving a folder or a file for one process while it writes there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from kododo_env.system.files import check_file, remove_leftovers

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
    path = place / ".lock" if place.is_dir() else place.with_name(f".{place.name}.lock")
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
