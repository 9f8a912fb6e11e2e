"""The documented handling of invalid input, and its violations."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kododo_env.core.batch_game import IllegalAction

ROOT = Path(__file__).parents[2]
OURS = (str(ROOT / "kododo_env"), str(ROOT / "agents"))
LONGEST_MESSAGE = 600

REFUSED = "refused"
ACCEPTED = "accepted"


class FaultFound(Exception):
    """An error that is raised when a case finds a fault.

    Args:
        fault: The fault in a few words, equal for all cases with the same fault.
        detail: Further information.
    """

    def __init__(self, fault: str, detail: str = "") -> None:
        super().__init__(f"{fault}: {detail}" if detail else fault)
        self.fault = fault


def refuses(call: Callable[[], Any]) -> str:
    """Return the message of a documented error of a call, or an empty string without an error.

    Raises:
        FaultFound: The error message does not have the documented form. Other errors are not
            caught.
    """
    try:
        call()
    except ValueError as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        line = linecache.getline(last.filename, last.lineno or 0)
        on_purpose = last.filename.startswith(OURS) and "raise" in line
        if not on_purpose or type(error) not in (ValueError, IllegalAction):
            raise
        check_message(str(error))
        return str(error)
    return ""


def check_message(text: str) -> None:
    """Raise FaultFound unless a message is one printable line of limited length."""
    if "\n" in text or not text.strip():
        raise FaultFound("a message is not one line", ascii(text[:LONGEST_MESSAGE]))
    if not text.isprintable():
        raise FaultFound("a message has characters that cannot be printed", ascii(text[:200]))
    if len(text) > LONGEST_MESSAGE:
        raise FaultFound("a message is too long", f"{len(text)} letters: {text[:200]}")


def where(error: BaseException) -> str:
    """Return the type of an error and its last location in the project."""
    frames = traceback.extract_tb(error.__traceback__)
    our_frames = [frame for frame in frames if frame.filename.startswith(OURS)]
    place = ""
    if our_frames:
        file = Path(our_frames[-1].filename).relative_to(ROOT)
        place = f" at {file}:{our_frames[-1].lineno} ({our_frames[-1].name})"
    return f"{type(error).__name__}{place}"
