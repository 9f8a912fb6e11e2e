"""Processes that work for another: none of them outlives what it worked for."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children

import pytest

from kododo_env.arena.workers import worker_pool


def test_what_goes_wrong_ends_the_workers_in_the_middle_of_their_work() -> None:
    """Told politely to stop, make_policies once left a process that trained on."""
    futures = []

    def interrupted() -> None:
        with worker_pool(1) as pool:
            futures.append(pool.submit(time.sleep, 20))
            while not futures[0].running():
                time.sleep(0.05)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert isinstance(futures[0].exception(), BrokenProcessPool)  # not waited for
    assert not active_children()


def test_a_worker_that_is_killed_is_told_of() -> None:
    with pytest.raises(ChildProcessError, match="was killed; try fewer"), worker_pool(1) as pool:
        pool.submit(os.kill, pool.submit(os.getpid).result(), signal.SIGKILL).result()
