"""Train and publish the shipped policies: python -m agents.release.make_policies --help.

A finished run is kept, an interrupted run is resumed from its checkpoint, and a folder that holds a
run with other settings is rejected. Each result is cached in the folder of the runs, so the same
command resumes work that was stopped or failed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import onnx

from agents.commands.train import train
from agents.export.precision import halved
from agents.release import strength
from agents.release.card import write_cards
from agents.release.config import PARTS, PoliciesConfig, PolicyJob
from agents.training.checkpoint import read_checkpoint
from agents.training.run_folder import CHECKPOINT, POLICY, config_facts
from agents.training.training_config import TrainConfig, task_of
from kododo_env.agent_registry import SUFFIX, baselines, policy_path
from kododo_env.arena.workers import worker_pool
from kododo_env.commands.cli import run_cli
from kododo_env.export.policy_graph import policy_bytes
from kododo_env.held_out import SPLITS, population
from kododo_env.policy.metadata_file import ENDING, write_metadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.policy_file import read_policy
from kododo_env.system.files import fingerprint, read_json, write_json, written_whole
from kododo_env.system.folders import filled_folder
from kododo_env.system.reservation import reserved

ENDINGS = (SUFFIX, ENDING, ".json", ".md")
LARGEST_POLICY = 1_000_000  # bytes of a policy file
HOW = {"temperatures": list(strength.TEMPERATURES), "responses": strength.CHOICE_RESPONSE}


def make_policies(config: PoliciesConfig) -> None:
    """Train, select, measure and publish.

    Raises:
        ValueError: The configuration is invalid.
        ChildProcessError: A run failed; the message names its log.
    """
    jobs = config.policies()
    out = config.out
    published = [out / f"{job.name}{ending}" for job in jobs for ending in ENDINGS]
    written = {out: [*published, out / "README.md"]}
    if not config.remeasure:
        written |= {job.folder: [job.chosen, job.results] for job in jobs}
    with ExitStack() as stack:
        for folder, files in written.items():
            stack.enter_context(filled_folder(folder))
            stack.enter_context(reserved(folder, files))
        if not config.remeasure:
            train_all([run for job in jobs for run in job.runs()], config.jobs)
            train_all([run for job in jobs for run in job.runs_after()], config.jobs)
        pool = stack.enter_context(worker_pool(min(config.jobs, len(jobs))))
        for job, numbers in zip(jobs, pool.map(measured, jobs), strict=True):
            publish(job, numbers)


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


def measured(job: PolicyJob) -> dict[str, Any]:
    """Select seed and temperature, write the selected policy, and measure it.

    If a policy is only measured again, its published selection and training are kept.

    Returns:
        The content of its published JSON, except for what is read from the policy file.

    Raises:
        ValueError: The policy is too large to ship.
    """
    if job.config.remeasure:
        numbers: dict[str, Any] = read_json(job.numbers)
        return numbers | {part: getattr(strength, part)(job) for part in job.config.remeasure}
    once = partial(result_of, job, question(job))
    choice = once("choice", strength.choose)
    source = job.candidates[choice["seed"]]
    rewrite(source, job.chosen, temperature=choice["temperature"])
    config = read_json(source.with_name("config.json"))
    training = read_policy(source).metadata.training
    progress = read_checkpoint(source.with_name(CHECKPOINT)).progress
    return {
        **{name: once(name, getattr(strength, name)) for name in PARTS},
        "choice": {**HOW, **choice},
        "training": {
            **training,
            **{name: config[name] for name in ("python", "kododo_env", "libraries")},
            "minutes": round(progress.seconds / 60, 2),
            "curve": progress.curve,
        },
    }


def question(job: PolicyJob) -> dict[str, Any]:
    """Return everything on which the results depend; it is the key of the cache."""
    opponents = [name for split in SPLITS for name in population(job.game, job.players, split)]
    files = [*job.candidates.values(), *map(policy_path, opponents)]
    return {
        "files": [fingerprint(path) for path in files if path.suffix == SUFFIX],
        "opponents": [*opponents, *baselines(job.game)],
        "games": [job.config.games, job.config.search_games],
        "attackers": strength.ATTACKERS,
        **HOW,
    }


def result_of(job: PolicyJob, key: dict[str, Any], name: str, compute: Callable[..., Any]) -> Any:
    """Return a result from the cache, or compute and cache it.

    Args:
        job: The policy.
        key: The return value of ``question``; results of another key are not used.
        name: The name of the result.
        compute: The function that computes the result.
    """
    content = content_of(job.results)
    if content.get("key") != key:
        content = {"key": key}
    if name not in content:
        content[name] = compute(job)
        write_json(job.results, content)
    return content[name]


def publish(job: PolicyJob, numbers: dict[str, Any]) -> None:
    """Write the policy with its results, its JSON, its card, and the table of all policies."""
    path = job.published
    rewrite(job.chosen, path, results=numbers["shares"]["alone"])
    write_metadata(path)
    metadata = read_policy(path).metadata
    about = {
        "name": job.name,
        "game": job.game,
        "version": metadata.version,
        "players": job.players,
        "file": {"bytes": path.stat().st_size, "sha256": fingerprint(path)},
        "temperature": metadata.temperature,
    }
    write_json(job.numbers, about | numbers | about)
    write_cards(path.parent)
    print(f"{job.name}: {path}", flush=True)


def rewrite(source: Path, path: Path, **changes: Any) -> None:
    """Copy a policy in half precision with changed metadata; the file is written atomically.

    Args:
        source: The policy file to read.
        path: The policy file to write.
        **changes: Changed metadata. Results are dropped unless they are among the changes.

    Raises:
        ValueError: The file would be too large to ship.
    """
    policy = read_policy(source)
    metadata = replace(policy.metadata, **{"results": {}} | changes)
    content = policy_bytes(halved(onnx.load_model_from_string(policy.content)), metadata)
    if len(content) > LARGEST_POLICY:
        raise ValueError(
            f"{path} has {len(content):,} bytes; a shipped policy must have at most "
            f"{LARGEST_POLICY:,}: make the network smaller"
        )
    with written_whole(path) as aside:
        aside.write_bytes(content)
        OnnxAgent(aside)  # raises if the file cannot be read


if __name__ == "__main__":
    run_cli(PoliciesConfig, make_policies)
