"""Make the policies that ship, from nothing: python -m agents.release.make_policies --help.

The folder of the runs keeps each result for as long as the question is the same, so that work
that is stopped or fails goes on when the same command is given again.
"""

from __future__ import annotations

from agents.commands.script import run_script

if __name__ == "__main__":  # first, so that Ctrl-C is one line while all that follows is imported
    run_script("agents.release.config:PoliciesConfig", "agents.release.make_policies:make_policies")

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import onnx

from agents.export.half_precision import halved
from agents.export.metadata_file import ENDING, write_metadata
from agents.export.policy_graph import policy_bytes
from agents.release.card import met, write_cards
from agents.release.config import CHOICE, PoliciesConfig, PolicyJob
from agents.release.runs import content_of, train_all
from agents.release.strength import (
    ATTACKERS,
    CHOICE_RESPONSE,
    TEMPERATURES,
    choose,
    exploit,
    spread,
    strength,
)
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

STAGES = ("choice.json", "shares.json", "exploitability.json")
ENDINGS = (SUFFIX, ENDING, ".json", ".md")
LARGEST_POLICY = 1_000_000  # bytes of a policy file


def make_policies(config: PoliciesConfig) -> None:
    """Train, choose, measure and publish.

    Raises:
        ValueError: The policies cannot be made as asked.
        ChildProcessError: A run failed; see the log that is named.
    """
    jobs = config.policies()
    published = [config.out / f"{job.name}{ending}" for job in jobs for ending in ENDINGS]
    written = {config.out: [config.out / "README.md", *published]}
    if not config.again:
        written |= {job.folder: [job.chosen, *map(job.folder.joinpath, STAGES)] for job in jobs}
    with ExitStack() as stack:
        for folder, files in written.items():
            stack.enter_context(filled_folder(folder))
            stack.enter_context(reserved(folder, files))
        if not config.again:
            train_all([run for job in jobs for run in job.runs()], config.jobs)
        processes = min(config.jobs, len(jobs))
        at_once = stack.enter_context(worker_pool(processes)).map if processes > 1 else map
        found = at_once(measured_again if config.again else chosen_and_measured, jobs)
        for job, data in zip(jobs, found, strict=True):
            publish(job, data)


def chosen_and_measured(job: PolicyJob) -> dict[str, Any]:
    """Choose seed and temperature, write the policy that is chosen, and measure it.

    Returns:
        The part of its published JSON that does not follow from its file.

    Raises:
        ValueError: The policy is too large to ship.
    """
    unmet = held_out(job.game, job.players)
    how = {"temperatures": list(TEMPERATURES), "responses": CHOICE_RESPONSE}
    files = [*job.candidates, *map(policy_path, unmet)]
    key = {
        "files": [fingerprint(each) for each in files if each.suffix == SUFFIX],
        "opponents": [*unmet, *baselines(job.game)],
        "games": [job.config.games, job.config.search_games],
        "attackers": ATTACKERS,
        **how,
    }

    def once(stage: str, find: Callable[[PolicyJob], Any]) -> Any:
        return found_once(job.folder / stage, key, lambda: find(job))

    choice = once(STAGES[0], choose)
    source = job.candidates[choice["seed"]]
    metadata = replace(read_policy(source).metadata, temperature=choice["temperature"], results={})
    rewrite(source, job.chosen, metadata)
    config = json.loads(source.with_name("config.json").read_text("utf-8"))
    return {
        "shares": once(STAGES[1], lambda job: strength(job) | {"seeds": spread(job)}),
        "exploitability": once(STAGES[2], exploit),
        "met": met(metadata.training["recipe"]),
        "choice": {"games": job.config.games // CHOICE, **how, **choice},
        "training": {
            **metadata.training,
            **{name: config[name] for name in ("python", "kododo_env", "libraries")},
            "curve": read_checkpoint(source.with_name(CHECKPOINT)).progress.curve,
        },
    }


def measured_again(job: PolicyJob) -> dict[str, Any]:
    """As ``chosen_and_measured``, of a published policy: choice and training stay as found."""
    found: dict[str, Any] = json.loads(job.numbers.read_text("utf-8"))
    found["shares"] = strength(job) | {"seeds": found["shares"]["seeds"]}
    found["exploitability"] = exploit(job)
    return {name: found[name] for name in ("shares", "exploitability", "met", "choice", "training")}


def found_once(path: Path, key: dict[str, Any], find: Callable[[], Any]) -> Any:
    """The result in a JSON file with this key, or else that of ``find``, which is written there."""
    content = content_of(path)
    if content.get("key") != key:
        content = {"key": key, "found": find()}
        write_json(path, content)
    return content["found"]


def fingerprint(path: Path) -> str:
    """SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def publish(job: PolicyJob, found: dict[str, Any]) -> None:
    """Write the policy with its results, its numbers as JSON, its card, and the table of all."""
    path, metadata = job.published, read_policy(job.chosen).metadata
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
    write_json(job.numbers, about | found)
    write_cards(job.config.out)
    print(f"{job.name}: {path}", flush=True)


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
        OnnxAgent(aside)  # the written file can be read
