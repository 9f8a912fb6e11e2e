"""Policy files made by hand, without torch, valid and invalid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from kododo_env import registry
from kododo_env.policy.metadata import KEY, describe
from kododo_env.policy.policy_file import DIGEST, sealed

Change = Callable[[onnx.ModelProto], object]


def tiny_model(game: str, players: int) -> onnx.ModelProto:
    """Return a policy with equal logits for all legal actions, with metadata but no digest."""
    batch = registry.batch_game(game, 1, num_players=players)
    nodes = [
        helper.make_node("Cast", ["action_mask"], ["legal"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["legal", "one"], ["illegal"]),
        helper.make_node("Mul", ["illegal", "much"], ["logits"]),
        helper.make_node("ReduceSum", ["legal", "axis"], ["value"], keepdims=0),
    ]
    constants = {"one": np.float32(1), "much": np.float32(1e8), "axis": np.array([1])}
    dtype = TensorProto.UINT16 if batch.layout.dtype.itemsize > 1 else TensorProto.UINT8
    size = batch.layout.size
    actions = batch.num_actions
    graph = helper.make_graph(
        nodes,
        "policy",
        [
            helper.make_tensor_value_info("observation", dtype, ["N", size]),
            helper.make_tensor_value_info("action_mask", TensorProto.INT8, ["N", actions]),
        ],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", actions]),
            helper.make_tensor_value_info("value", TensorProto.FLOAT, ["N"]),
        ],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    helper.set_model_props(model, {KEY: describe(batch).to_json()})
    return model


def write_model(path: Path, model: onnx.ModelProto) -> Path:
    """Write a model with its correct digest."""
    entries = [entry for entry in model.metadata_props if entry.key != DIGEST]
    del model.metadata_props[:]
    model.metadata_props.extend(entries)
    path.write_bytes(sealed(model.SerializeToString()))
    return path


def write_policy(path: Path, game: str, players: int) -> Path:
    """Write the file of ``tiny_model``."""
    return write_model(path, tiny_model(game, players))


def changed(source: Path, path: Path, change: Change) -> Path:
    """Write a changed copy of a policy file with its correct digest."""
    model = onnx.load_model_from_string(source.read_bytes())
    change(model)
    return write_model(path, model)


def set_tensor(model: onnx.ModelProto, name: str, numbers: Any) -> None:
    """Replace a constant of a model."""
    tensor = next(
        initializer for initializer in model.graph.initializer if initializer.name == name
    )
    tensor.CopyFrom(numpy_helper.from_array(np.asarray(numbers), name))
