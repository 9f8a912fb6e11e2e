"""Runners and learners: what they learn, and the cost of a kill."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from threading import Timer
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

pytest.importorskip("ray", reason="Ray is not installed: make test-ray has an environment with it")

from agents.ppo.imitation import Imitation
from agents.ppo.ppo import PPO, normalised
from agents.ray_engine.cluster import cluster
from agents.ray_engine.crew import Crew
from agents.ray_engine.player import PartRollout, RolloutPart, pieces
from agents.training.training_config import Task, default_config, task_of

WORKERS = 2
SEED = 3
RATE = 1e-3


def small(**changes: Any) -> Task:
    """Return a task that is learned in a moment."""
    settings = {
        "opponents": ("heuristic",), "magnet": 0.1, "num_envs": 16, "batch_size": 10**6,
        "n_epochs": 1, "width": 16,
    } | changes  # fmt: skip
    return task_of(default_config("kododo", 3, **settings))


@pytest.fixture(scope="module")
def task() -> Task:
    return small()


@pytest.fixture(scope="module")
def crew(task: Task) -> Iterator[Crew]:
    with cluster(None, WORKERS):
        crew = Crew(task, WORKERS, 1)
        yield crew
        crew.close()


def weights(task: Task) -> dict[str, npt.NDArray[Any]]:
    """Return the weights of an untrained network."""
    return {name: tensor.numpy() for name, tensor in network(task).items()}


def network(task: Task) -> dict[str, torch.Tensor]:
    return learner(task).network.state_dict()


def learner(task: Task) -> PPO:
    """Return an untrained learner."""
    return PPO(task.batch_game(1), task.recipe, task.seed)


def together(played: list[PartRollout]) -> dict[str, npt.NDArray[Any]]:
    """Concatenate the decisions of all pieces."""
    return {
        name: np.concatenate([piece.decisions[name] for piece in played])
        for name in played[0].decisions
    }


def assert_same(results: list[PartRollout], expected: list[PartRollout]) -> None:
    assert [played.index for played in results] == [played.index for played in expected]
    for a, b in zip(results, expected, strict=True):
        assert a.steps == b.steps
        for name in a.decisions:
            np.testing.assert_array_equal(a.decisions[name], b.decisions[name])


def test_pieces_make_up_all_games_and_differ() -> None:
    work = pieces(10, 4, update=7)
    assert [piece.games for piece in work] == [2, 3, 2, 3]
    assert [piece.index for piece in work] == [0, 1, 2, 3]
    assert len(pieces(2, 5, update=0)) == 2


@pytest.mark.parametrize(("imitation", "update"), [(True, 5), (False, 4), (False, 5)])
def test_a_piece_is_the_same_from_every_runner(
    imitation: bool, update: int, task: Task, crew: Crew
) -> None:
    """Pieces of the expert, of the network alone, and of the network against the opponent."""
    work = pieces(16, 4, update=update, imitation=imitation)  # two rounds for two runners
    results = crew.play(work, weights(task))
    backwards = crew.play(work[::-1], weights(task))[::-1]
    assert_same(results, backwards)
    first = results[0].decisions["canonical"]
    second = results[1].decisions["canonical"]
    assert first.shape != second.shape or (first != second).any()


def test_a_killed_runner_costs_nothing_but_its_work(task: Task, crew: Crew) -> None:
    work = [RolloutPart(update=1, index=0, games=2048), RolloutPart(update=1, index=1, games=16)]
    expected = crew.play(work, weights(task))
    before = crew.runners.num_remote_worker_restarts()
    runner = crew.runners.foreach_env_runner(lambda runner: os.getpid(), local_env_runner=False)[0]
    killer = Timer(0.3, os.kill, (runner, signal.SIGKILL))
    killer.start()
    assert_same(crew.play(work, weights(task)), expected)
    while crew.runners.num_remote_worker_restarts() == before:  # until Ray has restarted it
        assert_same(crew.play(work[1:], weights(task)), expected[1:])
    assert len(crew.runners.healthy_env_runner_ids()) == WORKERS


@pytest.mark.parametrize("imitation", [False, True])
def test_rllibs_learner_does_what_ours_does(imitation: bool, task: Task, crew: Crew) -> None:
    """The test takes one step on all decisions, so their division makes no difference."""
    decisions = together(crew.play(pieces(16, 2, update=2, imitation=imitation), weights(task)))
    fresh = learner(task)
    with torch.no_grad():  # so that the magnet pulls somewhere
        for weight in fresh.average.parameters():
            weight *= 0.9
    if not imitation:
        tensors = {name: torch.from_numpy(column) for name, column in decisions.items()}
        pulled = fresh.lessons(tensors)
        decisions = {name: column.numpy() for name, column in pulled.items()}
    crew.go_on(fresh.learned())
    crew.learn(decisions, SEED, RATE, entropy=0.01)
    learned = crew.learned()["policy"]
    reference = one_step_of_ours(task, fresh.average, decisions, imitation)
    for name, weight in reference.items():
        torch.testing.assert_close(learned[name], weight, rtol=1e-3, atol=1e-5)
    assert any((learned[name] != weight).any() for name, weight in fresh.state_dict().items())


def one_step_of_ours(
    task: Task, average: Any, decisions: dict[str, npt.NDArray[Any]], imitation: bool
) -> dict[str, torch.Tensor]:
    """Return the weights of the single-process learner after one step on the decisions."""
    model = learner(task)
    model.average.load_state_dict(average.state_dict())
    losses = partial(model.losses, entropy_weight=0.01)
    batch = {name: torch.from_numpy(column) for name, column in decisions.items()}
    if imitation:
        expert = task.expert()
        assert expert is not None
        losses = Imitation(model, expert).losses
    else:
        batch = normalised(batch)
    model.descend([batch], losses, RATE)
    return model.state_dict()


def test_a_network_of_nan_is_refused(task: Task, crew: Crew) -> None:
    broken = {name: array * np.float32("nan") for name, array in weights(task).items()}
    with pytest.raises(ValueError, match="diverged"):
        crew.play(pieces(4, 2, update=0), broken)
    decisions = together(crew.play(pieces(4, 2, update=0), weights(task)))
    decisions["returns"] = decisions["returns"] * np.float32("nan")
    with pytest.raises(ValueError, match="diverged"):
        crew.learn(decisions, SEED, RATE)


def test_learners_divide_a_minibatch(task: Task, crew: Crew) -> None:
    decisions = together(crew.play(pieces(16, 2, update=4), weights(task)))
    two = Crew(task, 0, 2)  # the cluster's cores are the first crew's
    two.learn(decisions, SEED, RATE)
    assert len(two.learners) == 2
    first, second = two._of_learners(lambda learner: learner.ppo.learned()["policy"])
    for name in first:
        torch.testing.assert_close(first[name], second[name], rtol=0, atol=0)
    two.close()
