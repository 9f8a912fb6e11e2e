"""Reading regular files, and writing files atomically."""

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

from kododo_env.system.json_text import parse_json

RANDOM = "[a-z0-9_]" * 8  # the random part in the names of temporary files, as a glob pattern
LARGEST_JSON = 1 << 26  # bytes


@contextmanager
def ordinary_file(path: Path, description: str) -> Iterator[BufferedReader]:
    """Open a regular file to read bytes; a context manager.

    Args:
        path: The file.
        description: A description of the file for messages.

    Raises:
        OSError: The file cannot be opened.
        ValueError: The file is a device or a pipe, whose content may be endless.
    """
    # The flags avoid waiting for the writer of a pipe, and text mode on Windows.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError(f"cannot read {description}: it is not a regular file")
        yield file


def read_ordinary(path: Path, largest: int, description: str) -> bytes:
    """Return the bytes of a regular file.

    Args:
        path: The file.
        largest: The maximum size, in bytes.
        description: A description of the file for messages.

    Raises:
        ValueError: The file cannot be read, is too large, or is a device or a pipe.
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


def read_text(path: Path, largest: int, description: str) -> str:
    """Return the UTF-8 text of a regular file, without a byte order mark; see ``read_ordinary``.

    Raises:
        ValueError: The file cannot be read, is too large, is a device or a pipe, or is not UTF-8.
    """
    try:
        return read_ordinary(path, largest, description).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"cannot read {description}: it is not UTF-8 text") from error


def read_json(path: Path, largest: int = LARGEST_JSON, description: str = "") -> Any:
    """Return the content of a JSON file; see ``read_ordinary``.

    Raises:
        ValueError: The file cannot be read, is too large, is a device or a pipe, or is not JSON.
    """
    description = description or str(path)
    text = read_text(path, largest, description)
    try:
        return parse_json(text)
    except ValueError as error:
        raise ValueError(f"cannot read {description}: it is not JSON: {error}") from error


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Set ``path`` as the file name of each OSError that is raised in the block."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Write a temporary file, which replaces ``path`` at the end of the block.

    If the block raises, the temporary file is removed and ``path`` does not change.

    Yields:
        The path of the temporary file, in the same folder.

    Raises:
        OSError: The file cannot be written; the file name of the error is ``path``.
    """
    aside: Path | None = None
    try:
        with naming(path):
            aside = _aside(path)
            yield aside
            with aside.open("rb+") as written:  # Windows can flush only writable files
                os.fsync(written.fileno())
            os.replace(aside, path)
    finally:
        if aside is not None:
            with suppress(OSError):
                aside.unlink(missing_ok=True)


def _aside(path: Path) -> Path:
    """Create the temporary file that replaces another one."""
    aside = path.parent / f".{path.name}.{token_hex(4)}{path.suffix}"
    aside.touch(exist_ok=False)
    return aside


def fingerprint(path: Path) -> str:
    """Return the SHA-256 digest of a regular file, in hexadecimal digits."""
    with ordinary_file(path, str(path)) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_file(path: Path) -> None:
    """Check, before long work, that a file can be written at the end.

    Raises:
        ValueError: The file or its temporary file cannot be written.
    """
    try:
        if path.is_dir():
            raise ValueError(f"cannot write {path}: it is a folder")
        _aside(path).unlink()
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror}") from error


def check_other(path: Path, read: Path | str, words: str) -> None:
    """Raise ValueError if ``path``, the file to write, is the file ``read``.

    Args:
        path: The file to write.
        read: The file to read.
        words: The message after "PATH is".
    """
    if realpath(path) == realpath(read):
        raise ValueError(f"{path} is {words}")


def remove_leftovers(path: Path) -> None:
    """Remove temporary files of ``path`` that killed processes have left.

    No process may be writing ``path`` at the same time.
    """
    for leftover in path.parent.glob(f".{escape(path.name)}.{RANDOM}{escape(path.suffix)}"):
        leftover.unlink(missing_ok=True)


def write_text(path: Path, content: str) -> None:
    """Write a UTF-8 file atomically; characters that UTF-8 cannot encode are escaped."""
    with written_whole(path) as aside:
        aside.write_bytes(content.encode("utf-8", "backslashreplace"))


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file atomically; objects of other types are written as their ``str``."""
    write_text(path, json.dumps(content, indent=2, default=str) + "\n")
