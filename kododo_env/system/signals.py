"""The stop signals, SIGINT (Ctrl-C) and SIGTERM, which are handled alike."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn


class TerminationSignal(KeyboardInterrupt):
    """Raised on SIGTERM; code that catches KeyboardInterrupt also catches this exception."""


STOPS: dict[int, type[KeyboardInterrupt]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: TerminationSignal,
}


def is_stop(error: BaseException) -> bool:
    """Return whether an exception was caused by a stop signal.

    A KeyboardInterrupt in another thread than the main one is not from a signal.
    """
    is_main = threading.current_thread() is threading.main_thread()
    receives = is_main and signal.getsignal(signal.SIGINT) != signal.SIG_IGN
    return isinstance(error, TerminationSignal) or (
        isinstance(error, KeyboardInterrupt) and receives
    )


def exit_status(stop: KeyboardInterrupt) -> int:
    """Return 128 plus the number of the signal, as shells do: 130 for SIGINT, 143 for SIGTERM."""
    return 128 + (signal.SIGTERM if isinstance(stop, TerminationSignal) else signal.SIGINT)


@contextmanager
def on_stop(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    """Set the handler of both stop signals in the block; ignored signals stay ignored."""
    numbers = [number for number in STOPS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a stop signal: raise its exception."""
    raise STOPS[number]


def end_at_once_on_stop() -> None:
    """Let both stop signals exit the process at once, until another handler is set.

    Use it while libraries are imported and while the process exits. No work can be lost then, but a
    library could suppress an exception or print a traceback.
    """
    for number in STOPS:
        signal.signal(number, end_at_once)


def end_at_once(number: int, frame: FrameType | None) -> None:
    """Handle a stop signal: print "stopped" to stderr and exit with status 128 plus its number."""
    os.write(2, b"\nstopped\n")
    os._exit(128 + number)


def end_with_threads(status: int) -> NoReturn:
    """Exit the process with a status, without waiting for running threads.

    Functions registered with ``atexit`` are called, and stdout and stderr are flushed.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):  # a closed pipe or stream
                stream.flush()
    os._exit(status)
