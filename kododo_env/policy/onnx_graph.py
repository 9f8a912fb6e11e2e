"""The graph of a policy file: its nodes in order, and its constants as arrays."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from kododo_env.arrays.dtypes import Array
from kododo_env.policy.onnx_file import DTYPES, read_model, text_of

# These versions run with onnxruntime 1.15, the oldest for Python 3.11, and later.
OPSET = 18
IR_VERSION = 8
ILLEGAL = -1e8  # the logit of illegal actions
_TYPE_NAMES = {"float32": "float", "float64": "double"}  # other names are as in numpy

Attributes = dict[str, int | float | list[int]]


class End(NamedTuple):
    """An input or output of a graph; ``type`` is as in onnxruntime, such as ``tensor(float)``."""

    name: str
    type: str
    shape: list[int | str | None]


class Node(NamedTuple):
    """A node of a graph; an omitted input has the name ""."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Attributes


class Graph(NamedTuple):
    """A graph: its inputs, outputs, constants by name, and nodes in the order of execution."""

    inputs: list[End]
    outputs: list[End]
    constants: dict[str, Array]
    nodes: list[Node]


class Session:
    """Base class of an open graph, which keeps no state between calls.

    Therefore a deep copy is the same object, and unpickling opens the same bytes again.
    """

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments


def read_graph(content: bytes) -> Graph:
    """Read the graph of a policy file.

    Raises:
        ValueError: The file is not a policy file, has another ONNX version, or its graph uses an
            undefined name or defines a name twice.
    """
    model = read_model(content)
    opsets = [part.get("version") for part in model.get("opset_import", [])]
    if (model.get("ir_version"), opsets) != (IR_VERSION, [OPSET]):
        raise ValueError(
            f"expected ONNX IR version {IR_VERSION} with opsets [{OPSET}], got IR version "
            f"{model.get('ir_version')} with opsets {opsets}"
        )
    graph = model["graph"]
    constants = {text_of(part, "name"): _array(part) for part in graph.get("initializer", [])}
    inputs, outputs = ([_end(part) for part in graph.get(side, [])] for side in ("input", "output"))
    inputs = [part for part in inputs if part.name not in constants]
    nodes = [_node(part) for part in graph.get("node", [])]
    array_names = {"", *constants, *(part.name for part in inputs)}
    for node in nodes:
        for name in {*node.inputs} - array_names:
            raise ValueError(f"the input {name!r} of {node.operator} is not defined before it")
        for name in {*node.outputs} & array_names:
            raise ValueError(f"the output {name!r} of {node.operator} is already defined")
        array_names.update(node.outputs)
    for end in outputs:
        if end.name not in array_names:
            raise ValueError(f"the output {end.name!r} is not computed")
    return Graph(inputs, outputs, constants, nodes)


def type_name(dtype: np.dtype[Any]) -> str:
    """Return onnxruntime's name of a dtype, such as ``tensor(float)`` for float32."""
    return f"tensor({_TYPE_NAMES.get(dtype.name, dtype.name)})"


def _end(end: Mapping[str, Any]) -> End:
    array = end.get("type", {}).get("array", {})
    kind = DTYPES.get(array.get("kind"))
    dims = array.get("shape", {}).get("dim", [])
    shape = [dim.get("value", text_of(dim, "name")) for dim in dims]
    return End(text_of(end, "name"), type_name(kind) if kind else "another type", shape)


def _array(tensor: Mapping[str, Any]) -> Array:
    # The reader has checked the number of bytes.
    dtype = DTYPES[tensor["data_type"]]
    array: Array = np.ndarray(tuple(tensor.get("dims", [])), dtype, tensor.get("raw_data", b""))
    # numpy would copy an unaligned array in every computation.
    return np.require(array, requirements=["ALIGNED"])


def _node(node: Mapping[str, Any]) -> Node:
    names = ([str(part, "utf-8") for part in node.get(side, [])] for side in ("input", "output"))
    inputs, outputs = map(tuple, names)
    attributes = {text_of(part, "name"): _number_of(part) for part in node.get("attribute", [])}
    return Node(text_of(node, "op_type"), inputs, outputs, attributes)


def _number_of(attribute: Mapping[str, Any]) -> int | float | list[int]:
    if attribute["type"] == 1:
        (number,) = struct.unpack("<f", attribute.get("f", bytes(4)))
        return float(number)
    integer: int = attribute.get("i", 0)
    integers: list[int] = attribute.get("ints", [])
    return integer if attribute["type"] == 2 else integers
