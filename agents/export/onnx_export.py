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
    """Write a network as a policy file, with a description of a ``GameNetwork``.

    Args:
        network: A network from observations to logits and values.
        game: A batch of its game, for the description and for test positions.
        path: The file, which is written atomically, with its metadata as JSON beside it.
        temperature: The playing temperature.
        training: How it was trained, for the metadata.
        results: Its results, for the metadata.

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
    """Raise ValueError if a file disagrees with the network in any of many positions."""
    form = _form(game)
    parity.check_parity(answers_of(ExportedNetwork(network, form)), agent, game, form)


def _form(game: BatchGame) -> ObservationFormat:
    """Return the format of our networks' observations, the game's own."""
    return ObservationFormat(game, action_mask="info")
