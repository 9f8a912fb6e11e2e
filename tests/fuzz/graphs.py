"""Policy files made by hand: a small one that plays, and ones that are wrong in many ways."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from agents.policy_metadata import KEY, describe
from kododo_env import registry

OPSET = 17
TYPES = (
    "FLOAT",
    "FLOAT16",
    "DOUBLE",
    "INT8",
    "UINT8",
    "UINT16",
    "INT32",
    "INT64",
    "BOOL",
    "STRING",
)
SHAPES = ("right", "fixed", "free", "larger", "smaller", "flat", "deeper", "none")
TRICKS = (
    "none", "none", "none", "nan", "infinite", "external", "external function", "endless", "huge",
    "domain", "opset", "ir", "more inputs", "initialised input", "text", "empty", "sparse",
    "sequence", "cycle", "same name", "large step", "shape by value", "random", "if",
)  # fmt: skip


def generated(rng: Random) -> dict[str, Any]:
    """What is odd about a graph; most of it is as it should be."""
    given: dict[str, Any] = {"trick": rng.choice(TRICKS)}
    for name in ("observation", "action_mask", "logits", "value"):
        if rng.random() < 0.15:
            given[f"{name} type"] = rng.choice(TYPES)
        if rng.random() < 0.15:
            given[f"{name} shape"] = rng.choice(SHAPES)
    return given


def model_of(game: str, players: int, given: dict[str, Any]) -> onnx.ModelProto:
    """A policy file that likes all legal actions alike, but for what is odd about it."""
    batch = registry.batch_game(game, 1, num_players=players)
    numbers = "UINT16" if batch.layout.dtype.itemsize > 1 else "UINT8"
    inputs = [
        _info(given, "observation", numbers, ["N", batch.layout.size]),
        _info(given, "action_mask", "INT8", ["N", batch.num_actions]),
    ]
    outputs = [
        _info(given, "logits", "FLOAT", ["N", batch.num_actions]),
        _info(given, "value", "FLOAT", ["N"]),
    ]
    ends = [_type(given, name, "FLOAT") for name in ("logits", "value")]
    nodes, more = _nodes(given["trick"], batch.num_actions)
    nodes += [
        helper.make_node("Cast", ["l"], ["logits"], to=ends[0]),
        helper.make_node("ReduceMax", ["f"], ["v"], axes=[1], keepdims=0),
        helper.make_node("Cast", ["v"], ["value"], to=ends[1]),
    ]
    inputs += more.get("inputs", [])
    graph = helper.make_graph(nodes, "policy", inputs, outputs, more.get("initializers", []))
    opsets = [helper.make_opsetid("", more.get("opset", OPSET))]
    if given["trick"] == "domain":
        opsets.append(helper.make_opsetid("elsewhere", 1))
    model = helper.make_model(graph, opset_imports=opsets, ir_version=more.get("ir", 8))
    if "functions" in more:
        model.functions.extend(more["functions"])
        model.opset_import.append(helper.make_opsetid("here", 1))
    text = json.dumps(json.loads(describe(batch).to_json()))
    helper.set_model_props(model, {KEY: text})
    return model


def _type(given: dict[str, Any], name: str, usual: str) -> int:
    return int(getattr(TensorProto, given.get(f"{name} type", usual)))


def _info(given: dict[str, Any], name: str, usual: str, shape: list[Any]) -> onnx.ValueInfoProto:
    shapes = {
        "right": shape, "fixed": [1, *shape[1:]], "free": ["A" * (i + 1) for i in range(len(shape))],
        "larger": [*shape[:-1], 9999], "smaller": [*shape[:-1], 1], "flat": shape[:1],
        "deeper": [*shape, 1], "none": None,
    }  # fmt: skip
    how = shapes[given.get(f"{name} shape", "right")]
    return helper.make_tensor_value_info(name, _type(given, name, usual), how)


def _scalar(value: Any, dtype: Any, name: str) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(value, dtype), name)


def _nodes(trick: str, num_actions: int) -> tuple[list[onnx.NodeProto], dict[str, Any]]:
    """Nodes from the action mask to ``f``, as float, and from that to ``l``; and what else."""
    node = helper.make_node
    first = node("Cast", ["action_mask"], ["f"], to=TensorProto.FLOAT)
    plain = node("Identity", ["f"], ["l"])
    zero = _scalar(0, np.float32, "zero")
    more: dict[str, Any] = {"initializers": [zero]}
    if trick in ("nan", "infinite"):
        odd = node("Div", ["zero" if trick == "nan" else "f", "zero"], ["odd"])
        return [first, odd, node("Add", ["f", "odd"], ["l"])], more
    if trick.startswith("external"):
        return [first, node("Add", ["f", "far"], ["l"])], {"initializers": [_far(trick)]}
    if trick == "endless":
        more["initializers"] = [_scalar(2**62, np.int64, "count"), _scalar(True, np.bool_, "yes")]
        return [first, _loop()], more
    if trick == "huge":
        more["initializers"] = [numpy_helper.from_array(np.array([1 << 36]), "size")]
        wide = node("ConstantOfShape", ["size"], ["wide"])
        return [first, wide, node("ReduceSum", ["wide"], ["s"], keepdims=0),
                node("Add", ["f", "s"], ["l"])], more  # fmt: skip
    if trick == "domain":
        return [first, node("Play", ["f"], ["l"], domain="elsewhere")], more
    if trick in ("opset", "ir"):
        return [first, plain], {trick: 9999}
    if trick in ("more inputs", "initialised input"):
        info = helper.make_tensor_value_info("more", TensorProto.FLOAT, [1])
        values = [_scalar([1], np.float32, "more")] if trick == "initialised input" else []
        return [first, node("Add", ["f", "more"], ["l"])], {
            "inputs": [info], "initializers": values,
        }  # fmt: skip
    return _more_nodes(trick, first, plain, num_actions)


def _more_nodes(
    trick: str, first: onnx.NodeProto, plain: onnx.NodeProto, num_actions: int
) -> tuple[list[onnx.NodeProto], dict[str, Any]]:
    node = helper.make_node
    if trick == "text":
        return [node("Cast", ["action_mask"], ["f"], to=TensorProto.STRING), plain], {}
    if trick == "empty":
        return [], {}
    if trick == "sparse":
        return [first, node("NonZero", ["f"], ["n"]), node("Cast", ["n"], ["l"], to=1)], {}
    if trick == "sequence":
        return [first, node("SequenceConstruct", ["f"], ["l"])], {}
    if trick == "cycle":
        return [first, node("Add", ["f", "k"], ["l"]), node("Identity", ["l"], ["k"])], {}
    if trick == "same name":
        return [first, first, plain], {}
    if trick == "large step":
        return [first, node("Concat", ["f"] * 50, ["l"], axis=1)], {}
    if trick == "shape by value":
        wide = node("Cast", ["f"], ["i"], to=TensorProto.INT64)
        flat = node("ReduceSum", ["i"], ["s"], keepdims=0)
        some = _scalar([num_actions], np.int64, "a")
        return [first, wide, flat, node("Mul", ["s", "a"], ["m"]),
                node("ConstantOfShape", ["m"], ["l"])], {"initializers": [some]}  # fmt: skip
    if trick == "random":
        return [first, node("RandomNormalLike", ["f"], ["r"]),
                node("Add", ["f", "r"], ["l"])], {}  # fmt: skip
    if trick == "if":
        return [first, node("Identity", ["observation"], ["l"])], {}
    return [first, plain], {}


def _far(trick: str) -> onnx.TensorProto:
    """A tensor whose numbers are in another file."""
    far = TensorProto(name="far", data_type=TensorProto.FLOAT, dims=[1])
    far.data_location = TensorProto.EXTERNAL
    where = "/etc/passwd" if trick == "external" else "*/_ORT_MEM_ADDR_/*"
    for key, value in (("location", where), ("offset", "0"), ("length", "4")):
        far.external_data.add(key=key, value=value)
    return far


def _loop() -> onnx.NodeProto:
    """A loop over so many steps that nobody sees its end."""
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
