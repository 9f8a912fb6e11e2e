"""Creating folders, which are removed if they stay empty, and listing their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def filled_folder(folder: Path) -> Iterator[None]:
    """Create a folder and its parents; at the end of the block, remove those still empty.

    Only folders that did not exist before are removed.

    Raises:
        ValueError: The folder cannot be created.
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
    """Return the files of a folder that match a pattern, sorted by name.

    Hidden files are left out, because they may be incomplete files of killed processes.

    Raises:
        ValueError: ``folder`` is not a folder.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    return sorted(path for path in folder.glob(pattern) if not path.name.startswith("."))


def remove_empty(folders: Sequence[Path]) -> None:
    """Remove those of the folders that exist and are empty."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
