"""Reading ordinary files, and writing files whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from io import BufferedReader
from os.path import realpath
from pathlib import Path
from secrets import token_hex
from typing import Any

RANDOM = "[a-z0-9_]" * 8  # in the names of files that are being written
LARGEST_JSON = 1 << 26  # bytes


@contextmanager
def ordinary_file(path: Path, description: str) -> Iterator[BufferedReader]:
    """Open an ordinary file to read its bytes, for a ``with`` block.

    Args:
        path: The file.
        description: Of the file, for messages.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is a device or a pipe, which might never end.
    """
    # Without waiting for somebody to write into a pipe, and byte for byte on Windows.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError(f"cannot read {description}: it is no ordinary file")
        yield file


def read_ordinary(path: Path, largest: int, description: str) -> bytes:
    """Return the bytes of a file that somebody names, at most ``largest``.

    Args:
        path: The file.
        largest: How many bytes it may have.
        description: Of the file, for messages.

    Raises:
        ValueError: It cannot be read, is too large, or is no ordinary file: a device or a pipe,
            which might never end.
    """
    try:
        with ordinary_file(path, description) as file:
            size = os.fstat(file.fileno()).st_size
            if size > largest:
                raise ValueError(
                    f"cannot read {description}: it has {size:,} bytes, at most {largest:,} "
                    "are read"
                )
            return file.read(largest)
    except OSError as error:
        raise ValueError(f"cannot read {description}: {error.strerror}") from error


def read_json(path: Path, largest: int = LARGEST_JSON) -> Any:
    """Return the content of a JSON file.

    Raises:
        ValueError: It cannot be read, is too large, is no ordinary file, or is not JSON.
    """
    content = read_ordinary(path, largest, str(path))
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {error}") from error


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Inside, an OSError is told with the name of this file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A file to write to, which takes the place of ``path`` when all went well.

    Yields:
        A path in the same folder; if the block raises, it is removed and ``path`` is
        as it was before.

    Raises:
        OSError: It cannot be written; the error names ``path``.
    """
    aside: Path | None = None
    try:
        with naming(path):
            aside = _aside(path)
            yield aside
            with aside.open("rb+") as written:  # Windows flushes only what may be written
                os.fsync(written.fileno())
            os.replace(aside, path)
    finally:
        if aside is not None:
            with suppress(OSError):
                aside.unlink(missing_ok=True)


def _aside(path: Path) -> Path:
    """Make the file that is written in place of another one."""
    aside = path.parent / f".{path.name}.{token_hex(4)}{path.suffix}"
    aside.touch(exist_ok=False)
    return aside


def fingerprint(path: Path) -> str:
    """SHA-256 of an ordinary file, in hexadecimal digits."""
    with ordinary_file(path, str(path)) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_file(path: Path) -> None:
    """Check before long work that a file can be written at its end, its name on the way included.

    Raises:
        ValueError: It cannot.
    """
    try:
        if path.is_dir():
            raise ValueError(f"cannot write {path}: it is a folder")
        _aside(path).unlink()
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror}") from error


def check_other(path: Path, read: Path | str, words: str) -> None:
    """Raise ValueError, with these words, if a file to be written is the one that is read."""
    if realpath(path) == realpath(read):
        raise ValueError(f"{path} is {words}")


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left of a file's writing; nobody may be writing it now."""
    for leftover in path.parent.glob(f".{escape(path.name)}.{RANDOM}{escape(path.suffix)}"):
        leftover.unlink(missing_ok=True)


def write_text(path: Path, content: str) -> None:
    """Write a UTF-8 file whole or not at all; what UTF-8 has not, such as a name, is escaped."""
    with written_whole(path) as aside:
        aside.write_bytes(content.encode("utf-8", "backslashreplace"))


def write_json(path: Path, content: Any) -> None:
    """Write JSON whole or not at all."""
    write_text(path, json.dumps(content, indent=2, default=str) + "\n")
