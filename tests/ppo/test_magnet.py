"""The magnet: a policy is held near the average of its own past."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.ppo.ppo import PPO, divergence_of
from kododo_env import kododo_v0
from tests.trainings import learner, numbers_of, self_play, update

GAME = kododo_v0.batch_game(16, seed=0)


def made(**settings: float) -> PPO:
    return learner(GAME, **settings)


def test_divergence_is_that_of_kullback_and_leibler() -> None:
    one, other = torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[0.25, 0.75, 0.0]])
    wanted = 0.5 * np.log(0.5 / 0.25) + 0.5 * np.log(0.5 / 0.75)
    logs = [each.clamp(min=1e-30).log() for each in (one, other)]
    assert divergence_of(*logs).item() == pytest.approx(wanted, rel=1e-5)
    assert divergence_of(logs[0], logs[0]).item() == 0


def test_without_a_magnet_nothing_is_averaged() -> None:
    model = made()
    assert model.average is None
    assert "magnet" not in model.lessons(self_play(model, GAME))


def test_the_average_follows_the_weights_by_a_share_in_each_update() -> None:
    model = made(magnet=0.1, magnet_updates=4.0)
    begun, mean = numbers_of(model.network), numbers_of(model.average)
    assert torch.equal(begun, mean)
    for _ in range(2):
        update(model, GAME)
        mean = mean + (numbers_of(model.network) - mean) / 4
        assert torch.allclose(numbers_of(model.average), mean, atol=1e-6)
    assert not torch.allclose(mean, begun, atol=1e-4)


def test_the_loss_has_the_divergence_from_the_average() -> None:
    model = made(magnet=0.5)
    update(model, GAME)
    decisions = model.lessons(self_play(model, GAME))
    plain = {name: each for name, each in decisions.items() if name != "magnet"}
    with torch.no_grad():
        pulled, free = model.losses(decisions, 0.01), model.losses(plain, 0.01)
    assert pulled["divergence"] > 0
    assert pulled["loss"].item() == pytest.approx(
        (free["loss"] + 0.5 * pulled["divergence"]).item()
    )


def test_a_policy_that_is_pulled_hard_stays_near_the_average() -> None:
    far = {}
    for magnet in (0.001, 10.0):
        model = made(magnet=magnet, magnet_updates=1000.0)
        for _ in range(4):
            update(model, GAME)
        decisions = model.lessons(self_play(model, GAME))
        with torch.no_grad():
            far[magnet] = model.losses(decisions, 0.01)["divergence"].item()
    assert far[10.0] < far[0.001] / 2
