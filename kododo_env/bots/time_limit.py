"""A time limit for calls of code that others wrote, in any thread; a long wait is announced."""

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
from typing import Any, NoReturn, TypeVar

SECONDS = 10.0  # for a decision
LOADING = 60.0  # for code to be imported, and for what it makes to be made
NOTICE = 5.0  # a longer wait is announced
PATIENCE = 2.0  # more for code that catches TimeUp too; then its process ends
SHORTEST = 0.001  # of a timer; 0 would switch it off

Result = TypeVar("Result")

_announced: set[str] = set()
_idle: list[_Helper] = []  # threads that can make the next call
_deadline = ContextVar("_deadline", default=math.inf)  # of the thread that may be left behind


def limit_of(seconds: str | None, name: str) -> float:
    """The limit that a bot's name has, or else 10 seconds a decision.

    Raises:
        ValueError: It is 0.
    """
    limit = SECONDS if seconds is None else float(seconds)
    if not limit:
        raise ValueError(f"bot {name}: its limit must be more than 0 seconds")
    return limit


class TimeUp(BaseException):
    """A call has used all its time; ``except Exception`` does not catch this."""


class _Abandoned(SystemExit):
    """Nobody waits for a thread any more; it ends without a traceback."""


class _LateError(Exception):
    """A function was late."""


def call_within(
    seconds: float,
    function: Callable[[], Result],
    owner: str,
    failure: str = "has not answered",
    games: int = 1,
) -> Result:
    """Call a function of somebody's code, and wait no longer than its limit.

    In the main thread a signal interrupts the function. If it catches even that and goes on, its
    process ends ``PATIENCE`` seconds later. In another thread, and on Windows, the function runs
    in another thread, which is left behind then, and ends when it runs Python code again. A
    limit inside a shorter one does nothing.

    Args:
        seconds: The limit for each game.
        function: What is called.
        owner: Whose code it is; ``announce`` names it after ``NOTICE`` seconds.
        failure: What the code did if it is late.
        games: In how many games it decides.

    Returns:
        The function's result.

    Raises:
        ValueError: It took longer.
    """
    limit = seconds * games
    in_main_thread = threading.current_thread() is threading.main_thread()
    try:
        if sys.platform != "win32" and in_main_thread:
            return _interrupted(limit, function, owner)
        return _left_behind(limit, function, owner)
    except _LateError:
        game = " a game" if games > 1 else ""
        raise ValueError(f"{owner} {failure} within {seconds:g} s{game}") from None


def announce(owner: str, limit: float) -> None:
    """Tell on stderr, once for each name, that a bot takes long, and which limit it has."""
    if owner not in _announced:
        _announced.add(owner)
        _tell(f"waiting for {owner}, which has {round(limit)} s")


def _tell(line: str) -> None:
    """Write a line to stderr, also from the handler of a signal, where print may not be used."""
    with suppress(OSError):
        os.write(2, f"\n{line}\n".encode("utf-8", "backslashreplace"))


if sys.platform != "win32":  # it has no such signal
    os.register_at_fork(after_in_child=_idle.clear)  # it has no threads but the one that forks

    def _interrupted(limit: float, function: Callable[[], Result], owner: str) -> Result:
        """The function's result; a signal interrupts it if it is late."""
        began = monotonic()
        outer_remaining, outer_interval = signal.getitimer(signal.ITIMER_REAL)
        if 0 < outer_remaining <= limit:
            return function()
        time_up = TimeUp()
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
                _tell(f"{owner} does not stop when its time is up")
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
        except TimeUp as error:
            if error is not time_up:
                raise
            raise _LateError from None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if outer_handler is not None:  # one that is not Python's cannot be restored
                signal.signal(signal.SIGALRM, outer_handler)
            if outer_remaining:
                remaining = max(outer_remaining - (monotonic() - began), SHORTEST)
                signal.setitimer(signal.ITIMER_REAL, remaining, outer_interval)


def _left_behind(limit: float, function: Callable[[], Result], owner: str) -> Result:
    """The function's result; the thread in which it runs is left behind if it is late."""
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
        outcome: Callable[[], Result] = patiently(helper.outcomes, limit, owner)
    except BaseException as error:
        helper.abandon()
        if isinstance(error, Empty):
            raise _LateError from None
        raise
    _idle.append(helper)
    return outcome()


class _Helper:
    """A thread that makes one call after the other, until it is abandoned in one of them."""

    def __init__(self) -> None:
        self.calls: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self.outcomes: SimpleQueue[Callable[[], Any]] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (call := self.calls.get()) is not None:
            try:
                result = call()
            except BaseException as error:  # the caller raises it
                self.outcomes.put(partial(_raise, error))
            else:
                self.outcomes.put(partial(_return, result))

    def abandon(self) -> None:
        """Let the thread end as soon as it runs Python code again."""
        self.calls.put(None)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(_Abandoned)
        )


def _raise(error: BaseException) -> NoReturn:
    raise error


def _return(result: Result) -> Result:
    return result


def patiently(answers: SimpleQueue[Result], limit: float, owner: str) -> Result:
    """The next of somebody's answers; a long wait for it is announced.

    Raises:
        Empty: There was none within the limit.
    """
    with suppress(Empty):
        return answers.get(timeout=min(limit, NOTICE))
    if limit > NOTICE:
        announce(owner, limit)
    return answers.get(timeout=min(max(limit - NOTICE, 0), threading.TIMEOUT_MAX))
