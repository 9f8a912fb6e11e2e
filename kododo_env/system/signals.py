"""Stop signals: Ctrl-C (SIGINT), and SIGTERM, which is handled like it."""

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
    """Raised by SIGTERM; code that catches Ctrl-C also catches it."""


STOPS: dict[int, type[KeyboardInterrupt]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: TerminationSignal,
}


def is_stop(error: BaseException) -> bool:
    """Return whether an exception comes from a signal, which only the main thread receives."""
    is_main = threading.current_thread() is threading.main_thread()
    receives = is_main and signal.getsignal(signal.SIGINT) != signal.SIG_IGN
    return isinstance(error, TerminationSignal) or (
        isinstance(error, KeyboardInterrupt) and receives
    )


def exit_status(stop: KeyboardInterrupt) -> int:
    """Return 128 plus the number of the signal, as shells do: 130 or 143."""
    return 128 + (signal.SIGTERM if isinstance(stop, TerminationSignal) else signal.SIGINT)


@contextmanager
def on_stop(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    """Let both signals call a handler inside; a signal that was ignored is still ignored."""
    numbers = [number for number in STOPS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal by raising its exception."""
    raise STOPS[number]


def end_at_once_on_stop() -> None:
    """Let both signals end the process with a line, until another handler is set.

    For the time in which libraries are imported and in which the process exits: no work is lost
    then, and a library could swallow an exception or print its traceback.
    """
    for number in STOPS:
        signal.signal(number, end_at_once)


def end_at_once(number: int, frame: FrameType | None) -> None:
    """Handle a signal by ending the process with a line."""
    os.write(2, b"\nstopped\n")
    os._exit(128 + number)


def end_with_threads(status: int) -> NoReturn:
    """End the process as Python does, but without waiting for running threads."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):  # a closed pipe or stream
                stream.flush()
    os._exit(status)
