"""From a graph as somebody trained it to that of a policy: plain observations in, masks applied.

Nodes before it cast and normalise observations as the options of a door do, and nodes behind it set
the logits of illegal actions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from kododo_env.core.batch_game import BatchGame
from kododo_env.export.trained import Trained
from kododo_env.policy.onnx_graph import ILLEGAL

INPUTS = ("observation", "action_mask")
OUTPUTS = ("logits", "value")
_OWN = "kododo_env/"  # begins the names that are added


class _Graph:
    """A graph to which operations are added in front and behind."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self.graph = graph
        self.types = {
            each.name: each.type.tensor_type.elem_type for each in (*graph.input, *graph.output)
        }
        self.ranks = {each.name: len(each.type.tensor_type.shape.dim) for each in graph.output}
        self.before: list[onnx.NodeProto] = []
        self.after: list[onnx.NodeProto] = []

    def constant(self, name: str, value: Any) -> str:
        """The name of a new constant."""
        self.graph.initializer.append(numpy_helper.from_array(np.asarray(value), _OWN + name))
        return _OWN + name

    def rename(self, name: str, new: str) -> None:
        """Give a tensor another name."""
        for node in (*self.graph.node, *self.after):
            node.input[:] = [new if each == name else each for each in node.input]
            node.output[:] = [new if each == name else each for each in node.output]

    def cast(self, nodes: list[onnx.NodeProto], name: str, kind: int, to: int, new: str) -> str:
        """The name of a tensor in another type; its own if it is of that type."""
        if kind == to:
            return name
        nodes.append(helper.make_node("Cast", [name], [_OWN + new], to=to))
        return _OWN + new

    def add(self, operator: str, one: str, other: str, new: str) -> str:
        """The name of what an operation in front gives for two tensors."""
        self.before.append(helper.make_node(operator, [one, other], [_OWN + new]))
        return _OWN + new

    def set_ends(self, game: BatchGame, value: bool) -> None:
        """Declare the inputs and outputs of a policy."""
        size, actions = game.layout.size, game.num_actions
        own = helper.np_dtype_to_tensor_dtype(game.layout.dtype)
        shapes: dict[str, tuple[int, list[str | int | None]]] = {
            "observation": (own, ["N", size]),
            "action_mask": (TensorProto.INT8, ["N", actions]),
            "logits": (TensorProto.FLOAT, ["N", actions]),
            "value": (TensorProto.FLOAT, ["N"]),
        }
        wanted = (self.graph.input, INPUTS), (self.graph.output, OUTPUTS[: 1 + value])
        for side, names in wanted:
            del side[:]
            side.extend(helper.make_tensor_value_info(name, *shapes[name]) for name in names)

    def join(self) -> None:
        """Put all operations in order."""
        nodes = [*self.before, *self.graph.node, *self.after]
        del self.graph.node[:]
        self.graph.node.extend(nodes)


def policy_model(trained: Trained, game: BatchGame) -> onnx.ModelProto:
    """A trained model with the inputs and outputs of a policy for a game, without metadata."""
    model = onnx.ModelProto()
    model.CopyFrom(trained.model)
    graph = _Graph(model.graph)
    _before(graph, trained, game)
    _behind(graph, trained)
    graph.join()
    graph.set_ends(game, trained.ends.value is not None)
    return model


def _before(graph: _Graph, trained: Trained, game: BatchGame) -> None:
    ends, form = trained.ends, trained.form
    own, kind = map(helper.np_dtype_to_tensor_dtype, (game.layout.dtype, form.dtype))
    half = form.normalize and kind == TensorProto.FLOAT16
    if half:
        kind = TensorProto.FLOAT
    name = graph.cast(graph.before, "observation", own, kind, "numbers")
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
    """The name of numbers of single precision rounded to the 11 bits of half precision.

    Runtimes leave out a cast to half precision and back. So the bits are split off (T. Dekker, "A
    floating-point technique for extending the available precision", 1971).
    """
    scale = graph.constant("scale", np.float32(2**13 + 1))
    scaled = graph.add("Mul", name, scale, "scaled")
    rest = graph.add("Sub", scaled, name, "rest")
    return graph.add("Sub", scaled, rest, "rounded")


def _behind(graph: _Graph, trained: Trained) -> None:
    ends, kind = trained.ends, TensorProto.FLOAT
    logits = graph.cast(graph.after, ends.logits, graph.types[ends.logits], kind, "logits")
    # Not compared with 0: onnxruntime below 1.21 cannot compare int8.
    legal = graph.cast(graph.after, "action_mask", TensorProto.INT8, TensorProto.BOOL, "legal")
    illegal = graph.constant("illegal", np.float32(ILLEGAL))
    graph.after.append(helper.make_node("Where", [legal, logits, illegal], ["logits"]))
    if ends.value:
        value = graph.cast(graph.after, ends.value, graph.types[ends.value], kind, "value")
        if graph.ranks[ends.value] == 1:
            graph.rename(value, "value")
        else:
            shape = graph.constant("shape", np.array([-1]))
            graph.after.append(helper.make_node("Reshape", [value, shape], ["value"]))
