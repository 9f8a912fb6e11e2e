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
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from agents.commands.script import ENDS_WITH_STDIN
from agents.ppo.recipes import recipe_for
from agents.training.run_folder import CHECKPOINT, POLICY
from kododo_env.arena.workers import one_thread_each
from kododo_env.core.numbers import shown
from kododo_env.policy.policy_file import read_policy

SCRIPT = Path(__file__).parents[2] / "train.py"
EVALUATIONS = 6  # points of the learning curve


class State(Enum):
    """How far a run has come, by what is in its folder."""

    MISSING = "missing"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"


@dataclass(frozen=True)
class Run:
    """A training run, by the game's recipe and on one thread.

    Attributes:
        game: The game's name.
        players: P.
        steps: Agent-steps.
        seed: Of everything random.
        games: Games against each baseline at its end.
        folder: Where it is.
    """

    game: str
    players: int
    steps: int
    seed: int
    games: int
    folder: Path

    @property
    def policy(self) -> Path:
        """The policy that it ends with."""
        return self.folder / POLICY

    @property
    def log(self) -> Path:
        """What the run says."""
        return self.folder.with_name(f"{self.folder.name}.log")

    def settings(self) -> dict[str, Any]:
        """What two runs have in common that give the same policy, as JSON."""
        settings = {
            "game": self.game,
            "rules": {"num_players": self.players},
            **asdict(recipe_for(self.game, self.players)),
            "steps": self.steps,
            "seed": self.seed,
            "threads": 1,
        }
        as_json: dict[str, Any] = json.loads(json.dumps(settings))
        return as_json


def state_of(run: Run) -> State:
    """How far a run has come.

    Raises:
        ValueError: The folder holds a run with other settings, or its config is damaged.
    """
    if not all((run.folder / name).exists() for name in ("config.json", CHECKPOINT)):
        return State.MISSING
    _check_same(run)
    if not all((run.folder / name).exists() for name in (POLICY, "results.json")):
        return State.INTERRUPTED
    learned = read_policy(run.policy).metadata.training["steps"]
    # A run that was stopped early wrote its policy as well.
    return State.FINISHED if learned >= run.steps else State.INTERRUPTED


def _check_same(run: Run) -> None:
    """Raise ValueError, saying what differs, unless the folder holds this run."""
    path = run.folder / "config.json"
    try:
        config = json.loads(path.read_text())
        found = {**config, **config["task"], **config["task"]["recipe"]}
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not the config of a run, or is damaged") from error
    others = [
        f"{name} {shown(found.get(name))}, not {shown(value)}"
        for name, value in run.settings().items()
        if found.get(name) != value
    ]
    if others:
        raise ValueError(
            f"{run.folder} holds a run with other settings ({'; '.join(others)}): move it away, "
            "or give another folder"
        )


def train_all(runs: Sequence[Run], jobs: int) -> None:
    """Train what is not trained yet, each run in a process of its own.

    Args:
        runs: Each has a folder of its own.
        jobs: How many at a time.

    Raises:
        ValueError: A folder holds another run; nothing has been trained.
        ChildProcessError: Runs failed; the others were finished all the same.
    """
    left = [run for run in runs if state_of(run) is not State.FINISHED]
    # Nothing is written to this pipe. It is closed here, or by the system if this process is
    # killed, and then every run that still trains writes its checkpoint and ends.
    read_end, write_end = os.pipe()
    with one_thread_each(), ThreadPoolExecutor(jobs) as pool:
        try:
            futures = [pool.submit(_train, run, read_end) for run in left]
            failed = [each.result() for each in as_completed(futures) if each.result()]
        finally:
            os.close(write_end)
            pool.shutdown(cancel_futures=True)
            os.close(read_end)
    if failed:
        raise ChildProcessError("; ".join(failed))


def _train(run: Run, stdin: int) -> str:
    """Train in a process of its own; returns what went wrong, if anything."""
    resume = ["--resume"] if state_of(run) is State.INTERRUPTED else []
    print(f"{run.folder}: {'goes on' if resume else 'begins'}", flush=True)
    run.folder.mkdir(parents=True, exist_ok=True)
    arguments = {
        "game": run.game, "players": run.players, "steps": run.steps, "seed": run.seed,
        "run-dir": run.folder, "threads": 1, "games": run.games, "evaluations": EVALUATIONS,
    }  # fmt: skip
    words = [word for name, value in arguments.items() for word in (f"--{name}", str(value))]
    with run.log.open("ab") as log:
        done = subprocess.run(
            [sys.executable, str(SCRIPT), *words, *resume],
            stdin=stdin,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C does not reach it, but the end of the pipe does
            env=os.environ | {ENDS_WITH_STDIN: "1"},
        )
    if done.returncode == 0 and state_of(run) is State.FINISHED:
        print(f"{run.folder}: trained", flush=True)
        return ""
    said = run.log.read_text(errors="replace").strip().splitlines() or ["nothing"]
    return f"{run.folder} failed with status {done.returncode} ({run.log} ends: {said[-1]})"
