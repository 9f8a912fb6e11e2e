"""Reading the weights of an exported policy back into the network that it was exported from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from agents.export import check_parity
from agents.game_arguments import hashable, make_game
from agents.network import GameNetwork, network_settings
from agents.onnx_agent import OnnxAgent
from agents.policy_metadata import PolicyMetadata
from kododo_env.core.batch_game import BatchGame

PREFIX = "network."  # of the network's own tensors in the file
FLOATING = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16)
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
    path = Path(path)
    arguments = network_arguments(path)
    agent = OnnxAgent(path)
    game = game_of(agent.metadata)
    network = _build(game, arguments)
    weights = _weights(path)
    # The exporter leaves out what adds nothing: biases that are all zero.
    missing = {n: torch.zeros_like(t) for n, t in network.state_dict().items() if n not in weights}
    found = {n: torch.from_numpy(w) for n, w in weights.items() if n in network.state_dict()}
    network.load_state_dict({**missing, **found})
    try:
        check_parity(network, agent, game)
    except ValueError as error:
        raise ValueError(
            f"{path} gives other answers than a network with its weights: it was not exported "
            "by this version"
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
    path = Path(path)
    weights, metadata = _weights(path), OnnxAgent(path).metadata
    game = game_of(metadata)
    for arguments in _candidates(weights, metadata, game.layout.size):
        if _fits(_build(game, arguments), weights):
            return arguments
    raise ValueError(f"{path} holds other weights than a network of this version has")


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


def _weights(path: Path) -> Weights:
    """The network's own floating-point tensors in the file, by their names in the network.

    Those in half precision (``agents.half_precision``) are given in single precision.
    """
    try:
        model = onnx.load_from_string(path.read_bytes())
    except OSError as error:
        raise ValueError(f"cannot read policy file {path}: {error.strerror}") from error
    except DecodeError as error:
        raise ValueError(f"{path} is not an ONNX file, or it is damaged") from error
    weights: Weights = {}
    for tensor in model.graph.initializer:
        if not tensor.name.startswith(PREFIX) or tensor.data_type not in FLOATING:
            continue
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            raise ValueError(f"{path} wants its weights from another file; a policy has its own")
        try:
            array = onnx.numpy_helper.to_array(tensor)
        except ValueError as error:
            raise ValueError(f"{path} is damaged: {tensor.name} cannot be read") from error
        weights[tensor.name.removeprefix(PREFIX)] = array.astype(np.float32)
    return weights


def _candidates(
    weights: Weights, policy: PolicyMetadata, observation_size: int
) -> Iterator[dict[str, Any]]:
    """Arguments that may fit: from the shapes, and what they do not tell from the file's recipe."""
    recipe = policy.training.get("recipe")
    told = recipe if isinstance(recipe, dict) else {}
    rest = {name: told.get(name, default) for name, default in network_settings().items()}
    matrices = [array.shape for array in weights.values() if array.ndim > 1]
    there = sum(array.size for array in weights.values())
    for width in sorted({length for shape in matrices for length in shape}, reverse=True):
        for depth in range(1, len(matrices)):
            # The first layer, and those from width to width, must be among the weights.
            if width * observation_size + (depth - 1) * width**2 <= there:
                yield {**rest, "width": width, "depth": depth}


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
