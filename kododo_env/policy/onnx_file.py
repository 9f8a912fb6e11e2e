"""Read the ONNX files of policies without running them and without the onnx package.

An ONNX file is a message of Protocol Buffers. The reader supports only the part of ONNX that
policies use: no nested graphs, no functions, no data in other files. Anything else raises
ValueError.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

# The dtypes by their number in ONNX (``TensorProto.DataType``).
DTYPES: dict[int, np.dtype[Any]] = {
    number: np.dtype(name).newbyteorder("<")
    for number, name in {
        1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64",
        9: "bool", 10: "float16", 11: "float64",
    }.items()
}  # fmt: skip
ALLOWED_OPERATORS = {
    "Abs", "Add", "And", "ArgMax", "ArgMin", "BatchNormalization", "Cast", "Ceil", "Celu",
    "Clip", "Concat", "CumSum", "Div", "Elu", "Equal", "Erf", "Exp", "Expand", "Flatten",
    "Floor", "Gather", "GatherElements", "GatherND", "Gemm", "Greater", "GreaterOrEqual",
    "HardSigmoid", "HardSwish", "Identity", "IsNaN", "LayerNormalization", "LeakyRelu", "Less",
    "LessOrEqual", "Log", "LogSoftmax", "MatMul", "Max", "Min", "Mish", "Mod", "Mul", "Neg",
    "Not", "Or", "PRelu", "Pow", "Range", "Reciprocal", "ReduceL2", "ReduceLogSumExp",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Relu", "Reshape", "Round", "Selu",
    "Shape", "Sigmoid", "Sign", "Slice", "Softmax", "Softplus", "Softsign", "Split", "Sqrt",
    "Squeeze", "Sub", "Sum", "Tanh", "Transpose", "Unsqueeze", "Where",
}  # fmt: skip
"""All operators that policy files may contain.

