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
        missing += [ancestor for ancestor in (folder, *folder.parents) if not ancestor.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remove_empty(missing)
        reason = "it is a file" if isinstance(error, FileExistsError) else error.strerror
        raise ValueError(f"cannot write to the folder {folder}: {reason}") from error
    try:
        yield
    finally:
        remove_empty(missing)


def files_in(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a folder that a pattern names, by name.

    Hidden files are none of them: a process that was killed may have left half a file so.

    Raises:
        ValueError: It is no folder.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    return sorted(path for path in folder.glob(pattern) if not path.name.startswith("."))


def remove_empty(folders: Sequence[Path]) -> None:
    """Remove those folders that are there and hold nothing."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
