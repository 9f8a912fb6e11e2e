"""A policy file for each game. Exports take seconds, so all test processes share them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from agents.export.onnx_export import export_policy
from kododo_env import registry
from kododo_env.core import BatchGame
from kododo_env.export import export
from kododo_env.networks.network import GameNetwork
from tests.helpers import made_once


def large_weights(game: BatchGame, tied: bool = False) -> GameNetwork:
    """A network whose embeddings, biases and heads all count; always the same."""
    torch.manual_seed(0)
    network = GameNetwork(game.layout, game.actions, 24, 3, 8, tied=tied)
    for tensor in network.parameters():
        torch.nn.init.normal_(tensor, std=0.3)
    return network


def exported(
    tmp_path_factory: pytest.TempPathFactory, name: str, tied: bool = False
) -> tuple[GameNetwork, BatchGame, Path]:
    """A network with large weights, its game, and its file, which is for reading only."""
    game = registry.batch_game(name, 1, seed=0)
    network = large_weights(game, tied)
    return network, game, shared(tmp_path_factory, f"{name}{'-tied' * tied}", network, game)


def shared(
    tmp_path_factory: pytest.TempPathFactory, name: str, network: GameNetwork, game: BatchGame
) -> Path:
    """The file of a network, which is for reading only."""
    return made_once(
        tmp_path_factory,
        f"{name}.onnx",
        lambda path: export_policy(network, game, path, temperature=1.0),
    )


def from_elsewhere(game: BatchGame, path: Path) -> Path:
    """The file of a network of torch alone: with operators that ours have not, without a value."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(
        torch.nn.Linear(game.layout.size, 32), torch.nn.Tanh(), torch.nn.LayerNorm(32),
        torch.nn.Linear(32, game.num_actions),
    )  # fmt: skip
    return export(network, game, path, normalize=True)
