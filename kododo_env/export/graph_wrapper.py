"""Add to a trained graph the inputs and outputs of a policy file.

Nodes before the graph cast and normalise plain observations as the environment did in training.
Nodes after it set the logits of illegal actions to ``ILLEGAL``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from kododo_env.core.batch_game import BatchGame
from kododo_env.export.trained_model import TrainedModel
from kododo_env.policy.onnx_graph import ILLEGAL

INPUTS = ("observation", "action_mask")
OUTPUTS = ("logits", "value")
_PREFIX = "kododo_env/"  # of the names of added nodes and constants


class _Graph:
    """A graph with nodes to be added before and after its own."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self.graph = graph
        self.types = {
            end.name: end.type.tensor_type.elem_type for end in (*graph.input, *graph.output)
        }
        self.ranks = {end.name: len(end.type.tensor_type.shape.dim) for end in graph.output}
        self.before: list[onnx.NodeProto] = []
        self.after: list[onnx.NodeProto] = []

    def constant(self, name: str, numbers: Any) -> str:
        """Add a constant and return its name."""
        self.graph.initializer.append(numpy_helper.from_array(np.asarray(numbers), _PREFIX + name))
        return _PREFIX + name

    def rename(self, name: str, new: str) -> None:
        """Rename a tensor."""
        for node in (*self.graph.node, *self.after):
            node.input[:] = [new if tensor == name else tensor for tensor in node.input]
            node.output[:] = [new if tensor == name else tensor for tensor in node.output]

    def cast(self, nodes: list[onnx.NodeProto], name: str, kind: int, to: int, new: str) -> str:
        """Add a cast unless a tensor has the type already, and return the name of its result."""
        if kind == to:
            return name
        nodes.append(helper.make_node("Cast", [name], [_PREFIX + new], to=to))
        return _PREFIX + new

    def add(self, operator: str, first: str, second: str, new: str) -> str:
        """Add an operator of two tensors before the graph, and return the name of its result."""
        self.before.append(helper.make_node(operator, [first, second], [_PREFIX + new]))
        return _PREFIX + new

    def set_ends(self, game: BatchGame, with_value: bool) -> None:
        """Declare the inputs and outputs of a policy."""
        actions = game.num_actions
        observation_type = helper.np_dtype_to_tensor_dtype(game.layout.dtype)
        shapes: dict[str, tuple[int, list[str | int | None]]] = {
            "observation": (observation_type, ["N", game.layout.size]),
            "action_mask": (TensorProto.INT8, ["N", actions]),
            "logits": (TensorProto.FLOAT, ["N", actions]),
            "value": (TensorProto.FLOAT, ["N"]),
        }
        outputs = OUTPUTS if with_value else OUTPUTS[:1]
        for ends, names in ((self.graph.input, INPUTS), (self.graph.output, outputs)):
            del ends[:]
            ends.extend(helper.make_tensor_value_info(name, *shapes[name]) for name in names)

    def join(self) -> None:
        """Insert the added nodes into the graph, in order."""
        nodes = [*self.before, *self.graph.node, *self.after]
        del self.graph.node[:]
        self.graph.node.extend(nodes)


def policy_model(trained: TrainedModel, game: BatchGame) -> onnx.ModelProto:
    """Return a copy of a trained model with the inputs and outputs of a policy file for a game."""
    model = onnx.ModelProto()
    model.CopyFrom(trained.model)
    graph = _Graph(model.graph)
    _before(graph, trained, game)
    _behind(graph, trained)
    graph.join()
    graph.set_ends(game, trained.ends.value is not None)
    return model


def _before(graph: _Graph, trained: TrainedModel, game: BatchGame) -> None:
    ends = trained.ends
    form = trained.form
    observation_type = helper.np_dtype_to_tensor_dtype(game.layout.dtype)
    kind = helper.np_dtype_to_tensor_dtype(form.dtype)
    half = form.normalize and kind == TensorProto.FLOAT16
    if half:
        kind = TensorProto.FLOAT
    name = graph.cast(graph.before, "observation", observation_type, kind, "numbers")
    if form.normalize:
        maxima = graph.constant("maxima", form.maxima.astype(np.float32) if half else form.maxima)
        name = graph.add("Div", name, maxima, "normalized")
    if half:
        name = _rounded(graph, name)
    name = graph.cast(graph.before, name, kind, graph.types[ends.observation], "given")
    graph.rename(ends.observation, name)
    if ends.mask:
        kind = graph.types[ends.mask]
        mask = graph.cast(graph.before, "action_mask", TensorProto.INT8, kind, "mask")
        graph.rename(ends.mask, mask)


def _rounded(graph: _Graph, name: str) -> str:
    """Round single precision to the 11 bits of half precision, and return the result's name.

    Runtimes remove a cast to half precision and back, so the bits are split off instead (T. Dekker,
    "A floating-point technique for extending the available precision", 1971).
    """
    scale = graph.constant("scale", np.float32(2**13 + 1))
    scaled = graph.add("Mul", name, scale, "scaled")
    remainder = graph.add("Sub", scaled, name, "rest")
    return graph.add("Sub", scaled, remainder, "rounded")


def _behind(graph: _Graph, trained: TrainedModel) -> None:
    ends = trained.ends
    kind = TensorProto.FLOAT
    logits = graph.cast(graph.after, ends.logits, graph.types[ends.logits], kind, "logits")
    # Not compared with 0: onnxruntime below 1.21 cannot compare int8.
    legal = graph.cast(graph.after, "action_mask", TensorProto.INT8, TensorProto.BOOL, "legal")
    illegal = graph.constant("illegal", np.float32(ILLEGAL))
    graph.after.append(helper.make_node("Where", [legal, logits, illegal], ["logits"]))
    if ends.value:
        value_name = graph.cast(graph.after, ends.value, graph.types[ends.value], kind, "value")
        if graph.ranks[ends.value] == 1:
            graph.rename(value_name, "value")
        else:
            shape = graph.constant("shape", np.array([-1]))
            graph.after.append(helper.make_node("Reshape", [value_name, shape], ["value"]))
