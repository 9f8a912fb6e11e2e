"""A stand-in for Windows: in a process that imports this, our modules do not find what it lacks.

Other libraries see the system as it is. It stands in for what is missing, and for what is refused;
whether all works there can only be seen there.
"""

from __future__ import annotations

import builtins
import multiprocessing
import os
import signal
import sys
import warnings
from multiprocessing import resource_tracker
from types import ModuleType
from typing import Any

OURS = ("kododo_env", "agents")
MODULES = {
    "_posixshmem", "_posixsubprocess", "curses", "fcntl", "grp", "posix", "pty", "pwd", "readline",
    "resource", "syslog", "termios", "tty",
}  # fmt: skip
# What ours ask for, among all that these modules lack there: ``make types`` looks at every name.
OF_OS = {"O_NONBLOCK", "fork", "sched_getaffinity", "statvfs", "sysconf"}
OF_SIGNAL = {"SIGHUP", "SIGKILL", "SIG_BLOCK", "SIG_SETMASK", "SIG_UNBLOCK", "pthread_sigmask"}


class Seen(ModuleType):
    """A module of which some names are missing, and others are something else."""

    def __init__(self, module: ModuleType, missing: set[str], **instead: Any) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(instead, _module=module, _missing=missing)

    def __getattr__(self, name: str) -> Any:
        if name in self._missing:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on Windows")
        return getattr(self._module, name)


def fsync(handle: int) -> None:
    """A file that was opened for reading alone is refused."""
    os.write(handle, b"")  # here that is refused where fsync is not
    os.fsync(handle)


def ensure_running() -> None:
    """The tracker is started by a module of POSIX."""
    raise ModuleNotFoundError("No module named '_posixsubprocess'")


def get_context(method: str = "spawn") -> Any:
    """There is no fork."""
    if method != "spawn":
        raise ValueError(f"cannot find context for {method!r}")
    return multiprocessing.get_context(method)


SEEN = {
    "os": Seen(os, OF_OS, name="nt", fsync=fsync),
    "signal": Seen(signal, OF_SIGNAL),
    "sys": Seen(sys, set(), platform="win32"),
    "multiprocessing": Seen(
        multiprocessing,
        set(),
        get_context=get_context,
        resource_tracker=Seen(resource_tracker, set(), ensure_running=ensure_running),
    ),
}
find = builtins.__import__


def as_there(name: str, globals: Any = None, *how: Any, **named: Any) -> ModuleType:
    """Import for one of our modules what Windows has, and for others what there is."""
    importer = str((globals or {}).get("__name__")).partition(".")[0]
    # The locks are those of a system that has none.
    if (importer == "filelock" and name == "fcntl") or (importer in OURS and name in MODULES):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return SEEN[name] if name in SEEN and importer in OURS else find(name, globals, *how, **named)


builtins.__import__ = as_there
# With PYTHONWARNDEFAULTENCODING: a file whose encoding is not said would have another one there.
warnings.filterwarnings("error", "'encoding' argument", EncodingWarning, r"(kododo_env|agents)\.")
warnings.filterwarnings("ignore", "only soft file lock is available")
