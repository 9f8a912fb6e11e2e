"""The magnet keeps a policy near the average of its own past."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.ppo.ppo import PPO, divergence_of
from kododo_env import kododo_v0
from tests.trainings import learner, numbers_of, self_play, update

GAME = kododo_v0.batch_game(16, seed=0)


def learner_with(**settings: float) -> PPO:
    return learner(GAME, **settings)


def test_divergence_is_that_of_kullback_and_leibler() -> None:
    first = torch.tensor([[0.5, 0.5, 0.0]]).clamp(min=1e-30).log()
    second = torch.tensor([[0.25, 0.75, 0.0]]).clamp(min=1e-30).log()
    expected = 0.5 * np.log(0.5 / 0.25) + 0.5 * np.log(0.5 / 0.75)
    assert divergence_of(first, second).item() == pytest.approx(expected, rel=1e-5)
    assert divergence_of(first, first).item() == 0


def test_without_a_magnet_nothing_is_averaged() -> None:
    model = learner_with()
    assert model.average is None
    assert "magnet" not in model.lessons(self_play(model, GAME))


def test_the_average_follows_the_weights_by_a_share_in_each_update() -> None:
    model = learner_with(magnet=0.1, magnet_updates=4.0)
    start = numbers_of(model.network)
    mean = numbers_of(model.average)
    assert torch.equal(start, mean)
    for _ in range(2):
        update(model, GAME)
        mean = mean + (numbers_of(model.network) - mean) / 4
        assert torch.allclose(numbers_of(model.average), mean, atol=1e-6)
    assert not torch.allclose(mean, start, atol=1e-4)


def test_the_loss_has_the_divergence_from_the_average() -> None:
    model = learner_with(magnet=0.5)
    update(model, GAME)
    decisions = model.lessons(self_play(model, GAME))
    plain = {name: column for name, column in decisions.items() if name != "magnet"}
    with torch.no_grad():
        pulled = model.losses(decisions, 0.01)
        free = model.losses(plain, 0.01)
    assert pulled["divergence"] > 0
    assert pulled["loss"].item() == pytest.approx(
        (free["loss"] + 0.5 * pulled["divergence"]).item()
    )


def test_a_policy_that_is_pulled_hard_stays_near_the_average() -> None:
    divergences = {}
    for magnet in (0.001, 10.0):
        model = learner_with(magnet=magnet, magnet_updates=1000.0)
        for _ in range(4):
            update(model, GAME)
        decisions = model.lessons(self_play(model, GAME))
        with torch.no_grad():
            divergences[magnet] = model.losses(decisions, 0.01)["divergence"].item()
    assert divergences[10.0] < divergences[0.001] / 2
