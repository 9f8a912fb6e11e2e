"""Names of custom bots: ``bot.py:Class``, ``package.module:Class``, ``exec:CMD``.

``bot.py:Class:2s`` and ``exec:2s:CMD`` limit each decision to 2 seconds; the default is 10.

Creating a bot runs its code with the user's permissions. Bot names are therefore accepted only from
the user, never from a file such as a checkpoint.
"""

from __future__ import annotations

import re
import sys

from kododo_env.core.agent import Agent

EXEC = "exec:"
FILE = ".py"
WORD = r"[^\W\d]\w*"
LIMIT = r"([0-9]{1,6}(?:\.[0-9]{1,6})?)s"  # seconds for a decision
PYTHON = re.compile(rf"(.+\{FILE}|{WORD}(?:\.{WORD})*):({WORD})(?::{LIMIT})?", re.DOTALL)


def is_bot(name: str) -> bool:
    """Return whether a name has the form of a bot's name; the bot need not exist."""
    return name.startswith(EXEC) or name.endswith(FILE) or PYTHON.fullmatch(name) is not None


def make_bot(name: str) -> Agent:
    """Create a bot from its name.

    A Python bot's code is imported now; a program starts at its first decision.

    Raises:
        ValueError: The name is malformed; the file, module, class or program does not exist; its
            code fails; or this is a web page, where bots cannot run.
    """
    from kododo_env.bots.program import ProgramBot
    from kododo_env.bots.python_bot import python_bot

    if sys.platform == "emscripten":  # a browser, where a URL may name agents
        raise ValueError(
            f"bot {name} cannot run in a web page: install kododo-env and use its command line"
        )
    return ProgramBot(name) if name.startswith(EXEC) else python_bot(name)