None of them contains a subgraph, so each node runs exactly once, in the order of the file. None of
them opens a file. ``numpy_operators`` has those that numpy runs; the others need onnxruntime.
"""
MOST_PARTS = 100_000  # fields and numbers in a file; policies have some thousands
MOST_AXES = 8

VARINT = 0  # the wire types that policy files use
BYTES = 2
FIXED32 = 5


class _Field(NamedTuple):
    """A field of a message; ``fields`` are those of a nested message.

    Bytes are text unless ``raw``.
    """

    name: str
    wire: int = BYTES
    repeated: bool = False
    fields: Mapping[int, _Field] | None = None
    raw: bool = False


# The fields that a message may have, by their numbers in onnx.proto.
_ENTRY = {1: _Field("key"), 2: _Field("value")}
_OPSET = {1: _Field("domain"), 2: _Field("version", VARINT)}
_ATTRIBUTE = {
    1: _Field("name"), 2: _Field("f", FIXED32), 3: _Field("i", VARINT),
    8: _Field("ints", VARINT, repeated=True), 13: _Field("doc_string"), 20: _Field("type", VARINT),
}  # fmt: skip
_NODE = {
    1: _Field("input", repeated=True), 2: _Field("output", repeated=True), 3: _Field("name"),
    4: _Field("op_type"), 5: _Field("attribute", repeated=True, fields=_ATTRIBUTE),
    6: _Field("doc_string"), 7: _Field("domain"),
}  # fmt: skip
_TENSOR = {
    1: _Field("dims", VARINT, repeated=True), 2: _Field("data_type", VARINT), 8: _Field("name"),
    9: _Field("raw_data", raw=True), 12: _Field("doc_string"),
    13: _Field("external_data", repeated=True, raw=True), 14: _Field("data_location", VARINT),
}  # fmt: skip
_DIM = {1: _Field("value", VARINT), 2: _Field("name")}
_SHAPE = {1: _Field("dim", repeated=True, fields=_DIM)}
_ARRAY = {1: _Field("kind", VARINT), 2: _Field("shape", fields=_SHAPE)}
_END = {
    1: _Field("name"), 2: _Field("type", fields={1: _Field("array", fields=_ARRAY)}),
    3: _Field("doc_string"), 4: _Field("metadata_props", repeated=True, fields=_ENTRY),
}  # fmt: skip
_GRAPH = {
    1: _Field("node", repeated=True, fields=_NODE), 2: _Field("name"),
    5: _Field("initializer", repeated=True, fields=_TENSOR), 10: _Field("doc_string"),
    11: _Field("input", repeated=True, fields=_END),
    12: _Field("output", repeated=True, fields=_END),
    16: _Field("metadata_props", repeated=True, fields=_ENTRY),
}  # fmt: skip
_MODEL = {
    1: _Field("ir_version", VARINT), 2: _Field("producer_name"), 3: _Field("producer_version"),
    4: _Field("domain"), 5: _Field("model_version", VARINT), 6: _Field("doc_string"),
    7: _Field("graph", fields=_GRAPH), 8: _Field("opset_import", repeated=True, fields=_OPSET),
    14: _Field("metadata_props", repeated=True, fields=_ENTRY),
}  # fmt: skip
_ANY_NUMBER = {"Concat", "Max", "Min", "Sum"}  # operators of any number of required inputs
# Attributes that must be 0.
_MUST_BE_0 = {"BatchNormalization": "training_mode", "GatherND": "batch_dims"}
USED_TWICE = "a name is used twice: names of constants and keys of metadata must be unique"
_ATTRIBUTE_TYPES = {1, 2, 7}  # float, int, list of ints


def read_onnx(content: bytes) -> dict[str, str]:
    """Check an ONNX file and return the entries of its metadata by key.

    Raises:
        ValueError: The file is not ONNX, or has an unsupported part.
    """
    properties = read_model(content)["metadata_props"]
    entries = {text_of(entry, "key"): text_of(entry, "value") for entry in properties}
    if len(entries) < len(properties):
        raise ValueError(USED_TWICE)
    return entries


def read_model(content: bytes) -> dict[str, Any]:
    """Check an ONNX file and return the fields of its ``ModelProto`` by name; texts are bytes.

    Raises:
        ValueError: The file is not ONNX, or has an unsupported part.
    """
    model = _Reader().message(memoryview(content), "model", _MODEL)
    if "graph" not in model:
        raise ValueError("the file has no graph")
    nodes, tensors = (model["graph"].get(part, []) for part in ("node", "initializer"))
    for tensor in tensors:
        _check_tensor(tensor)
    constants = {text_of(tensor, "name"): tensor for tensor in tensors}
    if len(constants) < len(tensors):
        raise ValueError(USED_TWICE)
    for node in nodes:
        _check_node(node)
        _check_traps(node, constants)
    return {"metadata_props": []} | model


def _check_tensor(tensor: Mapping[str, Any]) -> None:
    if tensor.get("external_data") or tensor.get("data_location"):
        raise ValueError("the weights are in another file")
    number = tensor.get("data_type", 0)
    dims = tensor.get("dims", [])
    if number not in DTYPES:
        raise ValueError(f"a tensor has the unsupported type {number}")
    size = DTYPES[number].itemsize
    sound = len(dims) <= MOST_AXES and min(dims, default=0) >= 0
    if not sound or size * prod(dims) != len(tensor.get("raw_data", b"")):
        raise ValueError("the size of a tensor does not match its shape and type")


def _check_node(node: Mapping[str, Any]) -> None:
    domain = text_of(node, "domain")
    operator = text_of(node, "op_type")
    if domain not in ("", "ai.onnx") or operator not in ALLOWED_OPERATORS:
        name = f"{domain}.{operator}".lstrip(".")[:60]
        raise ValueError(f"the graph has the unsupported operator {name}")
    for kind in {
        attribute.get("type") for attribute in node.get("attribute", ())
    } - _ATTRIBUTE_TYPES:
        raise ValueError(f"an attribute has the unsupported type {kind}")


def _check_traps(node: Mapping[str, Any], constants: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise ValueError for nodes with which the runtime would kill the process."""
    operator = text_of(node, "op_type")
    if operator in _MUST_BE_0 and any(
        attribute.get("i") for attribute in node.get("attribute", ())
    ):
        raise ValueError(f"{operator} with {_MUST_BE_0[operator]} is not supported")
    input_names = node.get("input", []) if operator in _ANY_NUMBER else []
    if b"" in [*input_names, *node.get("output", [])]:
        raise ValueError(f"{operator} lacks a required input or output")
    if operator not in ("Div", "Mod"):
        return
    operands = [constants.get(str(name, "utf-8"), {}) for name in node.get("input", ())]
    kinds = [DTYPES[tensor["data_type"]] for tensor in operands if tensor]
    if any(kind.kind == "f" for kind in kinds):  # both have one type
        return
    divisor = operands[-1] if operands else {}
    numbers = np.frombuffer(divisor["raw_data"], kinds[-1]) if divisor.get("raw_data") else ()
    if not divisor or 0 in numbers or -1 in numbers:
        raise ValueError(
            f"{operator} may divide integers by 0 or -1: the divisor must be a constant without "
            "these numbers"
        )


