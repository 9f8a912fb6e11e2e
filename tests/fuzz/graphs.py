"""Handmade policy files: a small valid one, and invalid ones."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from kododo_env import registry
from kododo_env.policy.metadata import KEY, describe
from kododo_env.policy.onnx_file import OPERATORS

OPSET = 18
TYPES = (
    "FLOAT", "FLOAT16", "DOUBLE", "INT8", "UINT8", "UINT16", "INT32", "INT64", "BOOL", "STRING",
)  # fmt: skip
SHAPES = ("right", "fixed", "free", "larger", "smaller", "flat", "deeper", "none")

Node = tuple[str, str, str, dict[str, Any]]
CAST: Node = ("Cast", "action_mask", "f", {"to": TensorProto.FLOAT})
SAME: Node = ("Identity", "f", "l", {})
# Nodes from the action mask to "f", its numbers, and from there to "l", the logits.
TRICKS: dict[str, list[Node]] = {
    "none": [CAST, SAME],
    "nan": [CAST, ("Div", "zero zero", "odd", {}), ("Add", "f odd", "l", {})],
    "infinite": [CAST, ("Div", "f zero", "odd", {}), ("Add", "f odd", "l", {})],
    "trap": [CAST, SAME, ("Div", "least minus", "odd", {})],
    "external": [CAST, ("Add", "f far", "l", {})],
    "external memory": [CAST, ("Add", "f far", "l", {})],
    "endless": [CAST],
    "huge": [
        CAST,
        ("ConstantOfShape", "size", "wide", {}),
        ("ReduceSum", "wide", "s", {"keepdims": 0}),
        ("Add", "f s", "l", {}),
    ],
    "domain": [CAST, ("Play", "f", "l", {"domain": "elsewhere"})],
    "opset": [CAST, SAME],
    "ir": [CAST, SAME],
    "more inputs": [CAST, ("Add", "f more", "l", {})],
    "initialised input": [CAST, ("Add", "f more", "l", {})],
    "text": [("Cast", "action_mask", "f", {"to": TensorProto.STRING}), SAME],
    "empty": [],
    "sparse": [CAST, ("NonZero", "f", "n", {}), ("Cast", "n", "l", {"to": TensorProto.FLOAT})],
    "sequence": [CAST, ("SequenceConstruct", "f", "l", {})],
    "cycle": [CAST, ("Add", "f k", "l", {}), ("Identity", "l", "k", {})],
    "same name": [CAST, CAST, SAME],
    "wide": [CAST, ("Concat", "f " * 50, "l", {"axis": 1})],
    "shape by value": [
        CAST,
        ("Cast", "f", "i", {"to": TensorProto.INT64}),
        ("ReduceSum", "i", "s", {"keepdims": 0}),
        ("Mul", "s seven", "m", {}),
        ("ConstantOfShape", "m", "l", {}),
    ],
    "random": [CAST, ("RandomNormalLike", "f", "r", {}), ("Add", "f r", "l", {})],
    "observation": [CAST, ("Identity", "observation", "l", {})],
}
CONSTANTS: dict[str, dict[str, Any]] = {
    "nan": {"zero": np.float32(0)},
    "infinite": {"zero": np.float32(0)},
    "trap": {"least": np.array([-(2**63)]), "minus": np.array([-1])},
    "endless": {"count": np.int64(2**62), "yes": np.bool_(True)},
    "huge": {"size": np.array([1 << 36])},
    "initialised input": {"more": np.ones(1, np.float32)},
    "shape by value": {"seven": np.array([7])},
}
VERSIONS = {"opset": {"opset": 9999}, "ir": {"ir": 9999}}


def generated(rng: Random) -> dict[str, Any]:
    """Return the oddities of a graph that is otherwise valid."""
    oddities: dict[str, Any] = {"trick": rng.choice([*TRICKS, *["none"] * 5])}
    for name in ("observation", "action_mask", "logits", "value"):
        if rng.random() < 0.15:
            oddities[f"{name} type"] = rng.choice(TYPES)
        if rng.random() < 0.15:
            oddities[f"{name} shape"] = rng.choice(SHAPES)
    return oddities


def node_edits(rng: Random) -> list[Any]:
    """Return a few changes of a graph: ``[kind, position (a share), a share]``."""
    edit_kinds = (
        "operator",
        "input",
        "operator",
        "input",
        "drop",
        "numbers",
        "dims",
        "attribute",
        "swap",
    )
    number = rng.choice((1, 1, 1, 2, 3))
    return [[rng.choice(edit_kinds), rng.random(), rng.random()] for _ in range(number)]


def edit_nodes(graph: onnx.GraphProto, edits: list[Any]) -> None:
    """Change a valid graph."""
    for edit_kind, place, share in edits:
        if edit_kind in ("numbers", "dims"):
            _edit_tensor(graph.initializer[int(place * len(graph.initializer))], edit_kind, share)
            continue
        node = graph.node[int(place * len(graph.node))]
        names = [*(tensor.name for tensor in graph.initializer), "observation", "action_mask"]
        names += [name for other_node in graph.node for name in other_node.output]
        if edit_kind == "operator":
            node.op_type = sorted(OPERATORS)[int(share * len(OPERATORS))]
        elif edit_kind == "input" and node.input:
            node.input[int(share * len(node.input))] = names[int((share * 97) % 1 * len(names))]
        elif edit_kind == "swap":
            node.input[:] = list(node.input)[::-1]
        elif edit_kind == "attribute" and node.attribute:
            attribute = node.attribute[int(share * len(node.attribute))]
            attribute.i, attribute.f = ((0, 0.0), (-1, 1e30), (9, -1.0), (2**40, 2.0))[
                int(share * 4)
            ]
        elif edit_kind == "drop":
            graph.node.remove(node)


def _edit_tensor(tensor: onnx.TensorProto, edit_kind: str, share: float) -> None:
    """Change the numbers or the shape of a graph's constant."""
    if edit_kind == "dims":
        tensor.dims[:] = ([], [1], [*tensor.dims][::-1], [0], [1 << 40], [-1])[int(share * 6)]
        return
    values = numpy_helper.to_array(tensor).copy()
    scale = (0, -1, 7, 1e4, 1e9, 1e30)[int(share * 6)]
    with np.errstate(all="ignore"):
        changed = (values.astype(np.float64) * scale).astype(values.dtype)
    tensor.CopyFrom(numpy_helper.from_array(changed, tensor.name))


