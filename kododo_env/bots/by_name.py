"""Bots that others wrote, by their names: ``bot.py:Class``, ``package.module:Class``, ``exec:CMD``.

``bot.py:Class:2s`` and ``exec:2s:CMD`` have another limit than 10 seconds a decision.

The user who names one lets it run, with all that this user may do. So only people name bots; a
file does not, such as a checkpoint.
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
    """Whether it is the name of a bot, be there one or not."""
    return name.startswith(EXEC) or name.endswith(FILE) or PYTHON.fullmatch(name) is not None


def make_bot(name: str) -> Agent:
    """A bot by its name: Python's code is imported, a program starts at its first decision.

    Raises:
        ValueError: There is no such bot, or its code cannot be run.
    """
    from kododo_env.bots.program import ProgramBot
    from kododo_env.bots.python_bot import python_bot

    if sys.platform == "emscripten":  # there the address of the page names agents
        raise ValueError(f"bot {name} does not play in a page: install kododo-env")
    return ProgramBot(name) if name.startswith(EXEC) else python_bot(name)
