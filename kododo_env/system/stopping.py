"""Stop signals: Ctrl-C (SIGINT), and SIGTERM, which is treated like it."""

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


class Terminated(KeyboardInterrupt):
    """SIGTERM; all that catches Ctrl-C catches it as well."""


STOPS: dict[int, type[KeyboardInterrupt]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: Terminated,
}


def is_stop(error: BaseException) -> bool:
    """Whether an exception is that of a signal: only the main thread hears one, if at all."""
    heard = threading.current_thread() is threading.main_thread()
    heard = heard and signal.getsignal(signal.SIGINT) != signal.SIG_IGN
    return isinstance(error, Terminated) or (isinstance(error, KeyboardInterrupt) and heard)


def exit_status(stop: KeyboardInterrupt) -> int:
    """128 plus the signal's number, as shells have it: 130 or 143."""
    return 128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)


@contextmanager
def on_stop(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    """Inside, both signals call a handler; one that was ignored, as a worker's Ctrl-C, still is."""
    heard = [number for number in STOPS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


def interrupt(number: int, frame: FrameType | None) -> None:
    """A handler that raises the exception of the signal."""
    raise STOPS[number]


def end_at_once_on_stop() -> None:
    """From now on both signals end the process with a line, until something else is asked for.

    For the time in which libraries are imported, and in which the process leaves: nothing is lost
    then, and an exception would be a library's traceback, or be swallowed by it.
    """
    for number in STOPS:
        signal.signal(number, end_at_once)


def end_at_once(number: int, frame: FrameType | None) -> None:
    """A handler that ends the process with a line."""
    os.write(2, b"\nstopped\n")
    os._exit(128 + number)


def end_with_threads(status: int) -> NoReturn:
    """End the process as Python does, but without waiting for threads that go on."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):  # nobody reads it, or it is closed
                stream.flush()
    os._exit(status)
