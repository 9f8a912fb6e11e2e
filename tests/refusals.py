"""The documented handling of invalid input: a ValueError of one printable line."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kododo_env.core.batch_game import IllegalAction

ROOT = Path(__file__).parents[1]
PACKAGES = (str(ROOT / "kododo_env"), str(ROOT / "agents"))
LONGEST_MESSAGE = 600


def refuses(call: Callable[[], Any]) -> str:
    """Return the message of a documented error of a call, or an empty string without an error.

    Other errors are not caught.
    """
    try:
        call()
    except ValueError as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        line = linecache.getline(last.filename, last.lineno or 0)
        on_purpose = last.filename.startswith(PACKAGES) and "raise" in line
        if not on_purpose or type(error) not in (ValueError, IllegalAction):
            raise
        check_message(str(error))
        return str(error)
    return ""


def check_message(text: str) -> None:
    """Check that a message is one printable line of limited length."""
    assert text.strip()
    assert text.isprintable(), ascii(text[:LONGEST_MESSAGE])
    assert len(text) <= LONGEST_MESSAGE, text[:200]
