"""Running scripts in the process of a case, and checking their results."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kododo_env.commands.cli import BAD_INPUT, run_cli
from tests.command_line import DEFAULTS
from tests.fuzz.promises import REFUSED, FaultFound, check_message


class Started(BaseException):
    """An exception that is raised when the checks of a script are over and the slow work begins.

    Args:
        subject: The object that begins the work, such as a trainer.
    """

    def __init__(self, subject: Any = None) -> None:
        self.subject = subject


def starts(*args: Any, **_: Any) -> Any:
    """Raise ``Started``, in place of slow work."""
    raise Started(args[0] if args else None)


@contextmanager
def replaced(owner: Any, name: str, by: Any) -> Iterator[None]:
    """Replace an attribute within the context."""
    before = getattr(owner, name)
    setattr(owner, name, by)
    try:
        yield
    finally:
        setattr(owner, name, before)


@dataclass(frozen=True)
class Done:
    """The end of a script.

    Attributes:
        code: Its exit status; None if it was stopped when the slow work began.
        out: Its standard output.
        err: Its standard error.
        started: The subject of the slow work.
    """

    code: int | None
    out: str
    err: str
    started: Any = None


def run(config: type[Any], main: Callable[[Any], None], args: Sequence[str]) -> Done:
    """Run a script with arguments and capture its standard output and error."""
    sys.argv[0] = "script.py"
    for number in (1, 2):
        os.ftruncate(number, 0)
        os.lseek(number, 0, os.SEEK_SET)
    code = None
    started = None
    try:
        run_cli(config, main, args, DEFAULTS.get(config))
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else -1
    except Started as start:
        started = start.subject
    return Done(code, _output_of(sys.stdout, 1), _output_of(sys.stderr, 2), started)


def _output_of(stream: Any, number: int) -> str:
    stream.flush()
    size = os.fstat(number).st_size
    return os.pread(number, size, 0).decode(errors="surrogateescape")


def check_end(done: Done, folder: dict[str, bytes | None]) -> str | None:
    """Check how a script ended.

    Args:
        done: The end of the script.
        folder: The content of its folder before.

    Returns:
        ``"refused"``, or None if it was not refused.

    Raises:
        FaultFound: It was refused in another way than documented, or left something behind.
    """
    if "Traceback" in done.err:
        raise FaultFound("a traceback on stderr", done.err[-500:])
    if done.code in (0, None):
        return None
    if done.code != BAD_INPUT:
        raise FaultFound(f"it ended with status {done.code}", done.err)
    if done.out:
        raise FaultFound("it was refused, but said something on stdout", done.out[:300])
    if done.err.count("\n") != 1:
        raise FaultFound("it was refused in several lines, or none", ascii(done.err[:500]))
    head, _, message = done.err.rstrip("\n").partition(": error: ")
    if head != "script.py":
        raise FaultFound("its line is not that of an error", done.err[:300])
    check_message(message)
    changed = sorted(
        {name for name, content in contents().items() if folder.get(name, 0) != content}
    )
    missing = sorted(folder.keys() - contents().keys())
    if changed or missing:
        raise FaultFound("it was refused, but files are others", f"{changed} {missing} {message}")
    return REFUSED


def contents() -> dict[str, bytes | None]:
    """Return the content of the case's folder by name: bytes of files, None for anything else."""
    top = Path("..").resolve()
    contents_by_name: dict[str, bytes | None] = {}
    for root, folders, files in os.walk(top):
        for name in (*folders, *files):
            path = Path(root, name)
            plain = path.is_file() and not path.is_symlink()
            contents_by_name[str(path.relative_to(top))] = path.read_bytes() if plain else None
    return contents_by_name
