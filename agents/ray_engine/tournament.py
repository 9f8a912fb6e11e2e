"""Play the chunks of a tournament as tasks on a Ray cluster, with the same results as locally."""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import ray
from ray.exceptions import RayError, RayTaskError

from agents.ray_engine.cluster import cores
from kododo_env.agent_registry import SUFFIX, policy_file, search_parts
from kododo_env.arena.match import Chunk, ChunkResult
from kododo_env.arena.tournament import Tournament
from kododo_env.core.agent import Agent
from kododo_env.policy.policy_file import read_policy

AHEAD = 2  # tasks per core, so that no core waits


def run_on_cluster(
    played: Tournament, chunks: Sequence[Chunk], workers: int | None = None
) -> Iterator[ChunkResult]:
    """Play chunks of a tournament. A chunk whose process was killed is played again.

    Args:
        played: The tournament. Its policy files are read on this machine and sent to the cluster.
        chunks: The chunks to play.
        workers: The number of parallel tasks; None: one per core of the cluster.

    Yields:
        The results, in the order of the chunks.

    Raises:
        ValueError: An agent plays an illegal action.
        ChildProcessError: Processes were killed repeatedly.
    """
    number = uuid4().hex
    files = ray.put(_files(played.agents))
    num_cores = cores()
    limit = workers if workers and workers < num_cores else AHEAD * num_cores
    task = ray.remote(num_cpus=1)(_work)
    waiting = deque[Any]()
    for chunk in chunks:
        waiting.append(task.remote(number, played, files, chunk))
        if len(waiting) >= limit:
            yield _result(waiting.popleft())
    while waiting:
        yield _result(waiting.popleft())


def _result(task: Any) -> ChunkResult:
    try:
        return ray.get(task)
    except RayTaskError as error:
        raise error.cause from error
    except RayError as error:
        message = "processes of the cluster were killed repeatedly; give each more memory"
        raise ChildProcessError(message) from error


_agents: dict[str, Sequence[Agent]] = {}  # by tournament; only those of the last one are kept


def _work(number: str, played: Tournament, files: dict[str, bytes], chunk: Chunk) -> ChunkResult:
    if number not in _agents:
        _agents.clear()
        _agents[number] = _load(played, files)
    return played.play_chunk(chunk, _agents[number])


def _files(agents: Sequence[str]) -> dict[str, bytes]:
    """Read the policy files that agents name."""
    named = {search_parts(agent)[1] for agent in agents}
    files = {name: Path(name) for name in named if policy_file(name) == Path(name)}
    return {name: read_policy(path).content for name, path in files.items()}


def _load(played: Tournament, files: dict[str, bytes]) -> Sequence[Agent]:
    """Load the agents from temporary copies of their files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for number, (name, content) in enumerate(files.items()):
            paths[name] = str(Path(folder) / f"{number}{SUFFIX}")
            Path(paths[name]).write_bytes(content)
        parts = [search_parts(agent) for agent in played.agents]
        agents = tuple(first + paths.get(name, name) + last for first, name, last in parts)
        return replace(played, agents=agents).load_agents()