def text_of(message: Mapping[str, Any], name: str) -> str:
    """Return a text field of a message, or "" if it is missing."""
    return str(message.get(name, b""), "utf-8")


class _Reader:
    """A reader of messages that limits the total number of their parts to ``MOST_PARTS``."""

    def __init__(self) -> None:
        self.remaining_parts = MOST_PARTS

    def message(
        self, content: memoryview, kind: str, fields: Mapping[int, _Field]
    ) -> dict[str, Any]:
        """Return the fields of a message by name, repeated ones as lists."""
        fields_by_name: dict[str, Any] = {}
        for number, wire, payload in self._parts(content):
            if number not in fields:
                raise ValueError(f"{kind} has the unsupported field {number}")
            field = fields[number]
            if wire != field.wire or (field.name in fields_by_name and not field.repeated):
                raise ValueError(f"field {field.name} of {kind} is damaged")
            if field.fields:
                payload = self.message(payload, field.name, field.fields)
            elif wire == BYTES and not field.raw:
                str(payload, "utf-8")  # raises UnicodeDecodeError
            if field.repeated:
                fields_by_name.setdefault(field.name, []).append(payload)
            else:
                fields_by_name[field.name] = payload
        return fields_by_name

    def _parts(self, content: memoryview) -> Iterator[tuple[int, int, Any]]:
        """Yield the parts of a message: field number, wire type, payload."""
        position = 0
        while position < len(content):
            tag, position = self._number(content, position)
            number = (tag >> 3) & 0x1FFFFFFF
            wire = tag & 7
            if wire not in (VARINT, BYTES, FIXED32):
                raise ValueError(f"invalid wire type {wire} at byte {position - 1}")
            payload: Any = 4
            if wire != FIXED32:
                payload, position = self._number(content, position)
            if wire != VARINT:
                end = position + payload
                if not position <= end <= len(content):
                    raise ValueError("the file is truncated")
                payload = content[position:end]
                position = end
            yield number, wire, payload

    def _number(self, content: memoryview, position: int) -> tuple[int, int]:
        """Read a number of 64 bits in two's complement, and return it and the next position."""
        self.remaining_parts -= 1
        if self.remaining_parts < 0:
            raise ValueError(f"the file has too many parts: more than {MOST_PARTS:,}")
        number = 0
        for index, byte in enumerate(content[position : position + 10]):
            number |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                number &= (1 << 64) - 1
                return number - (number >> 63 << 64), position + index + 1
        raise ValueError(f"the varint at byte {position} has no end")
