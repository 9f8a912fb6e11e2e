"""evaluate.py --engine ray: the same results, kills or not."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray", reason="Ray is not installed: make test-ray has an environment with it")

from agents.ray_engine.cluster import cluster
from agents.ray_engine.tournament import run_on_cluster
from kododo_env.agent_registry import policy_path
from kododo_env.arena.match import ChunkResult
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run
from kododo_env.core.agent import Agent


@pytest.fixture(scope="module")
def local_cluster() -> Iterator[None]:
    with cluster(None, 2):
        yield


def assert_same(results: list[ChunkResult], expected: list[ChunkResult]) -> None:
    assert [result.chunk for result in results] == [result.chunk for result in expected]
    for a, b in zip(results, expected, strict=True):
        np.testing.assert_array_equal(a.shares, b.shares)
        np.testing.assert_array_equal(a.points, b.points)


@pytest.mark.parametrize("workers", [None, 1])
def test_a_cluster_plays_what_one_process_plays(workers: int | None, local_cluster: None) -> None:
    played = Tournament("kododo", ("random", "greedy", "heuristic"), 3, games=300)
    chunks = played.chunks()
    assert_same(list(run_on_cluster(played, chunks, workers)), list(run(played, chunks)))


def test_policy_files_are_sent(local_cluster: None, tmp_path: Path) -> None:
    """A node need not have them, nor that of a search; similar names are different files."""
    for name, policy in (("a.onnx", "kododo-3p"), ("aa.onnx", "kododo-3p")):
        (tmp_path / name).write_bytes(policy_path(policy).read_bytes())
    first_policy = str(tmp_path / "a.onnx")
    second_policy = str(tmp_path / "aa.onnx")
    agents = (first_policy, second_policy, f"search:{first_policy}:1", "kododo-3p")
    played = Tournament("kododo", agents, 3, games=90)
    chunks = played.chunks()
    expected = list(run(played, chunks))
    results = run_on_cluster(played, chunks)
    first = next(results)  # all files have been read
    for file in tmp_path.iterdir():
        file.unlink()
    assert_same([first, *results], expected)


@dataclass(frozen=True)
class Deadly(Tournament):
    """Kills the first process that loads its agents."""

    mark: str = ""

    def load_agents(self) -> list[Agent]:
        mark = Path(self.mark)
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().load_agents()


def test_the_chunks_of_a_killed_process_are_played_again(
    local_cluster: None, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    deadly = Deadly("kododo", ("random", "greedy"), 3, games=60, mark=str(mark))
    results = list(run_on_cluster(deadly, deadly.chunks()))
    assert mark.exists()
    assert_same(
        results, list(run(Tournament("kododo", ("random", "greedy"), 3, 60), deadly.chunks()))
    )


@dataclass(frozen=True)
class Unable(Tournament):
    """Nobody can load its agents."""

    def load_agents(self) -> list[Agent]:
        raise ValueError("an agent is not fit to play")


def test_an_error_is_the_agents_own(local_cluster: None) -> None:
    unable = Unable("kododo", ("random", "greedy"), 3, games=60)
    with pytest.raises(ValueError, match=r"^an agent is not fit to play$"):
        list(run_on_cluster(unable, unable.chunks()))
