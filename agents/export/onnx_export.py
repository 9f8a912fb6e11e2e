"""Export a network as a policy file, and check that a file agrees with a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import nn

from kododo_env.core.batch_game import BatchGame
from kododo_env.export import parity
from kododo_env.export.policy_export import write_policy
from kododo_env.export.torch_models import ExportedNetwork, answers_of, from_module
from kododo_env.networks.network import GameNetwork
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.wrappers.spaces import ObservationFormat


def export_policy(
    network: nn.Module,
    game: BatchGame,
    path: str | Path,
    *,
    temperature: float = 0.0,
    training: dict[str, Any] | None = None,
    results: dict[str, Any] | None = None,
) -> Path:
    """Write a network as a policy file.

    The metadata describe the layers of a ``GameNetwork``, so that training can start from the file.

    Args:
        network: A module that maps observations (B, F) to logits (B, A) and values (B,).
        game: A batch of the network's game, for the metadata and for test positions.
        path: The file. It is written atomically, with its metadata as JSON beside it.
        temperature: The playing temperature.
        training: Facts about the training, for the metadata.
        results: Measured results, for the metadata.

    Returns:
        The path.

    Raises:
        ValueError: The exported graph disagrees with the network.
    """
    return write_policy(
        from_module(network, game, _form(game)),
        game,
        Path(path),
        network=network.settings if type(network) is GameNetwork else {},
        temperature=temperature,
        training=training or {},
        results=results or {},
    )


def check_parity(network: GameNetwork, agent: OnnxAgent, game: BatchGame) -> None:
    """Check that a policy file and a network have the same outputs in many positions.

    Raises:
        ValueError: The outputs differ in a position.
    """
    form = _form(game)
    parity.check_parity(answers_of(ExportedNetwork(network, form)), agent, game, form)


def _form(game: BatchGame) -> ObservationFormat:
    """Return the format of our networks' observations, the game's own."""
    return ObservationFormat(game, action_mask="info")
