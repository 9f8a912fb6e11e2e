"""Edit ONNX models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference

ADDED = "kododo_env/"  # begins the names of added constants and results


class OnnxEditor:
    """A copy of a model, which can be changed.

    Args:
        model: The model; it stays unchanged.

    Attributes:
        model: The copy.
        graph: Its graph.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        self.graph = self.model.graph

    def types(self) -> dict[str, int]:
        """Return the element types of tensors by name, as far as onnx can infer them."""
        graph = shape_inference.infer_shapes(self.model).graph
        infos = [*graph.input, *graph.value_info, *graph.output]
        types = {info.name: info.type.tensor_type.elem_type for info in infos}
        return types | {tensor.name: tensor.data_type for tensor in graph.initializer}

    def constant(self, name: str, numbers: Any) -> str:
        """Add a constant, and return its name."""
        tensor = numpy_helper.from_array(np.asarray(numbers), ADDED + name)
        self.graph.initializer.append(tensor)
        return tensor.name

    def set_nodes(self, nodes: Iterable[onnx.NodeProto]) -> None:
        """Replace all nodes; ``nodes`` may contain nodes of the graph."""
        copies = helper.make_graph(list(nodes), "", [], []).node
        del self.graph.node[:]
        self.graph.node.extend(copies)

    def set_ends(
        self, inputs: Iterable[onnx.ValueInfoProto], outputs: Iterable[onnx.ValueInfoProto]
    ) -> None:
        """Replace the inputs and outputs of the graph."""
        for ends, new_ends in ((self.graph.input, inputs), (self.graph.output, outputs)):
            del ends[:]
            ends.extend(new_ends)

    def rename(self, names: Mapping[str, str]) -> None:
        """Rename inputs and outputs of nodes, by their old names."""
        for node in self.graph.node:
            node.input[:] = [names.get(name, name) for name in node.input]
            node.output[:] = [names.get(name, name) for name in node.output]

    def convert(self, types: Mapping[int, int]) -> None:
        """Convert constants, results of casts, inputs and outputs.

        Args:
            types: The new element types by the old ones.
        """
        for tensor in self.graph.initializer:
            if tensor.data_type in types:
                dtype = helper.tensor_dtype_to_np_dtype(types[tensor.data_type])
                numbers = numpy_helper.to_array(tensor).astype(dtype)
                tensor.CopyFrom(numpy_helper.from_array(numbers, tensor.name))
        for node in self.graph.node:
            for attribute in node.attribute:
                if node.op_type == "Cast" and attribute.name == "to":
                    attribute.i = types.get(attribute.i, attribute.i)
        for end in (*self.graph.input, *self.graph.output):
            kind = end.type.tensor_type
            kind.elem_type = types.get(kind.elem_type, kind.elem_type)
        del self.graph.value_info[:]


class Nodes(list[onnx.NodeProto]):
    """Nodes to be added to a graph, in order."""

    def add(self, operator: str, inputs: list[str], name: str, **attributes: Any) -> str:
        """Append a node with one result, and return the name of the result."""
        self.append(helper.make_node(operator, inputs, [ADDED + name], **attributes))
        return ADDED + name

    def cast(self, tensor: str, kind: int, to: int, name: str) -> str:
        """Append a cast unless a tensor has the type already, and return the name of its result."""
        return tensor if kind == to else self.add("Cast", [tensor], name, to=to)
