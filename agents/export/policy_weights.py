"""Reading the weights of an exported policy back into the network that it was exported from."""

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

PREFIX = "network."  # of the network's own tensors in the file


def network_of(path: str | Path) -> GameNetwork:
    """The network of a policy file, proved to give the file's answers.

    The file, which ``export_policy`` wrote, is read as ONNX and as nothing else: nothing is
    unpickled, and no other file is opened.

    Raises:
        ValueError: It cannot be read, is no policy of this project, does not tell how its
            network is built, or holds other weights than that network's.
    """
    arguments = network_arguments(path)
    agent = OnnxAgent(path)
    weights = _weights(path)
    game = game_of(agent.metadata)
    with torch.device("meta"):  # the sizes alone: nothing large is made because a file says so
        _check_fit(GameNetwork(game.layout, game.actions, **arguments), weights, path)
    with torch.random.fork_rng(devices=[]):  # its fresh weights are not used
        network = GameNetwork(game.layout, game.actions, **arguments)
    state = {name: torch.zeros_like(tensor) for name, tensor in network.state_dict().items()}
    network.load_state_dict({name: weights.get(name, zeros) for name, zeros in state.items()})
    try:
        check_parity(network, agent, game)
    except ValueError as error:
        raise ValueError(
            f"{plain(path)} gives other answers than a network with its weights: it was not "
            "exported by this version"
        ) from error
    return network


def network_arguments(path: str | Path) -> dict[str, Any]:
    """The arguments beside the layouts by which ``GameNetwork`` is a policy file's network.

    Raises:
        ValueError: It cannot be read, or does not tell them.
    """
    arguments = read_policy(Path(path)).metadata.network
    if not arguments or not set(arguments) <= set(SETTINGS):
        raise ValueError(
            f"{plain(path)} does not tell how its network is built, as files of older versions "
            "and of other networks do not: it can be played, but no training can begin with its "
            "weights"
        )
    return arguments


def game_of(policy: PolicyMetadata, num_envs: int = 1) -> BatchGame:
    """A batch of the game that a policy is for.

    Raises:
        ValueError: There is no such game, or it cannot be played so.
    """
    rules = {name: hashable(value) for name, value in policy.rules.items()}
    players = rules.pop("num_players", policy.num_players)
    try:
        return make_game(policy.game, num_envs, players, rules)
    except (AttributeError, TypeError) as error:
        raise ValueError(f"the policy's rules cannot be played: {error}") from error


def changed_rules(policy: PolicyMetadata) -> dict[str, Any]:
    """The rules of a policy's game that are not those of the game with this many players."""
    usual = make_game(policy.game, 1, policy.num_players, {}).rules
    rules = {name: hashable(value) for name, value in policy.rules.items()}
    return {name: value for name, value in rules.items() if value != getattr(usual, name, None)}


def _weights(path: str | Path) -> dict[str, Tensor]:
    """The network's tensors in a file in single precision, by their names in the network."""
    graph = onnx.load_model_from_string(read_policy(Path(path)).content).graph
    return {
        tensor.name.removeprefix(PREFIX): torch.tensor(numpy_helper.to_array(tensor)).float()
        for tensor in graph.initializer
        if tensor.name.startswith(PREFIX)
    }


def _check_fit(network: GameNetwork, weights: dict[str, Tensor], path: str | Path) -> None:
    """Raise ValueError unless these are the network's tensors, or all but some that are 0.

    That is biases, which the exporter leaves out then, and what an encoder sees around its entry,
    which the first tied networks did not have.
    """
    state = network.state_dict()
    names = {*state, *(name for name, _ in network.named_buffers())}
    fits = names.issuperset(weights) and all(
        tensor.shape == weights[name].shape
        if name in weights
        else name.endswith("bias") or ".around." in name
        for name, tensor in state.items()
    )
    if not fits:
        raise ValueError(f"{plain(path)} holds other weights than the network that it names")
