"""Custom Python code by name: ``file.py:Name`` or ``package.module:Name``.

Loading the code runs it with the user's permissions. Such names are therefore accepted only from
the user, never from a file such as a checkpoint.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from kododo_env.bots.names import FILE, WORD
from kododo_env.bots.time_limit import TimeLimitReached
from kododo_env.checks.numbers import quote
from kododo_env.system.digests import digest
from kododo_env.system.files import read_ordinary
from kododo_env.system.signals import is_stop

LARGEST_FILE = 1 << 24  # bytes
CODE = re.compile(rf"(.+\{FILE}|{WORD}(?:\.{WORD})*):({WORD})", re.DOTALL)


def is_code(name: str) -> bool:
    """Return whether a name has the form of a name of custom code; the code need not exist."""
    return CODE.fullmatch(name) is not None


def load_code(name: str, option: str) -> Any:
    """Import a module or file and return its function or class.

    Args:
        name: ``file.py:Name`` or ``package.module:Name``.
        option: The command-line option with this name, such as ``--reward``, for error messages.

    Raises:
        ValueError: The file, module, function or class does not exist, or importing it fails.
    """
    match = CODE.fullmatch(name)
    if match is None:
        raise ValueError(f"{option} must be module:name or file.py:name, not {quote(name)}")
    place, attribute = match.groups()
    code = getattr(import_code(place, f"{option} {name}"), attribute, None)
    if not callable(code):
        raise ValueError(_one_line(f"{option} {name}: no function or class {attribute} in {place}"))
    return code


def import_code(place: str, owner: str) -> ModuleType:
    """Import a module by its name, or execute a Python file.

    Args:
        place: The name of the module, or the path of the file.
        owner: The name of the code, for error messages.

    Raises:
        ValueError: The file or module does not exist, or its code fails.
    """
    if place.endswith(FILE) and not Path(place).is_file():
        raise ValueError(_one_line(f"{owner}: file not found: {place}"))
    with blamed(owner, "cannot be imported", str(Path(place))):
        return _module_from_file(Path(place)) if place.endswith(FILE) else import_module(place)


def _module_from_file(path: Path) -> ModuleType:
    """Execute a Python file and return its module, which ``import`` statements cannot find."""
    module = ModuleType(f"code_{digest(os.fsencode(path.resolve()), 12)}")
    module.__file__ = str(path)
    content = read_ordinary(path, LARGEST_FILE, f"Python file {path}")
    sys.modules[module.__name__] = module  # dataclasses look up their module here
    exec(compile(content, path, "exec"), vars(module))  # writes no __pycache__
    return module


@contextmanager
def blamed(owner: str, failure: str, file: str | None = None) -> Iterator[None]:
    """Convert exceptions raised inside to a one-line ValueError that names the user's code.

    Args:
        owner: The name of the code, with which the message begins.
        failure: The part of the message that says what failed, such as "cannot be imported".
        file: The file of the code; the message names its last line in the traceback. None: the
            line that raised the error.
    """
    try:
        yield
    except BaseException as error:
        if _passes(error):
            raise
        words = _words(error)
        if isinstance(error, ValueError) and words.startswith(owner):
            raise
        lines = traceback.extract_tb(error.__traceback__)
        last = next((frame for frame in reversed(lines) if frame.filename == file), lines[-1])
        where = f" ({Path(last.filename).name}, line {last.lineno})"
        if isinstance(error, SyntaxError):  # its message has the line
            where = ""
        message = f"{type(error).__name__}: {words}" if words else type(error).__name__
        raise ValueError(_one_line(f"{owner} {failure}: {message}{where}")) from error


def _passes(error: BaseException) -> bool:
    """Return whether an error is not the code's own: its time is up, or the process is to stop."""
    return isinstance(error, TimeLimitReached) or is_stop(error)


def _words(error: BaseException) -> str:
    """Return an error's message; empty if its own ``__str__`` fails."""
    try:
        return str(error)
    except BaseException as failure:
        if _passes(failure):
            raise
        return ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
