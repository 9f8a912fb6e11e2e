"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A file to write to, which takes the place of ``path`` when all went well.

    Yields:
        A path in the same folder; if the block raises, it is removed and ``path`` is
        as it was before.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    aside = Path(name)
    try:
        yield aside
        with aside.open("rb") as written:
            os.fsync(written.fileno())
        aside.chmod(0o666 & ~_umask())
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with written_whole(path) as aside:
        aside.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    """Write a UTF-8 file whole or not at all."""
    write_bytes(path, content.encode())
