"""Worker processes: same results as one process, and no process outlives its work."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import active_children
from pathlib import Path

import pytest

from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run, worker_pool
from kododo_env.core import Agent
from tests.arena.players import report_of, tournament


def test_two_workers_find_what_one_finds() -> None:
    played = tournament(games=120)
    alone = report_of(played, 1).to_json()
    assert alone == report_of(played, 2).to_json()
    assert alone != report_of(tournament(games=120, seed=1)).to_json()


class Broken(Tournament):
    """A tournament of agents that cannot be loaded."""

    def load_agents(self) -> list[Agent]:
        raise ValueError("these cannot be loaded")


def test_an_error_in_a_worker_is_the_same_error() -> None:
    played = tournament(Broken)
    for workers in (1, 2):
        with pytest.raises(ValueError, match="these cannot be loaded"):
            list(run(played, played.chunks(), workers))


def test_no_workers_cannot_play() -> None:
    with pytest.raises(ValueError, match="workers must be"):
        list(run(tournament(), tournament().chunks(), 0))


def test_an_error_ends_the_workers_in_the_middle_of_their_work() -> None:
    """After SIGTERM, make_policies once left a process that continued to train."""
    futures = []

    def interrupted() -> None:
        with worker_pool(1) as pool:
            futures.append(pool.submit(time.sleep, 20))
            while not futures[0].running():
                time.sleep(0.05)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert isinstance(futures[0].exception(), ChildProcessError)  # not waited for
    assert not active_children()


def test_a_worker_that_is_killed_is_told_of() -> None:
    with pytest.raises(ChildProcessError, match="was killed"), worker_pool(1) as pool:
        pool.submit(os._exit, 1).result()


def test_a_worker_that_is_killed_takes_no_other_work_with_it() -> None:
    """It once got all remaining work, so that after one training all later ones failed."""
    with worker_pool(2) as pool:
        killed = pool.submit(os._exit, 1)
        futures = [pool.submit(time.sleep, 0.1) for _ in range(6)]
        assert isinstance(killed.exception(), ChildProcessError)
        assert [future.exception() for future in futures] == [None] * 6
        lost = [pool.submit(os._exit, 1) for _ in range(3)]  # one of them kills the last worker
        assert all(isinstance(future.exception(), ChildProcessError) for future in lost)


class TwoPartsError(Exception):
    """Can be pickled, but not read again: it is made of more than it keeps."""

    def __init__(self, actual: str, expected: str) -> None:
        super().__init__(f"{actual} in place of {expected}")


def fails(locally: bool) -> None:
    class LocalError(Exception):
        """Cannot be pickled."""

    raise LocalError("lost in a card") if locally else TwoPartsError("red", "blue")


@pytest.mark.parametrize(
    ("locally", "message"),
    [(True, "LocalError: lost in a card"), (False, "TwoPartsError: red in place of blue")],
)
def test_an_error_that_cannot_be_sent_is_told_in_words(locally: bool, message: str) -> None:
    """It once ended the worker, and was reported as a killed process."""
    with worker_pool(1) as pool:
        error = pool.submit(fails, locally).exception()
        assert isinstance(error, RuntimeError)
        assert str(error) == message
        assert "in fails" in error.__notes__[0]
        assert pool.submit(abs, -1).result() == 1


def much(_: int) -> bytes:
    return bytes(60_000_000)


def stopped_while_results_come() -> None:
    with worker_pool(2) as pool:
        results = [pool.submit(much, index) for index in range(4)]
        results[0].result()
        raise KeyboardInterrupt


def test_stopping_while_a_result_is_sent_comes_to_an_end() -> None:
    """A worker was killed in the middle of its message, for whose rest the evaluation waited."""
    command = [sys.executable, "-m", __name__]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command, cwd=root, timeout=120, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        stopped_while_results_come()
