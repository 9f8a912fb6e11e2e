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
    if place.endswith(FILE) and not Path(place).is_file():
        raise ValueError(_one_line(f"{option} {name}: file not found: {place}"))
    with blamed(f"{option} {name}", "cannot be imported"):
        module = module_from_file(Path(place)) if place.endswith(FILE) else import_module(place)
    code = getattr(module, attribute, None)
    if not callable(code):
        raise ValueError(_one_line(f"{option} {name}: no function or class {attribute} in {place}"))
    return code


def module_from_file(path: Path) -> ModuleType:
    """Execute a Python file and return its module, which ``import`` statements cannot find.

    Raises:
        ValueError: The file cannot be read.
    """
    module = ModuleType(f"code_{digest(os.fsencode(path.resolve()), 12)}")
    module.__file__ = str(path)
    content = read_ordinary(path, LARGEST_FILE, f"Python file {path}")
    sys.modules[module.__name__] = module  # dataclasses look up their module here
    exec(compile(content, path, "exec"), vars(module))  # writes no __pycache__
    return module


@contextmanager
def blamed(name: str, failure: str) -> Iterator[None]:
    """Convert exceptions raised inside to a one-line ValueError that names the user's code.

    Args:
        name: The name of the code.
        failure: The part of the message that says what failed, such as "cannot be imported".
    """
    try:
        yield
    except BaseException as error:
        if is_stop(error):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f" ({Path(last.filename).name}, line {last.lineno})"
        if isinstance(error, SyntaxError):  # its message has the line
            where = ""
        message = f"{type(error).__name__}: {error}"
        raise ValueError(_one_line(f"{name} {failure}: {message}{where}")) from error


def _one_line(text: str) -> str:
    return " ".join(text.split())
