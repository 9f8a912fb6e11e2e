"""Training the candidates of the policies that ship: runs of ``train.py``, some at a time.

A run that is finished is not run again, one that was interrupted goes on from its
checkpoint, and a folder that holds another run than the one asked for is refused.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from agents.commands.script import ENDS_WITH_STDIN
from agents.training.run_folder import CHECKPOINT, POLICY
from agents.training.training_config import TrainConfig, task_of
from kododo_env.arena.workers import one_thread_each
from kododo_env.core.numbers import shown
from kododo_env.policy.onnx_agent import OnnxAgent

SCRIPT = Path(__file__).parents[2] / "train.py"
POLL = 0.1  # seconds between looks at the running children


class State(Enum):
    """How far a run has come, by what is in its folder."""

    MISSING = "missing"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"


def folder_of(config: TrainConfig) -> Path:
    """The folder of a run; ValueError if the config names none."""
    if config.run_dir is None:
        raise ValueError("a run that is to be found again needs a run_dir")
    return config.run_dir


def state_of(config: TrainConfig) -> State:
    """How far the run has come that a config asks for.

    Raises:
        ValueError: The folder holds a run with other settings, or its config is damaged.
    """
    folder = folder_of(config)
    if not (folder / "config.json").exists() or not (folder / CHECKPOINT).exists():
        return State.MISSING
    _check_same_run(config)
    if not (folder / POLICY).exists() or not (folder / "results.json").exists():
        return State.INTERRUPTED
    learned = OnnxAgent(folder / POLICY).metadata.training["steps"]
    # A run that was stopped early wrote its policy as well.
    return State.FINISHED if learned >= (config.steps or 0) else State.INTERRUPTED


def _check_same_run(config: TrainConfig) -> None:
    """Raise ValueError, saying what differs, unless the folder holds the run asked for."""
    path = folder_of(config) / "config.json"
    try:
        found = json.loads(path.read_text())
        has = {name: found[name] for name in ("task", "steps", "threads")}
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not the config of a run, or is damaged") from error
    wanted = json.loads(json.dumps(_settings(config), default=str))
    differing = sorted(_differing(has, wanted))
    if differing:
        raise ValueError(
            f"{path.parent} holds a run with other settings ({'; '.join(differing)}): "
            "move it away, or give another folder"
        )


def _settings(config: TrainConfig) -> dict[str, Any]:
    """What two runs must have in common to give the same policy."""
    task = task_of(config).to_dict()
    return {"task": task, "steps": config.steps, "threads": config.threads}


def _differing(has: Any, wanted: Any, name: str = "") -> list[str]:
    """Where two nested dictionaries differ, in words."""
    if not isinstance(has, dict) or not isinstance(wanted, dict):
        return [] if has == wanted else [f"{name} {shown(has)}, not {shown(wanted)}"]
    keys = {**has, **wanted}
    return [word for key in keys for word in _differing(has.get(key), wanted.get(key), key)]


def train_all(configs: Sequence[TrainConfig], jobs: int) -> None:
    """Train what is not trained yet, each run in a process of its own.

    Args:
        configs: The runs, each with a folder of its own.
        jobs: How many at a time.

    Raises:
        ValueError: A folder holds another run; nothing has been trained.
        ChildProcessError: Runs failed; the others were finished all the same.
    """
    states = [state_of(config) for config in configs]
    left = [
        (config, state)
        for config, state in zip(configs, states, strict=True)
        if state is not State.FINISHED
    ]
    failed: list[str] = []
    running: dict[subprocess.Popen[bytes], TrainConfig] = {}
    try:
        while left or running:
            while left and len(running) < jobs:
                config, state = left.pop(0)
                running[_start(config, state)] = config
            time.sleep(POLL)
            for child in [child for child in running if child.poll() is not None]:
                failed += _ended(child, running.pop(child))
    finally:
        _stop(list(running))
    if failed:
        raise ChildProcessError("; ".join(failed))


def log_of(config: TrainConfig) -> Path:
    """Where what a run says is kept."""
    folder = folder_of(config)
    return folder.with_name(f"{folder.name}.log")


def _start(config: TrainConfig, state: State) -> subprocess.Popen[bytes]:
    folder = folder_of(config)
    folder.mkdir(parents=True, exist_ok=True)
    arguments = {
        "game": config.game, "players": config.players, "steps": config.steps,
        "seed": config.seed, "run-dir": folder, "threads": config.threads,
        "games": config.games, "evaluations": config.evaluations,
    }  # fmt: skip
    command = [sys.executable, str(SCRIPT)]
    for name, value in arguments.items():
        command += [] if value is None else [f"--{name}", str(value)]
    if state is State.INTERRUPTED:
        command.append("--resume")
    print(f"{folder}: {'goes on' if '--resume' in command else 'begins'}", flush=True)
    # In a session of its own, so that Ctrl-C reaches a child once, from _stop; a pipe that is
    # closed even if this process is killed ends it as well.
    with one_thread_each(), log_of(config).open("ab") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=os.environ | {ENDS_WITH_STDIN: "1"},
        )


def _ended(child: subprocess.Popen[bytes], config: TrainConfig) -> list[str]:
    """Say that a run is finished; if it is not, what went wrong."""
    folder = folder_of(config)
    _let_go(child)
    if child.returncode == 0 and state_of(config) is State.FINISHED:
        minutes = OnnxAgent(folder / POLICY).metadata.training["minutes"]
        print(f"{folder}: trained, {minutes:.1f} minutes", flush=True)
        return []
    said = log_of(config).read_text(errors="replace").strip().splitlines() or ["nothing"]
    print(f"{folder}: failed", flush=True)
    return [f"{folder} failed with status {child.returncode} ({log_of(config)} ends: {said[-1]})"]


def _stop(children: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask runs to write their checkpoints and end, and wait until they have."""
    for child in children:
        child.send_signal(signal.SIGINT)
    for child in children:
        child.wait()
        _let_go(child)


def _let_go(child: subprocess.Popen[bytes]) -> None:
    """Close the pipe that keeps a child alive."""
    assert child.stdin is not None
    child.stdin.close()
