"""Policy files in half precision: half as large, and nearly the same outputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto

from agents.export.onnx_export import check_parity
from agents.export.policy_weights import network_of
from agents.export.precision import halved
from kododo_env.core.batch_game import BatchGame
from kododo_env.export.parity import positions
from kododo_env.export.policy_graph import policy_bytes
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.game_tables import GAMES
from tests.policy_exports import exported


@pytest.fixture(scope="module", params=GAMES)
def files(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[BatchGame, Path, Path]:
    """A game, a policy for it, and the same in half precision."""
    _, game, whole = exported(tmp_path_factory, request.param)
    half = tmp_path_factory.mktemp("half") / "half.onnx"
    half.write_bytes(policy_bytes(halved(onnx.load(whole)), OnnxAgent(whole).metadata))
    return game, whole, half


def test_it_is_half_as_large(files: tuple[BatchGame, Path, Path]) -> None:
    _, whole, half = files
    weights = onnx.load(half).graph.initializer
    matrices = [tensor for tensor in weights if tensor.name.endswith("weight")]
    assert len(matrices) == 5
    assert all(tensor.data_type == TensorProto.FLOAT16 for tensor in matrices)
    saved = 2 * sum(int(np.prod(tensor.dims)) for tensor in matrices)
    assert whole.stat().st_size - half.stat().st_size == pytest.approx(saved, abs=2000)


def test_it_answers_nearly_the_same(files: tuple[BatchGame, Path, Path]) -> None:
    game, whole, half = files
    observation, mask = positions(game, 2000)
    logits, values = OnnxAgent(whole).evaluate(observation, mask)
    half_logits, half_values = OnnxAgent(half).evaluate(observation, mask)
    spread = np.ptp(logits[mask > 0])
    assert 0 < np.abs(half_logits - logits)[mask > 0].max() < 2e-3 * spread
    assert np.abs(half_values - values).max() < 2e-3 * np.ptp(values)


def test_the_network_is_read_back(files: tuple[BatchGame, Path, Path]) -> None:
    game, whole, half = files
    network = network_of(half)
    check_parity(network, OnnxAgent(half), game)
    for name, tensor in network_of(whole).state_dict().items():
        rounded = tensor.half().float() if tensor.ndim > 1 else tensor
        assert torch.equal(network.state_dict()[name], rounded)


def test_halving_twice_changes_nothing(files: tuple[BatchGame, Path, Path]) -> None:
    model = onnx.load(files[2])
    assert halved(model) == model


def test_weights_beyond_half_precision_are_rejected(files: tuple[BatchGame, Path, Path]) -> None:
    model = onnx.load(files[1])
    large = next(t for t in model.graph.initializer if t.name == "network.trunk.2.weight")
    weights = onnx.numpy_helper.to_array(large).copy()
    weights[0, 0] = 1e5
    large.CopyFrom(onnx.numpy_helper.from_array(weights, large.name))
    with pytest.raises(ValueError, match=r"network\.trunk\.2\.weight has weights outside"):
        halved(model)
