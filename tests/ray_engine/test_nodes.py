"""A cluster of two real nodes, found by its address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed: make test-ray has an environment with it")

from agents.training.checkpoint import read_checkpoint
from agents.training.run_folder import CHECKPOINT, POLICY
from tests.command_line import cli
from tests.ray_engine.clusters import Nodes, two_nodes
from tests.ray_engine.short_trainings import SMALL, UPDATE

WHERE_RUNNERS_ARE = """
import sys, ray
from agents.ray_engine.cluster import cluster
from contextlib import closing
from agents.ray_engine.crew import Crew
from agents.training.training_config import default_config, task_of

task = task_of(default_config("kododo", 3, num_envs=4, width=16))
with cluster(sys.argv[1], 2), closing(Crew(task, 2, 1)) as crew:
    nodes = crew.runners.foreach_env_runner(
        lambda runner: ray.get_runtime_context().get_node_id(), local_env_runner=False
    )
    print(len(set(nodes)), "nodes")
"""


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with two_nodes() as pair:
        yield pair


def test_runners_are_on_both_nodes(nodes: Nodes) -> None:
    assert "2 nodes" in nodes.run("-c", WHERE_RUNNERS_ARE, nodes.address)


def test_it_trains_and_plays_a_tournament_there(
    nodes: Nodes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    on_cluster = ("--engine", "ray", "--address", nodes.address)
    run = ("--run-dir", str(tmp_path / "run"), *SMALL, *on_cluster)
    for updates, resume in ((2, ()), (3, ("--resume",))):
        nodes.run("train.py", "--steps", str(updates * UPDATE), *run, *resume)
        assert read_checkpoint(tmp_path / "run" / CHECKPOINT).progress.updates == updates
    policy = str(tmp_path / "run" / POLICY)
    agents = ("--agents", policy, "greedy", "--players", "3", "--games", "60")
    _, local_output, _ = cli(capsys, *agents, "--workers", "1")
    assert nodes.run("evaluate.py", *agents, *on_cluster) == local_output