def model_of(game: str, players: int, oddities: dict[str, Any]) -> onnx.ModelProto:
    """Return a uniform policy with oddities."""
    batch = registry.batch_game(game, 1, num_players=players)
    numbers = "UINT16" if batch.layout.dtype.itemsize > 1 else "UINT8"
    inputs = [
        _info(oddities, "observation", numbers, ["N", batch.layout.size]),
        _info(oddities, "action_mask", "INT8", ["N", batch.num_actions]),
    ]
    if oddities["trick"] in ("more inputs", "initialised input"):
        inputs.append(helper.make_tensor_value_info("more", TensorProto.FLOAT, [1]))
    outputs = [
        _info(oddities, "logits", "FLOAT", ["N", batch.num_actions]),
        _info(oddities, "value", "FLOAT", ["N"]),
    ]
    graph = helper.make_graph(
        _nodes(oddities), "policy", inputs, outputs, _constants(oddities["trick"])
    )
    versions = {"opset": OPSET, "ir": 8} | VERSIONS.get(oddities["trick"], {})
    opsets = [helper.make_opsetid("", versions["opset"]), helper.make_opsetid("elsewhere", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=versions["ir"])
    helper.set_model_props(model, {KEY: describe(batch).to_json()})
    return model


def _nodes(oddities: dict[str, Any]) -> list[onnx.NodeProto]:
    kinds = {name: _type(oddities, name, "FLOAT") for name in ("logits", "value")}
    nodes: list[Node] = [
        *TRICKS[oddities["trick"]],
        ("Cast", "l", "logits", {"to": kinds["logits"]}),
        ("ReduceMax", "f one", "v", {"keepdims": 0}),
        ("Cast", "v", "value", {"to": kinds["value"]}),
    ]
    graph_nodes = [
        helper.make_node(kind, takes.split(), [gives], **how) for kind, takes, gives, how in nodes
    ]
    return [*graph_nodes, _loop()] if oddities["trick"] == "endless" else graph_nodes


def _constants(trick: str) -> list[onnx.TensorProto]:
    if trick.startswith("external"):
        return [_far("/etc/passwd" if trick == "external" else "*/_ORT_MEM_ADDR_/*")]
    values = {"one": np.array([1]), **CONSTANTS.get(trick, {})}
    return [numpy_helper.from_array(np.array(number), name) for name, number in values.items()]


def _type(oddities: dict[str, Any], name: str, usual: str) -> int:
    return int(getattr(TensorProto, oddities.get(f"{name} type", usual)))


def _info(oddities: dict[str, Any], name: str, usual: str, shape: list[Any]) -> onnx.ValueInfoProto:
    shapes = {
        "right": shape,
        "fixed": [1, *shape[1:]],
        "free": [f"A{place}" for place in range(len(shape))],
        "larger": [*shape[:-1], 9999],
        "smaller": [*shape[:-1], 1],
        "flat": shape[:1],
        "deeper": [*shape, 1],
        "none": None,
    }
    how = shapes[oddities.get(f"{name} shape", "right")]
    return helper.make_tensor_value_info(name, _type(oddities, name, usual), how)


def _far(where: str) -> onnx.TensorProto:
    """Return a tensor whose data is in another file."""
    far = TensorProto(name="far", data_type=TensorProto.FLOAT, dims=[1])
    far.data_location = TensorProto.EXTERNAL
    for key, entry in (("location", where), ("offset", "0"), ("length", "4")):
        far.external_data.add(key=key, value=entry)
    return far


def _loop() -> onnx.NodeProto:
    """Return a practically endless loop."""
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["on"]),
            helper.make_node("Sin", ["x"], ["y"]),
        ],
        "body",
        [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, []),
         info("x", TensorProto.FLOAT, None)],
        [info("on", TensorProto.BOOL, []), info("y", TensorProto.FLOAT, None)],
    )  # fmt: skip
    return helper.make_node("Loop", ["count", "yes", "f"], ["l"], body=body)
