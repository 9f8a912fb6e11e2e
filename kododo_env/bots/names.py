"""Names of custom bots: ``bot.py:Class``, ``package.module:Class``, ``exec:CMD``.

``bot.py:Class:2s`` and ``exec:2s:CMD`` limit each decision to 2 seconds; the default is 10.

Creating a bot runs its code with the user's permissions. Bot names are therefore accepted only from
the user, never from a file such as a checkpoint.
"""

from __future__ import annotations

import re

EXEC = "exec:"
FILE = ".py"
WORD = r"[^\W\d]\w*"
LIMIT = r"([0-9]{1,6}(?:\.[0-9]{1,6})?)s"  # seconds for a decision
PYTHON = re.compile(rf"(.+\{FILE}|{WORD}(?:\.{WORD})*):({WORD})(?::{LIMIT})?", re.DOTALL)


def is_bot(name: str) -> bool:
    """Return whether a name has the form of a bot's name; the bot need not exist."""
    return name.startswith(EXEC) or name.endswith(FILE) or PYTHON.fullmatch(name) is not None
