"""Running the scripts in the process of a case, and what they must not leave behind."""

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
from tests.fuzz.expected import REFUSED, Wrong, check_message


class Started(BaseException):
    """The checks are over: what would take long begins.

    Args:
        what: Whatever tells what begins.
    """

    def __init__(self, what: Any = None) -> None:
        self.what = what


def starts(*args: Any, **_: Any) -> Any:
    """In place of what takes long."""
    raise Started(args[0] if args else None)


@contextmanager
def replaced(owner: Any, name: str, by: Any) -> Iterator[None]:
    """Something else in place of an attribute."""
    before = getattr(owner, name)
    setattr(owner, name, by)
    try:
        yield
    finally:
        setattr(owner, name, before)


@dataclass(frozen=True)
class Done:
    """How a script ended.

    Attributes:
        code: Its status; None if it was stopped when the long work began.
        out: What it said.
        err: What it said on stderr.
        started: What the long work would have been done with.
    """

    code: int | None
    out: str
    err: str
    started: Any = None


def run(config: type[Any], main: Callable[[Any], None], args: Sequence[str]) -> Done:
    """Run a script with arguments; all that reaches its standard output and error is caught."""
    sys.argv[0] = "script.py"
    for number in (1, 2):
        os.ftruncate(number, 0)
        os.lseek(number, 0, os.SEEK_SET)
    code, started = None, None
    try:
        run_cli(config, main, args, DEFAULTS.get(config))
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else -1
    except Started as begun:
        started = begun.what
    return Done(code, _said(sys.stdout, 1), _said(sys.stderr, 2), started)


def _said(stream: Any, number: int) -> str:
    stream.flush()
    size = os.fstat(number).st_size
    return os.pread(number, size, 0).decode(errors="surrogateescape")


def check_end(done: Done, folder: dict[str, bytes | None]) -> str | None:
    """Check how a script ended.

    Args:
        done: How it ended.
        folder: What was in its folder before.

    Returns:
        ``"refused"``, or None if it was not refused.

    Raises:
        Wrong: It was refused in another way than promised, or left something behind.
    """
    if "Traceback" in done.err:
        raise Wrong("a traceback on stderr", done.err[-500:])
    if done.code in (0, None):
        return None
    if done.code != BAD_INPUT:
        raise Wrong(f"it ended with status {done.code}", done.err)
    if done.out:
        raise Wrong("it was refused, but said something on stdout", done.out[:300])
    if done.err.count("\n") != 1:
        raise Wrong("it was refused in several lines, or none", ascii(done.err[:500]))
    head, _, message = done.err.rstrip("\n").partition(": error: ")
    if head != "script.py":
        raise Wrong("its line is not that of an error", done.err[:300])
    check_message(message)
    left = sorted({name for name, what in contents().items() if folder.get(name, 0) != what})
    gone = sorted(folder.keys() - contents().keys())
    if left or gone:
        raise Wrong("it was refused, but files are others", f"{left} {gone} {message}")
    return REFUSED


def contents() -> dict[str, bytes | None]:
    """The folder of the case by names: the bytes of files, None for all else."""
    top = Path("..").resolve()
    found: dict[str, bytes | None] = {}
    for root, folders, files in os.walk(top):
        for name in (*folders, *files):
            path = Path(root, name)
            plain = path.is_file() and not path.is_symlink()
            found[str(path.relative_to(top))] = path.read_bytes() if plain else None
    return found
