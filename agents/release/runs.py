"""Train the candidates of the shipped policies in several processes.

A finished run is kept, an interrupted run is resumed from its checkpoint, and a folder that holds a
run with other settings is rejected.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from agents.commands.train import train
from agents.training.run_folder import POLICY, config_facts
from agents.training.training_config import TrainConfig, task_of
from kododo_env.arena.workers import worker_pool
from kododo_env.policy.policy_file import read_policy
from kododo_env.system.files import read_json


def train_all(runs: Sequence[TrainConfig], processes: int) -> None:
    """Finish all runs, each in one process.

    Raises:
        ValueError: A folder holds another run; raised before any training.
        ChildProcessError: Some runs failed; all others are finished.
    """
    unfinished = [run for run in runs if not is_finished(run)]
    if not unfinished:
        return
    with worker_pool(min(processes, len(unfinished))) as pool:
        futures = {run.run_dir: pool.submit(_train, run) for run in unfinished}
        errors = {folder: future.exception() for folder, future in futures.items()}
    failed = [f"{folder} failed: {error}" for folder, error in errors.items() if error]
    if failed:
        raise ChildProcessError("; ".join(failed))


def _train(config: TrainConfig) -> None:
    """Train in this process; the run's output is written to a file beside its folder."""
    run = Path(config.run_dir or "")
    print(f"{run}: {'resumes' if config.resume else 'starts'}", flush=True)
    run.mkdir(parents=True, exist_ok=True)
    log = run.with_name(f"{run.name}.log")
    with log.open("a", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        train(config)
    print(f"{run}: trained", flush=True)


def is_finished(config: TrainConfig) -> bool:
    """Return whether a run is finished; raise ValueError if its folder holds another run."""
    if not config.resume:
        return False
    run = Path(config.run_dir or "")
    facts = content_of(run / "config.json")
    expected = json.loads(json.dumps(config_facts(task_of(config), config)))
    changes = [name for name in ("task", "steps", "threads") if facts.get(name) != expected[name]]
    if changes:
        raise ValueError(
            f"{run} holds a run with other settings (see {' and '.join(changes)} in its "
            "config.json); move it away, or choose another folder"
        )
    # A run that was stopped early wrote its policy as well.
    path = run / POLICY
    return path.exists() and bool(read_policy(path).metadata.training["steps"] >= config.steps)


def content_of(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; empty if the file is missing or damaged."""
    with suppress(TypeError, ValueError):
        return {**read_json(path)}
    return {}
