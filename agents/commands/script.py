"""Starting a script, which answers Ctrl-C in a line from its first moment on.

Nothing but the standard library is imported here, not even ``kododo_env``: libraries take seconds.
"""

from __future__ import annotations

import os
import signal
import threading
from pkgutil import resolve_name
from types import FrameType
from typing import NoReturn

ENDS_WITH_STDIN = "KODODO_ENDS_WITH_STDIN"


def run_script(config_class: str, main: str, defaults: str | None = None) -> NoReturn:
    """Import what a script needs, and run it as ``agents.commands.cli.run_cli`` does.

    Args:
        config_class: Its command line's dataclass, as ``module:name``.
        main: Its function, likewise.
        defaults: What makes its defaults, likewise, if they depend on the arguments.
    """
    # To the end of the process: while it leaves, it has done its work.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_at_once)
    _end_with_starter()
    run_cli = resolve_name("agents.commands.cli:run_cli")
    makes = resolve_name(defaults) if defaults else None
    run_cli(resolve_name(config_class), resolve_name(main), defaults=makes)
    raise AssertionError("run_cli leaves the process")


def _end_at_once(number: int, frame: FrameType | None) -> None:
    """Nothing is begun; an exception would be the library's traceback, or be swallowed by it."""
    os.write(2, b"\nstopped\n")
    os._exit(128 + number)


def _end_with_starter() -> None:
    """Take the end of standard input for a polite kill, if the starter asks for that.

    It sets ``KODODO_ENDS_WITH_STDIN`` in the environment and holds the other end of the
    pipe, which the system closes however the starter ends.
    """
    if os.environ.pop(ENDS_WITH_STDIN, None):
        threading.Thread(target=_wait_for_end_of_stdin, daemon=True).start()


def _wait_for_end_of_stdin() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
