"""A user's own Python code by its name, ``file.py:Name`` or ``package.module:Name``: it is run.

The user who names it lets it run, with all that this user may do. So only people name code; a
file does not, such as a checkpoint.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from kododo_env.bots.by_name import FILE, WORD
from kododo_env.core.numbers import shown
from kododo_env.system.files import read_ordinary
from kododo_env.system.stopping import is_stop

LARGEST_FILE = 1 << 24  # bytes
CODE = re.compile(rf"(.+\{FILE}|{WORD}(?:\.{WORD})*):({WORD})", re.DOTALL)


def is_code(name: str) -> bool:
    """Whether it is the name of a user's own code, be there any or not."""
    return CODE.fullmatch(name) is not None


def load_code(name: str, option: str) -> Any:
    """The function or class of that name, whose module or file is run for it.

    Args:
        name: ``file.py:Name`` or ``package.module:Name``.
        option: How it is given, such as ``--reward``, for messages.

    Raises:
        ValueError: There is no such file, module or name, or the code raises an error.
    """
    match = CODE.fullmatch(name)
    if match is None:
        raise ValueError(f"{option} takes module:name or file.py:name, not {shown(name)}")
    place, attribute = match.groups()
    if place.endswith(FILE) and not Path(place).is_file():
        raise ValueError(_one_line(f"{option} {name}: there is no file {place}"))
    with blamed(f"{option} {name}", "cannot be imported"):
        module = module_from_file(Path(place)) if place.endswith(FILE) else import_module(place)
    code = getattr(module, attribute, None)
    if not callable(code):
        raise ValueError(
            _one_line(f"{option} {name}: there is no function or class {attribute} there")
        )
    return code


def module_from_file(path: Path) -> ModuleType:
    """A module of its own, which no import finds, from a file; it is run each time."""
    digest = sha256(os.fsencode(path.resolve())).hexdigest()[:12]
    module = ModuleType(f"code_{digest}")
    module.__file__ = str(path)
    content = read_ordinary(path, LARGEST_FILE, f"Python file {path}")
    sys.modules[module.__name__] = module  # where dataclasses look for their module
    exec(compile(content, path, "exec"), vars(module))  # leaves no __pycache__
    return module


@contextmanager
def blamed(name: str, failure: str) -> Iterator[None]:
    """Inside, an error is that of a user's code: a ValueError of one line that names it.

    Args:
        name: The code's.
        failure: What it did wrong, such as "cannot be imported"; part of the message.
    """
    try:
        yield
    except BaseException as error:
        if is_stop(error):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f" ({Path(last.filename).name}, line {last.lineno})"
        if isinstance(error, SyntaxError):  # it says so itself
            where = ""
        message = f"{type(error).__name__}: {error}"
        raise ValueError(_one_line(f"{name} {failure}: {message}{where}")) from error


def _one_line(text: str) -> str:
    return " ".join(text.split())
