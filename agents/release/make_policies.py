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
from agents.release.cache import fingerprint, kept, read_kept
from agents.release.card import write_cards
from agents.release.config import PoliciesConfig, PolicyJob
from agents.release.measures import TEMPERATURES, choose, rating, spread, win_shares
from agents.release.training import train_all
from agents.training.checkpoint import read_facts
from agents.training.run_folder import CHECKPOINT, filled_folder, write_json
from kododo_env.agent_registry import SUFFIX
from kododo_env.arena.workers import worker_pool
from kododo_env.policy.metadata import PolicyMetadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.system.files import written_whole
from kododo_env.system.reservation import reserved

KEPT = ("choice", "shares", "spread", "rating", "exploitability")
FORMAT = 1  # of the JSON beside a policy
LARGEST = 1_000_000  # bytes of a policy file
# Other deals for each purpose; train.py measures on those of its seed + 1 and + 2.
SELECTION_DEALS, SHARES_DEALS, RATING_DEALS, RESPONSE_SEED = 1001, 1002, 1003, 1004


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
        _make(config, jobs)


def _written(out: Path, jobs: Sequence[PolicyJob]) -> dict[Path, list[Path]]:
    """What is written, by folder, beside the training runs, which look after themselves."""
    files = {out: [out / "README.md"]}
    for job in jobs:
        names = (job.chosen.name, *(f"{part}.json" for part in KEPT))
        files[job.folder] = [job.folder / name for name in names]
        files[out] += [out / f"{job.name}{ending}" for ending in (SUFFIX, ".json", ".md")]
    return files


def _make(config: PoliciesConfig, jobs: Sequence[PolicyJob]) -> None:
    train_all([run for job in jobs for run in job.runs().values()], config.workers)
    for job in jobs:
        choice = choose_policy(job)
        measure_policy(job, choice)
        publish(job, choice, _kept_exploitability(job))
    if config.exploitability:
        for job, found in exploit_policies(jobs):
            publish(job, choose_policy(job), found)


# --- the stages ---------------------------------------------------------------------------


def choose_policy(job: PolicyJob) -> dict[str, Any]:
    """Choose seed and temperature, and write the chosen policy, halved, with its temperature.

    Raises:
        ValueError: The policy is too large to ship.
    """
    table = job.match(job.config.selection_games, SELECTION_DEALS)
    heading = {
        "files": [fingerprint(path) for path in job.files().values()],
        "games": table.games,
        "temperatures": list(TEMPERATURES),
    }
    choice: dict[str, Any] = kept(
        job.folder / "choice.json",
        heading,
        lambda: choose(job.files(), table, job.config.workers, TEMPERATURES),
    )
    source = job.files()[choice["seed"]]
    metadata = OnnxAgent(source).metadata
    rewrite(source, job.chosen, replace(metadata, temperature=choice["temperature"], results={}))
    return choice


def measure_policy(job: PolicyJob, choice: dict[str, Any]) -> dict[str, Any]:
    """Shares, rating and spread of the chosen policy, on deals it was not chosen by."""
    config, workers = job.config, job.config.workers
    files = job.files()
    table = job.match(config.games, SHARES_DEALS)
    alike = replace(table, temperature=choice["temperature"])
    tournament = job.match(config.rating_games, RATING_DEALS)
    heading = {"policy": fingerprint(job.chosen), "games": config.games}
    all_seeds = heading | {"files": [fingerprint(path) for path in files.values()]}
    rated = heading | {"games": config.rating_games}
    return {
        "shares": kept(job.folder / "shares.json", heading, lambda: win_shares(table, workers)),
        "spread": kept(
            job.folder / "spread.json", all_seeds, lambda: spread(files, alike, workers)
        ),
        "rating": kept(job.folder / "rating.json", rated, lambda: rating(tournament, workers)),
    }


def exploit_policies(jobs: Sequence[PolicyJob]) -> Iterator[tuple[PolicyJob, dict[str, Any]]]:
    """The exploitability of each chosen policy, some at a time, as they are ready."""
    workers = min(jobs[0].config.workers, len(jobs))
    if workers == 1:
        yield from ((job, exploit_policy(job)) for job in jobs)
        return
    with worker_pool(workers) as pool:
        futures = {pool.submit(exploit_policy, job): job for job in jobs}
        for future in as_completed(futures):
            yield futures[future], future.result()


