"""Reading the weights of an exported policy back into the network that it was exported from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.export.onnx_export import check_parity
from agents.networks.network import GameNetwork, network_settings
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown, whole_number
from kododo_env.policy.metadata import PolicyMetadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.onnx_file import OnnxFile
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import read_policy
from kododo_env.rules_arguments import hashable, make_game

PREFIX = "network."  # of the network's own tensors in the file
Weights = dict[str, npt.NDArray[np.float32]]


def network_of(path: str | Path) -> GameNetwork:
    """The network of a policy file, proved to give the file's answers.

    The file is read as ONNX and as nothing else: nothing is unpickled, and no other file is
    opened.

    Args:
        path: A file that ``export_policy`` wrote.

    Raises:
        ValueError: It cannot be read, is no policy of this project, or holds other weights
            than a ``GameNetwork``.
    """
    arguments = network_arguments(path)
    agent = OnnxAgent(path)
    game = game_of(agent.metadata)
    network = _build(game, arguments)
    weights = _weights(read_policy(agent.path).onnx)
    # The exporter leaves out what adds nothing: biases that are all zero.
    missing = {n: torch.zeros_like(t) for n, t in network.state_dict().items() if n not in weights}
    found = {n: torch.from_numpy(w) for n, w in weights.items() if n in network.state_dict()}
    network.load_state_dict({**missing, **found})
    try:
        check_parity(network, agent, game)
    except ValueError as error:
        raise ValueError(
            f"{plain(path)} gives other answers than a network with its weights: it was not "
            "exported by this version"
        ) from error
    return network


def network_arguments(path: str | Path) -> dict[str, Any]:
    """With which arguments beside the layouts ``GameNetwork`` fits a policy file.

    Returns:
        ``width`` and ``depth``, and the constructor's other settings as the file's recipe tells
        them, or else its defaults.

    Raises:
        ValueError: As for ``network_of``.
    """
    file = read_policy(Path(path))
    weights, game = _weights(file.onnx), game_of(file.metadata)
    arguments = _likely(weights, file.metadata, game.layout.size)
    if arguments is None or not _fits(_build(game, arguments), weights):
        raise ValueError(f"{plain(path)} holds other weights than a network of this version has")
    return arguments


def game_of(policy: PolicyMetadata, num_envs: int = 1, seed: int | None = None) -> BatchGame:
    """A batch of the game that a policy is for.

    Raises:
        ValueError: There is no such game, or it cannot be played so.
    """
    rules = {name: hashable(value) for name, value in policy.rules.items()}
    players = rules.pop("num_players", policy.num_players)
    try:
        return make_game(policy.game, num_envs, players, rules, seed)
    except (AttributeError, TypeError) as error:
        raise ValueError(f"the policy's rules cannot be played: {error}") from error


def changed_rules(policy: PolicyMetadata) -> dict[str, Any]:
    """The rules of a policy's game that are not those of the game with so many players."""
    usual = make_game(policy.game, 1, policy.num_players, {}).rules
    rules = {name: hashable(value) for name, value in policy.rules.items()}
    return {name: value for name, value in rules.items() if value != getattr(usual, name, None)}


def _weights(onnx: OnnxFile) -> Weights:
    """The network's own floating-point tensors in the file, by their names in the network.

    Those in half precision (``agents.export.half_precision``) are given in single precision.
    """
    return {
        name.removeprefix(PREFIX): tensor.astype(np.float32)
        for name, tensor in onnx.tensors.items()
        if name.startswith(PREFIX) and tensor.dtype in (np.float16, np.float32)
    }


def _likely(
    weights: Weights, policy: PolicyMetadata, observation_size: int
) -> dict[str, Any] | None:
    """What the shapes tell, and what they do not tell from the file's recipe; None: no network."""
    first = weights.get("trunk.0.weight")
    if first is None or first.ndim != 2 or not first.size:
        return None
    width = len(first)
    depth = sum(name.startswith("trunk.") and name.endswith(".weight") for name in weights)
    # The first layer, and those from width to width, must be among the weights.
    if width * observation_size + (depth - 1) * width**2 > sum(w.size for w in weights.values()):
        return None
    recipe = policy.training.get("recipe")
    told = recipe if isinstance(recipe, dict) else {}
    rest = {
        name: _setting(told.get(name, default), default, name)
        for name, default in network_settings().items()
    }
    return {**rest, "width": width, "depth": depth}


def _setting(value: Any, default: Any, name: str) -> Any:
    """A setting of a network from somebody's recipe, of its default's type."""
    if not isinstance(default, bool):
        return whole_number(value, f"its recipe's {name}", 0)
    if not isinstance(value, bool):
        raise ValueError(f"its recipe's {name} must be true or false, not {shown(value)}")
    return value


def _build(game: BatchGame, arguments: dict[str, Any]) -> GameNetwork:
    with torch.random.fork_rng(devices=[]):  # its fresh weights are not kept
        return GameNetwork(game.layout, game.actions, **arguments)


def _fits(network: GameNetwork, weights: Weights) -> bool:
    """Whether the file has the network's tensors and no others; all-zero biases may lack."""
    state = network.state_dict()
    known = {*state, *(name for name, _ in network.named_buffers())}
    return known.issuperset(weights) and all(
        tuple(tensor.shape) == weights[name].shape if name in weights else name.endswith("bias")
        for name, tensor in state.items()
    )
