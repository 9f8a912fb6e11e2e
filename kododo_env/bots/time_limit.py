"""A time limit for calls of custom code, in any thread; long waits are announced on stderr."""

from __future__ import annotations

import ctypes
import math
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar, copy_context
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic
from types import FrameType
from typing import Any, TypeVar, cast

SECONDS = 10.0  # per decision
LOADING = 60.0  # to import code and create its objects
NOTICE = 5.0  # seconds; longer waits are announced
PATIENCE = 2.0  # extra time for code that catches TimeUp; then its process ends
SHORTEST = 0.001  # the shortest timer; 0 would switch it off

Result = TypeVar("Result")

_announced: set[str] = set()
_idle: list[_Helper] = []  # threads that wait for the next call
_deadline = ContextVar("_deadline", default=math.inf)  # of the current helper thread


def limit_of(seconds: str | None, name: str) -> float:
    """Return the time limit of a bot in seconds.

    Args:
        seconds: The number in the bot's name; None for a name without one, which means 10 seconds.
        name: The bot's name, for the error message.

    Raises:
        ValueError: The limit is 0.
    """
    limit = SECONDS if seconds is None else float(seconds)
    if not limit:
        raise ValueError(f"bot {name}: time limit must be greater than 0 s")
    return limit


class TimeLimitReached(BaseException):
    """Raised in a call whose time is up; a BaseException, which ``except Exception`` lets pass."""


class _AbandonedCall(SystemExit):
    """Ends an abandoned thread without a traceback."""


class _LateError(Exception):
    """A function did not finish in time."""


def call_within(
    seconds: float,
    function: Callable[[], Result],
    owner: str,
    failure: str = "did not respond",
    games: int = 1,
) -> Result:
    """Call a function of custom code with a time limit.

    In the main thread, a signal handler raises ``TimeLimitReached`` in the function when its time
    is up. If the function catches that and continues, the process exits ``PATIENCE`` seconds later.
    In other threads, and on Windows, the function runs in a helper thread. When its time is up, the
    helper is abandoned and ends as soon as it executes Python code again. Inside a call with less
    time left, a limit has no effect.

    Args:
        seconds: The limit per game.
        function: The function to call.
        owner: The name of the code; ``announce`` shows it after ``NOTICE`` seconds.
        failure: The part of the error message that says what did not happen in time.
        games: The number of games in which the function decides; it multiplies the limit.

    Returns:
        The function's result.

    Raises:
        ValueError: The function did not return within the limit.
    """
    limit = seconds * games
    in_main_thread = threading.current_thread() is threading.main_thread()
    try:
        if sys.platform != "win32" and in_main_thread:
            return _interrupted(limit, function, owner)
        return _left_behind(limit, function, owner)
    except _LateError:
        game = " per game" if games > 1 else ""
        raise ValueError(f"{owner} {failure} within {seconds:g} s{game}") from None


def announce(owner: str, limit: float) -> None:
    """Print to stderr, once per name, that a bot takes long, with its limit in seconds."""
    if owner not in _announced:
        _announced.add(owner)
        _tell(f"waiting for {owner} (time limit: {round(limit)} s)")


def _tell(line: str) -> None:
    """Write a line to stderr; safe in a signal handler, where ``print`` is not."""
    with suppress(OSError):
        os.write(2, f"\n{line}\n".encode("utf-8", "backslashreplace"))


if sys.platform != "win32":  # Windows has no SIGALRM
    os.register_at_fork(after_in_child=_idle.clear)  # a child has only the thread that forked

    def _interrupted(limit: float, function: Callable[[], Result], owner: str) -> Result:
        """Return the function's result; a signal interrupts the function if it is late."""
        began = monotonic()
        outer_remaining, outer_interval = signal.getitimer(signal.ITIMER_REAL)
        if 0 < outer_remaining <= limit:
            return function()
        time_up = TimeLimitReached()
        active = True
        raised = False

        def alarm(number: int, frame: FrameType | None) -> None:
            nonlocal raised
            if not active:
                return
            remaining = began + limit - monotonic()
            if remaining > 0:
                announce(owner, limit)
                signal.setitimer(signal.ITIMER_REAL, max(remaining, SHORTEST))
                return
            if raised:
                _tell(f"{owner} ignores its time limit; the process exits")
                os._exit(1)
            raised = True
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
            raise time_up

        outer_handler = signal.signal(signal.SIGALRM, alarm)
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, min(limit, NOTICE))
                return function()
            finally:
                active = False
        except TimeLimitReached as error:
            if error is not time_up:
                raise
            raise _LateError from None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if outer_handler is not None:  # a handler not set by Python cannot be restored
                signal.signal(signal.SIGALRM, outer_handler)
            if outer_remaining:
                remaining = max(outer_remaining - (monotonic() - began), SHORTEST)
                signal.setitimer(signal.ITIMER_REAL, remaining, outer_interval)


def _left_behind(limit: float, function: Callable[[], Result], owner: str) -> Result:
    """Return the function's result; its helper thread is abandoned if it is late."""
    deadline = monotonic() + limit
    if _deadline.get() <= deadline:
        return function()
    context = copy_context()
    context.run(_deadline.set, deadline)
    try:
        helper = _idle.pop()
    except IndexError:
        helper = _Helper()
    helper.calls.put(partial(context.run, function))
    try:
        result, failure = patiently(helper.outcomes, limit, owner)
    except BaseException as error:
        helper.abandon()
        if isinstance(error, Empty):
            raise _LateError from None
        raise
    _idle.append(helper)
    if failure is not None:
        raise failure
    return cast("Result", result)


class _Helper:
    """A thread that makes one call after another until it is abandoned."""

    def __init__(self) -> None:
        self.calls: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self.outcomes: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (call := self.calls.get()) is not None:
            try:
                self.outcomes.put((call(), None))
            except BaseException as error:  # the caller raises it
                self.outcomes.put((None, error))

    def abandon(self) -> None:
        """Make the thread end as soon as it runs Python code again."""
        self.calls.put(None)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(_AbandonedCall)
        )


def patiently(answers: SimpleQueue[Result], limit: float, owner: str) -> Result:
    """Return the next item of a queue, and announce a wait of more than ``NOTICE`` seconds.

    Raises:
        Empty: No item arrived within the limit, in seconds.
    """
    with suppress(Empty):
        return answers.get(timeout=min(limit, NOTICE))
    if limit > NOTICE:
        announce(owner, limit)
    return answers.get(timeout=min(max(limit - NOTICE, 0), threading.TIMEOUT_MAX))