def exploit_policy(job: PolicyJob) -> dict[str, Any]:
    """How much a best response and search gain against the chosen policy, as JSON."""

    def find() -> Any:
        from agents.commands.best_response import exploitability

        measured = exploitability(
            job.chosen,
            steps=job.config.response_steps,
            games=job.config.response_games,
            search=job.config.search,
            search_games=job.config.search_games,
            seed=RESPONSE_SEED,
        )
        return measured.to_json() | {"policy": job.name}

    found: dict[str, Any] = kept(_exploitability_file(job), _exploitability_heading(job), find)
    return found


def _exploitability_file(job: PolicyJob) -> Path:
    return job.folder / "exploitability.json"


def _exploitability_heading(job: PolicyJob) -> dict[str, Any]:
    config = job.config
    return {
        "policy": fingerprint(job.chosen),
        "steps": config.response_steps,
        "games": config.response_games,
        "search": config.search,
        "search_games": config.search_games,
    }


def _kept_exploitability(job: PolicyJob) -> dict[str, Any] | None:
    """What is known already, None if it is not."""
    found: dict[str, Any] | None = read_kept(
        _exploitability_file(job), _exploitability_heading(job)
    )
    return found


# --- what ships ---------------------------------------------------------------------------


def publish(job: PolicyJob, choice: dict[str, Any], exploitability: dict[str, Any] | None) -> None:
    """Write the policy with its results, its numbers as JSON, its card, and the table of all."""
    measured = measure_policy(job, choice)
    path = job.config.out / f"{job.name}{SUFFIX}"
    metadata = replace(OnnxAgent(job.chosen).metadata, results=measured["shares"]["alone"])
    rewrite(job.chosen, path, metadata)
    data = {
        "format": FORMAT,
        "name": job.name,
        "game": job.game,
        "version": metadata.version,
        "players": job.players,
        "file": {"bytes": path.stat().st_size, "sha256": fingerprint(path)},
        "temperature": metadata.temperature,
        "training": training_of(job, choice["seed"], metadata),
        "choice": choice,
        **measured,
        "exploitability": exploitability,
    }
    write_json(job.config.out / f"{job.name}.json", data)
    write_cards(job.config.out)
    print(f"{job.name}: {path}", flush=True)


def training_of(job: PolicyJob, seed: int, metadata: PolicyMetadata) -> dict[str, Any]:
    """How the seeds were trained, and the chosen one's learning curve, as JSON."""
    config = json.loads((job.folder / f"seed-{seed}" / "config.json").read_text())
    progress = {
        each: read_facts(job.folder / f"seed-{each}" / CHECKPOINT)[1] for each in job.files()
    }
    return {
        "algorithm": metadata.training["algorithm"],
        "seed": seed,
        "threads": config["threads"],
        "bfloat16": config["bfloat16"],
        "python": config["python"],
        "kododo_env": config["kododo_env"],
        "libraries": config["libraries"],
        "recipe": config["task"]["recipe"],
        "runs": [
            {"seed": each, "steps": run.steps, "minutes": round(run.seconds / 60, 2)}
            for each, run in progress.items()
        ],
        "curve": progress[seed].curve,
    }


def rewrite(source: Path, path: Path, metadata: PolicyMetadata) -> None:
    """Copy a policy, in half precision, with other metadata; it appears whole or not at all.

    Raises:
        ValueError: It would be too large to ship.
    """
    content = policy_bytes(halved(onnx.load(source)), metadata)
    check_size(path, len(content))
    with written_whole(path) as aside:
        aside.write_bytes(content)
        OnnxAgent(aside)  # what is written can be read


def check_size(path: Path, size: int) -> None:
    """Raise ValueError if a policy of so many bytes is larger than one that ships may be."""
    if size > LARGEST:
        raise ValueError(
            f"{path} has {size:,} bytes; a policy that ships has {LARGEST:,} at most: "
            "make the network smaller"
        )
