"""Read the weights of an exported policy back into a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from agents.export.onnx_export import check_parity
from kododo_env.core.batch_game import BatchGame
from kododo_env.networks.network import SETTINGS, GameNetwork
from kododo_env.policy.metadata import PolicyMetadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import read_policy
from kododo_env.rules_arguments import hashable, make_game

PREFIX = "network."  # of the names of the network's tensors in the file


def network_of(path: str | Path) -> GameNetwork:
    """Return the network of a policy file, and check that its outputs are those of the file.

    The file must have been written by ``export_policy``. It is read as ONNX only: nothing is
    unpickled, and no other file is opened.

    Raises:
        ValueError: The file cannot be read, is not a policy of this project, has no description of
            its network, or its weights do not fit that network.
    """
    arguments = network_arguments(path)
    agent = OnnxAgent(path)
    weights = _weights(path)
    game = game_of(agent.metadata)
    with torch.device("meta"):  # only shapes, so that a file cannot allocate much memory
        _check_fit(GameNetwork(game.layout, game.actions, **arguments), weights, path)
    with torch.random.fork_rng(devices=[]):  # its initial weights are not used
        network = GameNetwork(game.layout, game.actions, **arguments)
    state = {name: torch.zeros_like(tensor) for name, tensor in network.state_dict().items()}
    network.load_state_dict({name: weights.get(name, zeros) for name, zeros in state.items()})
    try:
        check_parity(network, agent, game)
    except ValueError as error:
        raise ValueError(
            f"{plain(path)} has other outputs than a network with its weights; export it "
            "again with this version"
        ) from error
    return network


def network_arguments(path: str | Path) -> dict[str, Any]:
    """Return the arguments of ``GameNetwork``, apart from the layouts, for a policy file.

    Raises:
        ValueError: The file cannot be read, or has no description of its network.
    """
    arguments = read_policy(Path(path)).metadata.network
    if not arguments or not set(arguments) <= set(SETTINGS):
        raise ValueError(
            f"{plain(path)} has no description of its network, so training cannot start from its "
            "weights; expected a file that this version of train.py has exported"
        )
    return arguments


def game_of(policy: PolicyMetadata, num_envs: int = 1) -> BatchGame:
    """Make a batch of ``num_envs`` games of a policy, with its rules.

    Raises:
        ValueError: The game is unknown, or the rules are invalid.
    """
    rules = {name: hashable(rule) for name, rule in policy.rules.items()}
    players = rules.pop("num_players", policy.num_players)
    try:
        return make_game(policy.game, num_envs, players, rules)
    except (AttributeError, TypeError) as error:
        raise ValueError(f"invalid rules of the policy: {error}") from error


def changed_rules(policy: PolicyMetadata) -> dict[str, Any]:
    """Return the rules of a policy that differ from the defaults for its number of players."""
    usual = make_game(policy.game, 1, policy.num_players, {}).rules
    rules = {name: hashable(rule) for name, rule in policy.rules.items()}
    return {name: rule for name, rule in rules.items() if rule != getattr(usual, name, None)}


def _weights(path: str | Path) -> dict[str, Tensor]:
    """Read the network's tensors in single precision, by their names in the network."""
    graph = onnx.load_model_from_string(read_policy(Path(path)).content).graph
    return {
        tensor.name.removeprefix(PREFIX): torch.tensor(numpy_helper.to_array(tensor)).float()
        for tensor in graph.initializer
        if tensor.name.startswith(PREFIX)
    }


def _check_fit(network: GameNetwork, weights: dict[str, Tensor], path: str | Path) -> None:
    """Raise ValueError unless these are the network's tensors, except biases that are 0.

    The exporter omits such biases.
    """
    state = network.state_dict()
    names = {*state, *(name for name, _ in network.named_buffers())}
    fits = names.issuperset(weights) and all(
        tensor.shape == weights[name].shape if name in weights else name.endswith("bias")
        for name, tensor in state.items()
    )
    if not fits:
        raise ValueError(f"the weights in {plain(path)} do not fit the network that it describes")
