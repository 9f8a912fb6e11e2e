"""Make the policies that ship, from nothing: python -m agents.release.make_policies --help.

Each stage keeps what it has found in the folder of the runs, so that whatever is stopped
or fails later is done again by itself when the same command is given again.
"""

from __future__ import annotations

from agents.commands.script import run_script

if __name__ == "__main__":  # first, so that Ctrl-C is one line while all that follows is imported
    run_script("agents.release.config:PoliciesConfig", "agents.release.make_policies:make_policies")

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx

from agents.export.half_precision import halved
from agents.export.policy_graph import policy_bytes
from agents.release.cache import cached, fingerprint, read_cached
from agents.release.card import write_cards
from agents.release.config import PoliciesConfig, PolicyJob
from agents.release.measures import TEMPERATURES, choose, exploit, spread, strength
from agents.release.training import train_all
from agents.training.checkpoint import read_facts
from agents.training.run_folder import CHECKPOINT, filled_folder
from kododo_env.agent_registry import SUFFIX
from kododo_env.arena.workers import worker_pool
from kododo_env.policy.metadata import PolicyMetadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.policy_file import read_policy
from kododo_env.system.files import write_json, written_whole
from kododo_env.system.reservation import reserved

STAGES = ("choice", "shares", "spread", "exploitability")
LARGEST = 1_000_000  # bytes of a policy file


def make_policies(config: PoliciesConfig) -> None:
    """Train, choose, measure and publish.

    Raises:
        ValueError: What was asked cannot be done.
        ChildProcessError: A run failed; see the log that is named.
    """
    jobs = config.policies()
    with ExitStack() as stack:
        for folder, files in _written(config.out, jobs).items():
            stack.enter_context(filled_folder(folder))
            stack.enter_context(reserved(folder, files))
        train_all([run for job in jobs for run in job.runs().values()], config.workers)
        for job, measured in _measured(jobs, config.workers):
            publish(job, measured)


def _written(out: Path, jobs: Sequence[PolicyJob]) -> dict[Path, list[Path]]:
    """What is written, by folder, beside the training runs, which look after themselves."""
    files = {out: [out / "README.md"]}
    for job in jobs:
        files[job.folder] = [job.chosen, *(_file(job, stage) for stage in STAGES)]
        files[out] += [out / f"{job.name}{ending}" for ending in (SUFFIX, ".json", ".md")]
    return files


def _file(job: PolicyJob, stage: str) -> Path:
    return job.folder / f"{stage}.json"


# --- choosing and measuring ---------------------------------------------------------------


def _measured(
    jobs: Sequence[PolicyJob], workers: int
) -> Iterator[tuple[PolicyJob, dict[str, Any]]]:
    """What is found out about each policy, some at a time, as they are ready."""
    if min(workers, len(jobs)) == 1:
        yield from ((job, measure(job)) for job in jobs)
        return
    with worker_pool(min(workers, len(jobs))) as pool:
        futures = {pool.submit(measure, job): job for job in jobs}
        for future in as_completed(futures):
            yield futures[future], future.result()


def measure(job: PolicyJob) -> dict[str, Any]:
    """Choose seed and temperature, write the policy that is chosen, and measure it.

    Returns:
        As JSON, by stage.

    Raises:
        ValueError: The policy is too large to ship.
    """
    config, runs = job.config, job.runs()
    files = [fingerprint(run.policy) for run in runs.values()]
    given = {"files": files, "games": job.games_to_choose, "temperatures": list(TEMPERATURES)}
    choice = cached(_file(job, "choice"), given, lambda: choose(job))
    source = runs[choice["seed"]].policy
    metadata = read_policy(source).metadata
    rewrite(source, job.chosen, replace(metadata, temperature=choice["temperature"], results={}))
    given = {"policy": fingerprint(job.chosen), "games": config.games}
    shares = cached(_file(job, "shares"), given, lambda: strength(job))
    by_seed = cached(
        _file(job, "spread"),
        {**given, "files": files},
        lambda: spread(job, choice["temperature"]),
    )
    given |= {"steps": config.response_steps}
    given |= {"search": config.search, "search_games": config.search_games}
    path = _file(job, "exploitability")
    if config.exploitability:
        found = cached(path, given, lambda: exploit(job))
    else:
        found = read_cached(path, given)
    return {"choice": choice, "shares": shares, "spread": by_seed, "exploitability": found}


# --- what ships ---------------------------------------------------------------------------


def publish(job: PolicyJob, measured: dict[str, Any]) -> None:
    """Write the policy with its results, its numbers as JSON, its card, and the table of all."""
    path = job.config.out / f"{job.name}{SUFFIX}"
    metadata = read_policy(job.chosen).metadata
    rewrite(job.chosen, path, replace(metadata, results=measured["shares"]["alone"]))
    choice = measured.pop("choice")
    data = {
        "name": job.name,
        "game": job.game,
        "version": metadata.version,
        "players": job.players,
        "file": {"bytes": path.stat().st_size, "sha256": fingerprint(path)},
        "temperature": metadata.temperature,
        **measured,
        "choice": {"games": job.games_to_choose, "temperatures": list(TEMPERATURES)},
        "training": training_of(job, choice["seed"], metadata),
    }
    write_json(job.config.out / f"{job.name}.json", data)
    write_cards(job.config.out)
    print(f"{job.name}: {path}", flush=True)


def training_of(job: PolicyJob, seed: int, metadata: PolicyMetadata) -> dict[str, Any]:
    """How the seeds were trained, and the chosen one's learning curve, as JSON."""
    folder = job.runs()[seed].folder
    config = json.loads((folder / "config.json").read_text())
    trained = {each: read_policy(run.policy).metadata.training for each, run in job.runs().items()}
    return {
        "algorithm": metadata.training["algorithm"],
        "seed": seed,
        "threads": config["threads"],
        "bfloat16": config["bfloat16"],
        "python": config["python"],
        "kododo_env": config["kododo_env"],
        "libraries": config["libraries"],
        "recipe": metadata.training["recipe"],
        "runs": [
            {"seed": each, "steps": told["steps"], "minutes": told["minutes"]}
            for each, told in trained.items()
        ],
        "curve": read_facts(folder / CHECKPOINT)[1].curve,
    }


def rewrite(source: Path, path: Path, metadata: PolicyMetadata) -> None:
    """Copy a policy, in half precision, with other metadata; it appears whole or not at all.

    Raises:
        ValueError: It would be too large to ship.
    """
    content = policy_bytes(halved(onnx.load(source)), metadata)
    if len(content) > LARGEST:
        raise ValueError(
            f"{path} has {len(content):,} bytes; a policy that ships has {LARGEST:,} at most: "
            "make the network smaller"
        )
    with written_whole(path) as aside:
        aside.write_bytes(content)
        OnnxAgent(aside)  # what is written can be read
