"""The time limit for calls of custom code: in any thread, and nested."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from typing import Any

import pytest

from kododo_env.bots import time_limit
from kododo_env.bots.time_limit import call_within

Runner = Callable[[Callable[[], Any]], Any]
PLACE: ContextVar[str] = ContextVar("PLACE", default="nowhere")


def in_this_thread(function: Callable[[], Any]) -> Any:
    return function()


def in_another_thread(function: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(function).result()


def loops() -> None:
    while True:
        try:
            time.sleep(0.001)
        except Exception:  # TimeUp is not an Exception
            continue


@pytest.fixture(params=[in_this_thread, in_another_thread])
def run(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_a_result_and_an_error_are_those_of_the_function(run: Runner) -> None:
    assert run(partial(call_within, 60, lambda: 5, "it")) == 5
    with pytest.raises(KeyError, match="nothing"):
        run(partial(call_within, 60, partial({}.__getitem__, "nothing"), "it"))
    with pytest.raises(SystemExit):
        run(partial(call_within, 60, sys.exit, "it"))


@pytest.mark.parametrize("function", [loops, partial(time.sleep, 60)])
@pytest.mark.parametrize(("games", "limit"), [(1, "0.1 s"), (2, "0.1 s per game")])
def test_a_function_that_goes_on_is_late(
    function: Callable[[], Any], games: int, limit: str, run: Runner
) -> None:
    with pytest.raises(ValueError, match=rf"^it did not respond within {limit}$"):
        run(partial(call_within, 0.1, function, "it", games=games))


def test_a_thread_that_is_left_behind_ends_when_it_runs_python_again(
    capfd: pytest.CaptureFixture[str],
) -> None:
    threads: list[threading.Thread] = []

    def notes_its_thread() -> None:
        threads.append(threading.current_thread())
        loops()

    with pytest.raises(ValueError, match="did not respond"):
        in_another_thread(partial(call_within, 0.1, notes_its_thread, "it"))
    threads[0].join(60)
    assert not threads[0].is_alive()
    assert capfd.readouterr().err == ""


def test_the_code_sees_the_context_of_its_caller(run: Runner) -> None:
    def at_home() -> str:
        PLACE.set("home")
        return call_within(60, PLACE.get, "it")

    assert run(at_home) == "home"


def test_the_shorter_of_two_limits_is_told(run: Runner) -> None:
    inner_is_longer = partial(call_within, 60, loops, "the inner")
    with pytest.raises(ValueError, match=r"^the outer did not respond within 0.2 s"):
        run(partial(call_within, 0.2, inner_is_longer, "the outer"))
    inner_is_shorter = partial(call_within, 0.1, loops, "the inner")
    with pytest.raises(ValueError, match=r"^the inner did not respond within 0.1 s"):
        run(partial(call_within, 60, inner_is_shorter, "the outer"))


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signal")
def test_an_alarm_of_the_caller_rings_all_the_same() -> None:
    class RingsError(BaseException):
        pass

    def ring(*_: object) -> None:
        raise RingsError

    handler = signal.signal(signal.SIGALRM, ring)
    timer = signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        with pytest.raises(ValueError, match=r"it did not respond"):
            call_within(0.1, loops, "it")
        assert signal.getsignal(signal.SIGALRM) is ring
        with pytest.raises(RingsError):
            call_within(60, loops, "it")
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)


def test_a_long_wait_is_announced_once(
    run: Runner, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(time_limit, "NOTICE", 0.05)
    monkeypatch.setattr(time_limit, "_announced", set())
    for _ in range(2):
        run(partial(call_within, 60, partial(time.sleep, 0.2), "bot slow.py:Bot"))
    run(partial(call_within, 60, int, "bot fast.py:Bot"))
    assert capfd.readouterr().err == "\nwaiting for bot slow.py:Bot (time limit: 60 s)\n"
