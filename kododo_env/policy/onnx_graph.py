"""The graph of a policy file as Python has it: its operations in order, its constants as arrays."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from kododo_env.core.arrays import Array
from kododo_env.policy.numpy_operators import DTYPES
from kododo_env.policy.onnx_file import read_model, text_of

# Policies are written for the oldest runtime for Python 3.11, 1.15, and all since.
OPSET = 18
IR_VERSION = 8
ILLEGAL = -1e8  # the logit of an action that is not legal
_CALLED = {"float32": "float", "float64": "double"}  # otherwise as in numpy

Attributes = dict[str, int | float | list[int]]


class End(NamedTuple):
    """An input or output of a graph, in the words of onnxruntime: ``tensor(float)``."""

    name: str
    type: str
    shape: list[int | str | None]


class Node(NamedTuple):
    """An operation. An input that is not given has the name ""."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Attributes


class Graph(NamedTuple):
    """All that is computed."""

    inputs: list[End]
    outputs: list[End]
    constants: dict[str, Array]
    nodes: list[Node]


class Session:
    """A graph that is open, made from the arguments: it keeps nothing between two calls.

    So a deep copy is the session itself, and a pickle opens the same bytes again.
    """

    def __init__(self, *made_from: Any) -> None:
        self._made_from = made_from

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_from


def read_graph(content: bytes) -> Graph:
    """The graph of a policy file.

    Raises:
        ValueError: It is no policy file, is of another version of ONNX, or takes a value that
            nothing gives.
    """
    model = read_model(content)
    opsets = [part.get("version") for part in model.get("opset_import", [])]
    if (model.get("ir_version"), opsets) != (IR_VERSION, [OPSET]):
        raise ValueError(
            f"it is written in version {model.get('ir_version')} of the format with operators of "
            f"{opsets}, not in {IR_VERSION} with [{OPSET}]"
        )
    graph = model["graph"]
    constants = {text_of(part, "name"): _array(part) for part in graph.get("initializer", [])}
    inputs, outputs = ([_end(part) for part in graph.get(side, [])] for side in ("input", "output"))
    inputs = [part for part in inputs if part.name not in constants]
    nodes = [_node(part) for part in graph.get("node", [])]
    array_names = {"", *constants, *(part.name for part in inputs)}
    for node in nodes:
        for name in {*node.inputs} - array_names:
            raise ValueError(f"its {node.operator} takes {name!r}, which nothing before it gives")
        for name in {*node.outputs} & array_names:
            raise ValueError(f"its {node.operator} gives {name!r}, which is there already")
        array_names.update(node.outputs)
    for end in outputs:
        if end.name not in array_names:
            raise ValueError(f"nothing gives its output {end.name!r}")
    return Graph(inputs, outputs, constants, nodes)


def type_name(dtype: np.dtype[Any]) -> str:
    """A dtype in the words of onnxruntime."""
    return f"tensor({_CALLED.get(dtype.name, dtype.name)})"


def _end(end: Mapping[str, Any]) -> End:
    array = end.get("type", {}).get("array", {})
    kind = DTYPES.get(array.get("kind"))
    dims = array.get("shape", {}).get("dim", [])
    shape = [dim.get("value", text_of(dim, "name")) for dim in dims]
    return End(text_of(end, "name"), type_name(kind) if kind else "another type", shape)


def _array(tensor: Mapping[str, Any]) -> Array:
    # The reader has checked that there are as many bytes as the shape and the type want.
    dtype = DTYPES[tensor["data_type"]]
    array: Array = np.ndarray(tuple(tensor.get("dims", [])), dtype, tensor.get("raw_data", b""))
    # Somewhere among the file's bytes it would be copied each time that it is computed with.
    return np.require(array, requirements=["ALIGNED"])


def _node(node: Mapping[str, Any]) -> Node:
    names = ([str(part, "utf-8") for part in node.get(side, [])] for side in ("input", "output"))
    inputs, outputs = map(tuple, names)
    attributes = {text_of(part, "name"): _value(part) for part in node.get("attribute", [])}
    return Node(text_of(node, "op_type"), inputs, outputs, attributes)


def _value(attribute: Mapping[str, Any]) -> int | float | list[int]:
    if attribute["type"] == 1:
        (number,) = struct.unpack("<f", attribute.get("f", bytes(4)))
        return float(number)
    whole: int = attribute.get("i", 0)
    several: list[int] = attribute.get("ints", [])
    return whole if attribute["type"] == 2 else several
