"""Make the policies that ship, from nothing: python -m agents.release.make_policies --help.

Each stage keeps what it has found in the folder of the runs, so that whatever is stopped
or fails later is done again by itself when the same command is given again.
"""

from __future__ import annotations

from agents.commands.script import run_script

if __name__ == "__main__":  # first, so that Ctrl-C is one line while all that follows is imported
    run_script("agents.release.config:PoliciesConfig", "agents.release.make_policies:make_policies")

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import onnx

from agents.export.half_precision import halved
from agents.export.metadata_file import ENDING, write_metadata
from agents.export.policy_graph import policy_bytes
from agents.release.card import write_cards
from agents.release.config import PoliciesConfig, PolicyJob
from agents.release.met import met
from agents.release.strength import (
    ATTACKERS,
    CHOICE_RESPONSE,
    TEMPERATURES,
    choose,
    exploit,
    spread,
    strength,
)
from agents.release.training import train_all
from agents.training.checkpoint import read_checkpoint
from agents.training.run_folder import CHECKPOINT
from kododo_env.agent_registry import SUFFIX, baselines, held_out, policy_path
from kododo_env.arena.workers import worker_pool
from kododo_env.policy.metadata import PolicyMetadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.policy_file import read_policy
from kododo_env.system.files import write_json, written_whole
from kododo_env.system.folders import filled_folder
from kododo_env.system.reservation import reserved

STAGES = ("choice", "shares", "exploitability")
FOUND = ("shares", "exploitability", "met", "choice", "training")
LARGEST_POLICY = 1_000_000  # bytes of a policy file


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
        if not config.again:
            train_all(jobs, config.jobs)
        processes = min(config.jobs, len(jobs))
        at_once = stack.enter_context(worker_pool(processes)).map if processes > 1 else map
        found = at_once(measure_again if config.again else measure, jobs)
        for job, data in zip(jobs, found, strict=True):
            publish(job, data)


def _written(out: Path, jobs: Sequence[PolicyJob]) -> dict[Path, list[Path]]:
    """What is written, by folder, beside the training runs, which look after themselves."""
    files = {out: [out / "README.md"]}
    for job in jobs:
        if not job.config.again:
            files[job.folder] = [job.chosen, *(job.folder / f"{stage}.json" for stage in STAGES)]
        files[out] += [out / f"{job.name}{ending}" for ending in (SUFFIX, ENDING, ".json", ".md")]
    return files


def measure(job: PolicyJob) -> dict[str, Any]:
    """Choose seed and temperature, write the policy that is chosen, and measure it.

    Returns:
        What is published of it, as JSON.

    Raises:
        ValueError: The policy is too large to ship.
    """
    candidates = job.candidates()
    choice_file, shares_file, gains_file = (job.folder / f"{stage}.json" for stage in STAGES)
    key: dict[str, Any] = {"files": [*map(fingerprint, candidates)], "games": job.config.games}
    by = {"opponents": opponents(job)}
    responses = CHOICE_RESPONSE if job.config.exploitability else None
    how = {"temperatures": list(TEMPERATURES), "responses": responses}
    choice = cached(choice_file, key | by | how, lambda: choose(job))
    source = candidates[choice["seed"]]
    metadata = replace(read_policy(source).metadata, temperature=choice["temperature"], results={})
    rewrite(source, job.chosen, metadata)
    key |= {"policy": fingerprint(job.chosen), "search_games": job.config.search_games}
    shares = cached(shares_file, key | by, lambda: strength(job) | {"seeds": spread(job)})
    gains = None
    if job.config.exploitability:
        gains = cached(gains_file, key | ATTACKERS, lambda: exploit(job))
    return {
        "shares": shares,
        "exploitability": gains,
        "met": met(metadata.training["recipe"]),
        "choice": {"games": job.games_to_choose, **how, **choice},
        "training": training_of(source.parent, metadata),
    }


def measure_again(job: PolicyJob) -> dict[str, Any]:
    """Measure a published policy once more; how it was chosen and trained stays as it was found.

    Returns:
        As ``measure``.
    """
    found: dict[str, Any] = json.loads(job.numbers.read_text("utf-8"))
    found["shares"] = strength(job) | {"seeds": found["shares"]["seeds"]}
    if job.config.exploitability:
        found["exploitability"] = exploit(job)
    return found


def opponents(job: PolicyJob) -> dict[str, str]:
    """By whom a policy is measured; of those that are files the fingerprint, else ""."""
    names = *held_out(job.game, job.players), *baselines(job.game)
    paths = {name: policy_path(name) for name in names}
    return {n: fingerprint(path) if path.suffix == SUFFIX else "" for n, path in paths.items()}


def cached(path: Path, key: dict[str, Any], find: Callable[[], Any]) -> Any:
    """What a JSON file holds for a key, or else what ``find`` finds, which is written there.

    Args:
        path: The file; one that is damaged holds nothing.
        key: All that the result depends on, as JSON.
        find: Finds it, as JSON.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["key"] == key:
            return content["found"]
    except (OSError, KeyError, TypeError, ValueError, RecursionError):
        pass
    found = find()
    write_json(path, {"key": key, "found": found})
    return found


def fingerprint(path: Path) -> str:
    """SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def publish(job: PolicyJob, found: dict[str, Any]) -> None:
    """Write the policy with its results, its numbers as JSON, its card, and the table of all."""
    path = job.config.out / f"{job.name}{SUFFIX}"
    metadata = read_policy(job.chosen).metadata
    rewrite(job.chosen, path, replace(metadata, results=found["shares"]["alone"]))
    write_metadata(path)
    about = {
        "name": job.name,
        "game": job.game,
        "version": metadata.version,
        "players": job.players,
        "file": {"bytes": path.stat().st_size, "sha256": fingerprint(path)},
        "temperature": metadata.temperature,
    }
    write_json(job.numbers, about | {name: found[name] for name in FOUND})
    write_cards(job.config.out)
    print(f"{job.name}: {path}", flush=True)


def training_of(run: Path, metadata: PolicyMetadata) -> dict[str, Any]:
    """How a policy was trained, by what and with which learning curve, as JSON."""
    config = json.loads((run / "config.json").read_text("utf-8"))
    return {
        **metadata.training,
        **{name: config[name] for name in ("python", "kododo_env", "libraries")},
        "curve": read_checkpoint(run / CHECKPOINT).progress.curve,
    }


def rewrite(source: Path, path: Path, metadata: PolicyMetadata) -> None:
    """Copy a policy, in half precision, with other metadata; it appears whole or not at all.

    Raises:
        ValueError: It would be too large to ship.
    """
    content = policy_bytes(halved(onnx.load(source)), metadata)
    if len(content) > LARGEST_POLICY:
        raise ValueError(
            f"{path} has {len(content):,} bytes; a policy that ships has {LARGEST_POLICY:,} "
            "at most: make the network smaller"
        )
    with written_whole(path) as aside:
        aside.write_bytes(content)
        OnnxAgent(aside)  # what is written can be read
