"""Kill and resume work repeatedly; the results must equal those of undisturbed work."""

from __future__ import annotations

import shutil
import signal
import time
from collections import Counter
from pathlib import Path

import numpy as np

from tests.faults.scripts import Script
from tests.faults.work import Work, compare, start_work, undisturbed

# The frequency of each way: SIGKILL at any moment, SIGKILL in a write, SIGTERM, Ctrl-C.
WAYS = {"SIGKILL": 0.4, "SIGKILL in a write": 0.3, "SIGTERM": 0.15, "SIGINT": 0.15}
NUMBERS = {"SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT}
START = 4.0  # seconds that a script takes to start, approximately
ENDS = (0, -signal.SIGKILL, 128 + signal.SIGTERM, 128 + signal.SIGINT)
SEEN = range(4)  # numbers of saved steps before a kill


def killed(work: Work, kills: int, seed: int, scratch: Path) -> Counter[str]:
    """Kill some work repeatedly, and compare its results with undisturbed work.

    Raises:
        Fault: The results differ, or a script ends otherwise than allowed.
    """
    rng = np.random.default_rng([seed, *repr(work).encode()])
    whole = undisturbed(work, scratch)
    broken = scratch / "broken"
    done: Counter[str] = Counter()
    while done.total() < kills:
        shutil.rmtree(broken, ignore_errors=True)
        done += until_finished(work, broken, kills - done.total(), rng)
        compare(work, whole, broken)
    return done


def until_finished(work: Work, folder: Path, kills: int, rng: np.random.Generator) -> Counter[str]:
    """Start, kill and restart a script until it finishes, with at most this many kills."""
    done: Counter[str] = Counter()
    while True:
        script = start_work(work, folder, folder.parent)
        way = str(rng.choice(list(WAYS), p=list(WAYS.values())))
        if done.total() == kills or not _wait(script, work, folder, way, rng):
            script.end([0])
            return done
        script.send(NUMBERS.get(way, signal.SIGKILL))
        if script.end(ENDS) == 0:
            return done
        done[way] += 1


def _wait(script: Script, work: Work, folder: Path, way: str, rng: np.random.Generator) -> bool:
    """Wait for the moment to kill; return False if the script ends before."""
    steps = int(rng.choice(SEEN))
    delay_share = float(rng.random())
    for _ in range(steps):
        before = work.progress(folder)
        if not script.wait_for(lambda before=before: work.progress(folder) != before):
            return False
    if "write" in way:
        return script.wait_for(lambda: _writes(folder))
    until = time.monotonic() + delay_share * (0.3 if steps else START)
    return script.wait_for(lambda: time.monotonic() > until)


def _writes(folder: Path) -> bool:
    try:
        return any(folder.glob(".*.????????.*"))
    except OSError:
        return False
