"""Simulate Windows: in a process that imports this module, our modules lack what Windows lacks.

Other libraries see the real system. Only missing modules and errors of calls are simulated, so
tests on Windows are still needed.
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

PACKAGES = ("kododo_env", "agents")
MODULES = {
    "_posixshmem", "_posixsubprocess", "curses", "fcntl", "grp", "posix", "pty", "pwd", "readline",
    "resource", "syslog", "termios", "tty",
}  # fmt: skip
# What our modules use, among all that these modules lack; ``make types`` checks every name.
OF_OS = {"O_NONBLOCK", "fork", "sched_getaffinity", "statvfs", "sysconf"}
OF_SIGNAL = {"SIGHUP", "SIGKILL", "SIG_BLOCK", "SIG_SETMASK", "SIG_UNBLOCK", "pthread_sigmask"}


class PatchedModule(ModuleType):
    """A module with some names removed and others replaced."""

    def __init__(self, module: ModuleType, missing: set[str], **instead: Any) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(instead, _module=module, _missing=missing)

    def __getattr__(self, name: str) -> Any:
        if name in self._missing:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on Windows")
        return getattr(self._module, name)


def fsync(handle: int) -> None:
    """Refuse a file that was opened for reading only."""
    os.write(handle, b"")  # raises where fsync of this system does not
    os.fsync(handle)


def ensure_running() -> None:
    """Fail like multiprocessing's tracker, which needs a module of POSIX."""
    raise ModuleNotFoundError("No module named '_posixsubprocess'")


def get_context(method: str = "spawn") -> Any:
    """Return a context; only "spawn" exists."""
    if method != "spawn":
        raise ValueError(f"cannot find context for {method!r}")
    return multiprocessing.get_context(method)


PATCHED = {
    "os": PatchedModule(os, OF_OS, name="nt", fsync=fsync),
    "signal": PatchedModule(signal, OF_SIGNAL),
    "sys": PatchedModule(sys, set(), platform="win32"),
    "multiprocessing": PatchedModule(
        multiprocessing,
        set(),
        get_context=get_context,
        resource_tracker=PatchedModule(resource_tracker, set(), ensure_running=ensure_running),
    ),
}
original_import = builtins.__import__


def import_as_on_windows(name: str, globals: Any = None, *args: Any, **options: Any) -> ModuleType:
    """Import what Windows has for our modules, and what this system has for others."""
    importer = str((globals or {}).get("__name__")).partition(".")[0]
    # filelock must fall back to soft locks.
    if (importer == "filelock" and name == "fcntl") or (importer in PACKAGES and name in MODULES):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    if name in PATCHED and importer in PACKAGES:
        return PATCHED[name]
    return original_import(name, globals, *args, **options)


builtins.__import__ = import_as_on_windows
# With PYTHONWARNDEFAULTENCODING: Windows has a different default encoding of files.
warnings.filterwarnings("error", "'encoding' argument", EncodingWarning, r"(kododo_env|agents)\.")
warnings.filterwarnings("ignore", "only soft file lock is available")
