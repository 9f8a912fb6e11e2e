"""Folders that are made to be filled, and do not stay if they are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def filled_folder(folder: Path) -> Iterator[None]:
    """Inside, there is a folder; what is made of it, and empty at the end, is removed.

    Raises:
        ValueError: It cannot be made.
    """
    missing: list[Path] = []
    try:
        missing += [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remove_empty(missing)
        raise ValueError(f"cannot write to the folder {folder}: {error.strerror}") from error
    try:
        yield
    finally:
        remove_empty(missing)


def remove_empty(folders: Sequence[Path]) -> None:
    """Remove those folders that are there and hold nothing."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
