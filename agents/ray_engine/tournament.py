"""A tournament's chunks as tasks of a Ray cluster, with the same results as anywhere."""

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
from kododo_env.arena.duplicates import ChunkResult, play_chunk
from kododo_env.arena.pairing import Chunk
from kododo_env.arena.tournament import Tournament
from kododo_env.core.agent import Agent
from kododo_env.policy.policy_file import read_policy

AHEAD = 2  # tasks for each core, so that none waits for the next


def run_on_cluster(
    played: Tournament, chunks: Sequence[Chunk], workers: int | None = None
) -> Iterator[ChunkResult]:
    """Play chunks of a tournament; a chunk whose process was killed is played again.

    Args:
        played: The tournament. Its policy files are read here, and sent.
        chunks: Those of its chunks that are to be played.
        workers: How many at a time; None: one for each core of the cluster.

    Yields:
        The results, in the order of the chunks.

    Raises:
        ValueError: An agent plays an action that is not legal.
        ChildProcessError: Processes were killed again and again.
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
        result: ChunkResult = ray.get(task)
    except RayTaskError as error:
        raise error.cause from error
    except RayError as error:
        message = "processes of the cluster were killed again and again; give each more memory"
        raise ChildProcessError(message) from error
    return result


_agents: dict[str, Sequence[Agent]] = {}  # a process's: those of the tournament that it plays


def _work(number: str, played: Tournament, files: dict[str, bytes], chunk: Chunk) -> ChunkResult:
    if number not in _agents:
        _agents.clear()
        _agents[number] = _load(played, files)
    game = played.make_game(chunk.deals)
    return play_chunk(chunk, _agents[number], game, played.seed, played.recording)


def _files(agents: Sequence[str]) -> dict[str, bytes]:
    """What is in the policy files that agents name."""
    named = {search_parts(agent)[1] for agent in agents}
    return {name: read_policy(Path(name)).content for name in named if _is_file(name)}


def _is_file(name: str) -> bool:
    return policy_file(name) == Path(name)


def _load(played: Tournament, files: dict[str, bytes]) -> Sequence[Agent]:
    """The agents, their files written where this process can read them."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for number, (name, content) in enumerate(files.items()):
            paths[name] = str(Path(folder) / f"{number}{SUFFIX}")
            Path(paths[name]).write_bytes(content)
        parts = [search_parts(agent) for agent in played.agents]
        agents = tuple(first + paths.get(name, name) + last for first, name, last in parts)
        return replace(played, agents=agents).load_agents()
