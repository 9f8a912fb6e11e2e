"""Training the candidates of the policies that ship: runs of ``train.py``, some at a time.

A run that is finished is not run again, one that was interrupted goes on from its
checkpoint, and a folder that holds another run than the one asked for is refused.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from agents.commands.script import ENDS_WITH_STDIN
from agents.release.config import PolicyJob
from agents.training.run_folder import CHECKPOINT, POLICY
from kododo_env.arena.workers import one_thread_each
from kododo_env.core.numbers import shown
from kododo_env.policy.policy_file import read_policy
from kododo_env.system.files import write_json

SCRIPT = Path(__file__).parents[2] / "train.py"
EVALUATIONS = 6  # points of the learning curve


def is_finished(job: PolicyJob, run: Path) -> bool:
    """Whether a run has made all its steps.

    Raises:
        ValueError: The folder holds a run with other settings.
    """
    if (run / CHECKPOINT).exists():
        _check_same(job, run)
    if not all((run / name).exists() for name in (CHECKPOINT, POLICY, "results.json")):
        return False
    # A run that was stopped early wrote its policy as well.
    return bool(read_policy(run / POLICY).metadata.training["steps"] >= job.settings()["steps"])


def _check_same(job: PolicyJob, run: Path) -> None:
    """Raise ValueError, saying what differs, unless a run was begun with a job's settings."""
    try:
        found = {**json.loads(_settings_of(run).read_text())}
    except (OSError, TypeError, ValueError, RecursionError):
        found = {}  # another version's, or damaged
    others = [
        f"{name} {shown(found.get(name))}, not {shown(value)}"
        for name, value in job.settings().items()
        if found.get(name) != value
    ]
    if others:
        raise ValueError(
            f"{run} holds a run with other settings ({'; '.join(others)}): move it away, "
            "or give another folder"
        )


def _settings_of(run: Path) -> Path:
    """The settings with which a run was begun."""
    return run.with_name(f"{run.name}.json")


def train_all(jobs: Sequence[PolicyJob], processes: int) -> None:
    """Train what is not trained yet, each run in a process of its own.

    Args:
        jobs: Whose runs.
        processes: How many at a time.

    Raises:
        ValueError: A folder holds another run; nothing has been trained.
        ChildProcessError: Runs failed; the others were finished all the same.
    """
    left = [(job, run) for job in jobs for run in job.runs() if not is_finished(job, run)]
    # Nothing is written to this pipe. It is closed here, or by the system if this process is
    # killed, and then every run that still trains writes its checkpoint and ends.
    read_end, write_end = os.pipe()
    with one_thread_each(), ThreadPoolExecutor(processes) as pool:
        try:
            futures = [pool.submit(_train, job, run, read_end) for job, run in left]
            failed = [each.result() for each in as_completed(futures) if each.result()]
        finally:
            os.close(write_end)
            pool.shutdown(cancel_futures=True)
            os.close(read_end)
    if failed:
        raise ChildProcessError("; ".join(failed))


def _train(job: PolicyJob, run: Path, stdin: int) -> str:
    """Train in a process of its own; returns what went wrong, if anything."""
    resume = ["--resume"] if (run / CHECKPOINT).exists() else []
    print(f"{run}: {'goes on' if resume else 'begins'}", flush=True)
    run.mkdir(parents=True, exist_ok=True)
    settings, seed, log = job.settings(), job.runs().index(run), run.with_name(f"{run.name}.log")
    write_json(_settings_of(run), settings)
    arguments = {
        **{name: settings[name] for name in ("game", "players", "steps", "threads")},
        "seed": seed, "run-dir": run, "games": job.games_to_choose, "evaluations": EVALUATIONS,
    }  # fmt: skip
    words = [word for name, value in arguments.items() for word in (f"--{name}", str(value))]
    with log.open("ab") as file:
        done = subprocess.run(
            [sys.executable, str(SCRIPT), *words, *resume],
            stdin=stdin,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C does not reach it, but the end of the pipe does
            env=os.environ | {ENDS_WITH_STDIN: "1"},
        )
    if done.returncode == 0 and is_finished(job, run):
        print(f"{run}: trained", flush=True)
        return ""
    said = log.read_text(errors="replace").strip().splitlines() or ["nothing"]
    return f"{run} failed with status {done.returncode} ({log} ends: {said[-1]})"
