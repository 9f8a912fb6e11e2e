"""Reading the ONNX files of policies without running them; needs numpy only.

Only the part of ONNX is read that policies use: no graph within a graph, no functions, no data
outside the file. Whatever else a file has is an error, and never skipped.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.policy.protobuf import BYTES, FIXED32, VARINT, Budget, Field, read_message

MOST_PARTS = 100_000  # fields and numbers in a file; a policy has some thousands
MOST_AXES = 8

# The numbers are those of onnx.proto.
_MODEL = {
    1: Field("ir_version", VARINT),
    2: Field("producer_name", BYTES),
    3: Field("producer_version", BYTES),
    4: Field("domain", BYTES),
    5: Field("model_version", VARINT),
    6: Field("doc_string", BYTES),
    7: Field("graph", BYTES),
    8: Field("opset_import", BYTES, many=True),
    14: Field("metadata_props", BYTES, many=True),
}
_OPSET = {1: Field("domain", BYTES), 2: Field("version", VARINT)}
_ENTRY = {1: Field("key", BYTES), 2: Field("value", BYTES)}
_GRAPH = {
    1: Field("node", BYTES, many=True),
    2: Field("name", BYTES),
    5: Field("initializer", BYTES, many=True),
    10: Field("doc_string", BYTES),
    11: Field("input", BYTES, many=True),
    12: Field("output", BYTES, many=True),
    13: Field("value_info", BYTES, many=True),
    16: Field("metadata_props", BYTES, many=True),
}
_NODE = {
    1: Field("input", BYTES, many=True),
    2: Field("output", BYTES, many=True),
    3: Field("name", BYTES),
    4: Field("op_type", BYTES),
    5: Field("attribute", BYTES, many=True),
    6: Field("doc_string", BYTES),
    7: Field("domain", BYTES),
    8: Field("overload", BYTES),
    9: Field("metadata_props", BYTES, many=True),
}
_ATTRIBUTE = {
    1: Field("name", BYTES),
    2: Field("f", FIXED32),
    3: Field("i", VARINT),
    8: Field("ints", VARINT, many=True),
    13: Field("doc_string", BYTES),
    20: Field("type", VARINT),
}
_TENSOR = {
    1: Field("dims", VARINT, many=True),
    2: Field("data_type", VARINT),
    8: Field("name", BYTES),
    9: Field("raw_data", BYTES),
    12: Field("doc_string", BYTES),
    13: Field("external_data", BYTES, many=True),
    14: Field("data_location", VARINT),
    16: Field("metadata_props", BYTES, many=True),
}
_FLOAT, _INT, _INTS = 1, 2, 7  # types of attributes
_DTYPES = {
    1: "<f4", 2: "u1", 3: "i1", 4: "<u2", 5: "<i2", 6: "<i4", 7: "<i8", 9: "?", 10: "<f2",
    11: "<f8",
}  # fmt: skip


@dataclass(frozen=True)
class Node:
    """One operation of a graph.

    Attributes:
        operator: What it does.
        domain: Who defines the operator; empty for ONNX itself.
        inputs: Names of values; empty where an optional input is left out.
        outputs: Names of values.
        attributes: Floats, ints, and tuples of ints, by name.
    """

    operator: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]


@dataclass(frozen=True)
class OnnxFile:
    """A model.

    Attributes:
        ir_version: Of the file format.
        opsets: The version of the operators, by domain.
        nodes: The graph's operations, in the order of the file.
        tensors: The graph's constants by name, read-only.
        metadata: What the file says of itself.
    """

    ir_version: int
    opsets: dict[str, int]
    nodes: tuple[Node, ...]
    tensors: dict[str, npt.NDArray[Any]]
    metadata: dict[str, str]


def read_onnx(content: bytes) -> OnnxFile:
    """Read a model.

    Raises:
        ValueError: It is no ONNX file, or has what no policy has.
    """
    budget = Budget(MOST_PARTS)
    model = read_message(memoryview(content), "model", _MODEL, budget)
    if "graph" not in model:
        raise ValueError("it has no graph")
    graph = read_message(model["graph"], "graph", _GRAPH, budget)
    tensors = [_tensor(each, budget) for each in graph.get("initializer", ())]
    entries = [read_message(e, "entry", _ENTRY, budget) for e in model.get("metadata_props", ())]
    opsets = [read_message(e, "opset", _OPSET, budget) for e in model.get("opset_import", ())]
    return OnnxFile(
        model.get("ir_version", 0),
        _by_name([(_text(each, "domain"), each.get("version", 0)) for each in opsets]),
        tuple(_node(each, budget) for each in graph.get("node", ())),
        _by_name(tensors),
        _by_name([(_text(each, "key"), _text(each, "value")) for each in entries]),
    )


def _node(data: memoryview, budget: Budget) -> Node:
    node = read_message(data, "node", _NODE, budget)
    inputs, outputs = (
        tuple(str(name, "utf-8") for name in node.get(end, ())) for end in ("input", "output")
    )
    attributes = [_attribute(each, budget) for each in node.get("attribute", ())]
    operator = _text(node, "op_type")
    return Node(operator, _text(node, "domain"), inputs, outputs, _by_name(attributes))


def _attribute(data: memoryview, budget: Budget) -> tuple[str, Any]:
    attribute = read_message(data, "node's attribute", _ATTRIBUTE, budget)
    kind = attribute.get("type")
    if kind == _FLOAT:
        (value,) = struct.unpack("<f", attribute.get("f", bytes(4)))
    elif kind == _INT:
        value = attribute.get("i", 0)
    elif kind == _INTS:
        value = tuple(attribute.get("ints", ()))
    else:
        raise ValueError(f"an attribute of type {kind} is not one that a policy has")
    return _text(attribute, "name"), value


def _tensor(data: memoryview, budget: Budget) -> tuple[str, npt.NDArray[Any]]:
    tensor = read_message(data, "tensor", _TENSOR, budget)
    if tensor.get("external_data") or tensor.get("data_location"):
        raise ValueError("it wants its weights from another file; a policy has its own")
    dims, dtype = tensor.get("dims", []), _DTYPES.get(tensor.get("data_type", 0))
    raw, name = tensor.get("raw_data", b""), _text(tensor, "name")
    if dtype is None or len(dims) > MOST_AXES or not _fills(dims, np.dtype(dtype).itemsize, raw):
        raise ValueError("a tensor in it has another size than its shape and type")
    return name, np.frombuffer(raw, dtype).reshape(dims)


def _fills(dims: Sequence[int], itemsize: int, raw: memoryview) -> bool:
    size = itemsize
    for length in dims:
        if length < 0:
            return False
        size *= length
    return size == len(raw)


def _text(message: dict[str, Any], name: str) -> str:
    return str(message.get(name, b""), "utf-8")


def _by_name(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is used twice in it")
    return found
