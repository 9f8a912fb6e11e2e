"""Reading the ONNX files of policies without running them, and without a library for them.

An ONNX file is a message of Protocol Buffers. Only the part of ONNX is read that policies use:
no graph within a graph, no functions, no data outside the file. Anything else in a file is an
error, and never skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from kododo_env.policy.numpy_operators import DTYPES, OPERATORS

MOST_PARTS = 100_000  # fields and numbers in a file; a policy has some thousands
MOST_AXES = 8

VARINT = 0  # wire types; policies have no others
BYTES = 2
FIXED32 = 5


class _Field(NamedTuple):
    """A field of a message, which may be one itself: then it has the fields of that.

    Bytes are text unless they are said to be ``raw``.
    """

    name: str
    wire: int = BYTES
    repeated: bool = False
    fields: Mapping[int, _Field] | None = None
    raw: bool = False


# Which fields a message may have, by the numbers of onnx.proto.
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
_ANY_NUMBER = {"Concat", "Max", "Min", "Sum"}  # of inputs, so that none of them can be left out
_NO_WHOLE = {"BatchNormalization": "training_mode", "GatherND": "batch_dims"}  # attributes
USED_TWICE = "a name is used twice in it"
_ATTRIBUTE_TYPES = {1, 2, 7}  # a float, a whole number, several of these


def read_onnx(content: bytes) -> dict[str, str]:
    """The entries of a model's metadata by their keys, if all of it is as policies have it.

    Raises:
        ValueError: It is no ONNX file, or has a part that no policy has.
    """
    properties = read_model(content)["metadata_props"]
    entries = {text_of(entry, "key"): text_of(entry, "value") for entry in properties}
    if len(entries) < len(properties):
        raise ValueError(USED_TWICE)
    return entries


def read_model(content: bytes) -> dict[str, Any]:
    """The fields of a model, as bytes, if all of it is as policies have it.

    Raises:
        ValueError: It is no ONNX file, or has a part that no policy has.
    """
    model = _Reader().message(memoryview(content), "model", _MODEL)
    if "graph" not in model:
        raise ValueError("it has no graph")
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
        raise ValueError("it wants its weights from another file; a policy has its own")
    number = tensor.get("data_type", 0)
    dims = tensor.get("dims", [])
    if number not in DTYPES:
        raise ValueError(f"a tensor in it is of a type that no policy has ({number})")
    size = DTYPES[number].itemsize
    sound = len(dims) <= MOST_AXES and min(dims, default=0) >= 0
    if not sound or size * prod(dims) != len(tensor.get("raw_data", b"")):
        raise ValueError("a tensor in it has another size than its shape and type")


def _check_node(node: Mapping[str, Any]) -> None:
    domain = text_of(node, "domain")
    operator = text_of(node, "op_type")
    if domain not in ("", "ai.onnx") or operator not in OPERATORS:
        name = f"{domain}.{operator}".lstrip(".")[:60]
        raise ValueError(f"its graph has the operation {name}, which no policy needs")
    for kind in {
        attribute.get("type") for attribute in node.get("attribute", ())
    } - _ATTRIBUTE_TYPES:
        raise ValueError(f"an attribute of type {kind} is not one that a policy has")


def _check_traps(node: Mapping[str, Any], constants: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise ValueError for traps that the runtime does not survive: the process would be killed."""
    operator = text_of(node, "op_type")
    if operator in _NO_WHOLE and any(attribute.get("i") for attribute in node.get("attribute", ())):
        raise ValueError(f"{operator} with {_NO_WHOLE[operator]} is not what a policy has")
    input_names = node.get("input", []) if operator in _ANY_NUMBER else []
    if b"" in [*input_names, *node.get("output", [])]:
        raise ValueError(f"its {operator} leaves out an input or output that it must have")
    if operator not in ("Div", "Mod"):
        return
    operands = [constants.get(str(name, "utf-8"), {}) for name in node.get("input", ())]
    kinds = [DTYPES[tensor["data_type"]] for tensor in operands if tensor]
    if any(kind.kind == "f" for kind in kinds):  # both are of one type
        return
    by = operands[-1] if operands else {}
    numbers = np.frombuffer(by["raw_data"], kinds[-1]) if by.get("raw_data") else ()
    if not by or 0 in numbers or -1 in numbers:
        raise ValueError(
            f"its {operator} may divide whole numbers by 0 or -1; a policy divides them by "
            "constants that are neither"
        )


def text_of(message: Mapping[str, Any], name: str) -> str:
    """A field of a message that is text, "" if it is not there."""
    return str(message.get(name, b""), "utf-8")


class _Reader:
    """Reads messages; how many parts they may have is counted for all of them together."""

    def __init__(self) -> None:
        self.remaining_parts = MOST_PARTS

    def message(self, data: memoryview, kind: str, fields: Mapping[int, _Field]) -> dict[str, Any]:
        """The fields of a message by name, those that may come several times as lists."""
        values_by_name: dict[str, Any] = {}
        for number, wire, value in self._parts(data):
            if number not in fields:
                raise ValueError(f"field {number} of its {kind} is not one that a policy has")
            field = fields[number]
            if wire != field.wire or (field.name in values_by_name and not field.repeated):
                raise ValueError(f"the {field.name} of its {kind} is damaged")
            read = self.message(value, field.name, field.fields) if field.fields else value
            if wire == BYTES and not (field.fields or field.raw):
                str(value, "utf-8")  # raises
            if field.repeated:
                values_by_name.setdefault(field.name, []).append(read)
            else:
                values_by_name[field.name] = read
        return values_by_name

    def _parts(self, data: memoryview) -> Iterator[tuple[int, int, Any]]:
        """The parts of a message: field number, wire type, value."""
        at = 0
        while at < len(data):
            tag, at = self._number(data, at)
            number = (tag >> 3) & 0x1FFFFFFF
            wire = tag & 7
            if wire not in (VARINT, BYTES, FIXED32):
                raise ValueError(f"byte {at - 1} begins no field")
            value: Any = 4
            if wire != FIXED32:
                value, at = self._number(data, at)
            if wire != VARINT:
                end = at + value
                if not at <= end <= len(data):
                    raise ValueError("it is cut short")
                value = data[at:end]
                at = end
            yield number, wire, value

    def _number(self, data: memoryview, at: int) -> tuple[int, int]:
        """A number of 64 bits in two's complement, and where the next thing begins."""
        self.remaining_parts -= 1
        if self.remaining_parts < 0:
            raise ValueError("it has too many parts")
        number = 0
        for place, byte in enumerate(data[at : at + 10]):
            number |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                number &= (1 << 64) - 1
                return number - (number >> 63 << 64), at + place + 1
        raise ValueError("a number in it does not end")
