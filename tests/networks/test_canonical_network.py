"""Adapt a network of canonical observations and actions to plain ones."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from kododo_env import registry
from kododo_env.core.agent import random_legal_actions
from kododo_env.layouts.canonical import CanonicalForm
from kododo_env.networks import CanonicalNetwork
from tests.game_tables import TABLES


class Plain(nn.Module):
    def __init__(self, size: int, actions: int) -> None:
        super().__init__()
        self.logits = nn.Linear(size, actions)
        self.value = nn.Linear(size, 1)

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.logits(observation), self.value(observation)


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_logits_are_those_of_the_canonical_actions(name: str, players: int) -> None:
    game = registry.batch_game(name, 32, 0, num_players=players)
    form = CanonicalForm(game.layout, game.actions)
    network = Plain(game.layout.size, game.num_actions)
    wrapped = CanonicalNetwork(network, game.layout, game.actions)
    rng = np.random.default_rng(0)
    while not game.terminated.all():
        observations = np.array(game.observe(), order="C").reshape(-1, game.layout.size)
        masks = np.array(game.legal_action_mask(), order="C").reshape(-1, game.num_actions)
        rows = form(observations, masks)
        with torch.no_grad():
            logits, values = wrapped(torch.from_numpy(observations))
            canonical = network(torch.from_numpy(rows.observations).float())
        canonical_logits = np.take_along_axis(logits.numpy(), rows.actions, axis=1)
        np.testing.assert_allclose(canonical_logits, canonical[0].numpy(), rtol=1e-4, atol=1e-4)
        assert torch.allclose(values, canonical[1])
        game.step(random_legal_actions(game.legal_action_mask(), rng))
