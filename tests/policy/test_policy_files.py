"""Damaged and malicious policy files: each is rejected with one line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import kododo_env
from agents.export.policy_weights import game_of
from kododo_env import registry
from kododo_env.agent_registry import POLICIES, SUFFIX, shipped
from kododo_env.export import export
from kododo_env.export.parity import positions
from kododo_env.export.policy_graph import portable
from kododo_env.held_out import HELD_OUT_POLICIES
from kododo_env.policy import onnx_validation
from kododo_env.policy.metadata import KEY, MOST_CHARACTERS, describe
from kododo_env.policy.numpy_session import NumpySession
from kododo_env.policy.onnx_agent import ROWS, OnnxAgent
from kododo_env.policy.policy_file import LARGEST_FILE, sealed
from tests.policy.policy_files import Change, changed, tiny_model, write_model, write_policy

Model = onnx.ModelProto
ONE_LINE = r"\A[^\x00-\x1f\x7f-\x9f]{10,1000}\Z"
for_every_policy = pytest.mark.parametrize("name", shipped())


def error_of(path: Path, temperature: float | None = None) -> str:
    """Return the error of a file, which must be one printable line."""
    with pytest.raises(ValueError, match=ONE_LINE) as error:
        OnnxAgent(path, temperature)
    return str(error.value)


@pytest.fixture(params=["onnxruntime", "numpy"])
def runtime(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run graphs with each of the two runtimes."""
    if request.param == "numpy":
        monkeypatch.setattr(onnx_validation, "SESSION", NumpySession)
    return str(request.param)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """Write a policy for two players with equal logits for all legal actions."""
    return write_policy(tmp_path / "policy.onnx", "kododo", 2)


# --- whole files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", [*POLICIES.glob(f"*{SUFFIX}"), *HELD_OUT_POLICIES.glob(f"*{SUFFIX}")]
)
def test_files_are_such_as_old_runtimes_can_run(path: Path) -> None:
    model = onnx.load(path)
    assert portable(model) == model
    check_portable(model)


def check_portable(model: Model) -> None:
    """Old runtimes cannot load transposed float64 products (1.25) or compared int8 (1.20)."""
    assert (model.ir_version, model.opset_import[0].version) == (8, 18)
    types = {tensor.name: tensor.data_type for tensor in model.graph.initializer}
    for node in model.graph.node:
        operands = {types.get(name) for name in node.input}
        assert not (node.op_type == "MatMul" and TensorProto.DOUBLE in operands)
        assert not (node.op_type == "Greater" and {"action_mask"} & {*node.input})
        assert not (node.op_type == "Greater" and TensorProto.INT8 in operands)


# --- damage ---------------------------------------------------------------------------------


def test_no_flipped_bit_plays(tmp_path: Path) -> None:
    """Before digests, 126 of 500 random flips played silently, 22 with other moves."""
    content = (POLICIES / "kododo-4p.onnx").read_bytes()
    rng = np.random.default_rng(0)
    path = tmp_path / "flipped.onnx"
    for place in rng.integers(0, 8 * len(content), 150):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        assert "damaged" in error_of(path) or "no digest" in error_of(path), place


@pytest.mark.parametrize("length", [0, 1, 40, -1, -64, -87, None])
def test_a_file_that_is_cut_or_goes_on_is_rejected(length: int | None, policy: Path) -> None:
    policy.write_bytes(policy.read_bytes()[:length] + b"\x08\x08" * (length is None))
    assert any(words in error_of(policy) for words in ("damaged", "no digest"))


def with_shapes(model: Model) -> Model:
    return onnx.shape_inference.infer_shapes(model)


def with_a_producer(model: Model) -> Model:
    model.producer_name = "another"
    return model


@pytest.mark.parametrize("change", [with_shapes, with_a_producer])
def test_a_policy_that_another_program_has_written_again_can_be_adopted(
    change: Callable[[Model], Model], tmp_path: Path
) -> None:
    """The error was only that it is damaged."""
    path = tmp_path / "again.onnx"
    adopted = tmp_path / "adopted.onnx"
    model = onnx.load(write_policy(path, "kododo", 2))
    path.write_bytes(change(model).SerializeToString())
    assert "kododo adopt" in error_of(path)
    export(path, registry.batch_game("kododo", 1, num_players=2), adopted)
    assert OnnxAgent(adopted).metadata.game == "kododo"


def test_a_file_without_a_digest_is_rejected(tmp_path: Path) -> None:
    """Files of older versions have none."""
    model = onnx.load(POLICIES / "combi_combo-4p.onnx")
    del model.metadata_props[1:]
    path = tmp_path / "old.onnx"
    path.write_bytes(model.SerializeToString())
    assert "it has no digest" in error_of(path)


# --- graphs ---------------------------------------------------------------------------------


def with_node(operator: str, inputs: list[str], **attributes: Any) -> Change:
    """Add a node whose output is not used."""

    def change(model: Model) -> None:
        node = helper.make_node(operator, inputs, [f"more_{len(model.graph.node)}"], **attributes)
        model.graph.node.append(node)

    return change


def with_constant(name: str, numbers: Any) -> Change:
    return lambda model: model.graph.initializer.append(
        numpy_helper.from_array(np.asarray(numbers), name)
    )


def combine(*changes: Change) -> Change:
    def change(model: Model) -> None:
        for step in changes:
            step(model)

    return change


def answer(name: str, *nodes: onnx.NodeProto) -> Change:
    """Rename an output to ``before``, and compute it by further nodes."""

    def change(model: Model) -> None:
        for node in model.graph.node:
            node.output[:] = ["before" if end == name else end for end in node.output]
            node.input[:] = ["before" if end == name else end for end in node.input]
        model.graph.node.extend(nodes)

    return change


def end_type(side: str, place: int, kind: int, shape: list[int | str]) -> Change:
    """Change the type of an input or output."""

    def change(model: Model) -> None:
        end = getattr(model.graph, side)[place]
        end.CopyFrom(helper.make_tensor_value_info(end.name, kind, shape))

    return change


def body(operator: str) -> onnx.GraphProto:
    out = helper.make_tensor_value_info("out", TensorProto.BOOL, [])
    return helper.make_graph([helper.make_node(operator, ["go"], ["out"])], "body", [], [out])


def outside(model: Model) -> None:
    tensor = model.graph.initializer[1]
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/passwd")
    tensor.ClearField("raw_data")


def half_outside(model: Model) -> None:
    """The runtime would silently read such weights from the folder of the file."""
    model.graph.initializer[1].external_data.add(key="location", value="weights.bin")


def with_function(model: Model) -> None:
    opset = [helper.make_opsetid("", 18)]
    node = helper.make_node("Abs", ["a"], ["b"])
    model.functions.append(helper.make_function("own", "F", ["a"], ["b"], [node], opset))


def with_sparse(model: Model) -> None:
    values = numpy_helper.from_array(np.ones(1, np.float32), "sparse")
    places = numpy_helper.from_array(np.zeros(1, np.int64), "places")
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [1 << 40]))


def typed_data(model: Model) -> None:
    model.graph.initializer.append(helper.make_tensor("typed", TensorProto.FLOAT, [1], [1.0]))


def too_large(model: Model) -> None:
    model.graph.initializer[0].dims.extend([1 << 40])


def growing(operator: str, *constants: Any, **attributes: Any) -> Change:
    """Add a node with small constants and a huge output."""
    names = [f"operand_{place}" for place in range(len(constants))]
    additions = map(with_constant, names, constants)
    return combine(*additions, with_node(operator, names, **attributes))


def divided(operator: str, number: Any, by: Any) -> Change:
    """Add a division of constant integers."""
    constants = with_constant("number", number), with_constant("by", by)
    return combine(*constants, with_node(operator, ["number", "by"]))


ROW = np.ones((1, 30_000), np.float32)
COLUMN = np.ones((30_000, 1), np.float32)
PLACES = np.zeros(30_000, np.int64)
F32 = TensorProto.FLOAT
F64 = TensorProto.DOUBLE
U8 = TensorProto.UINT8
I8 = TensorProto.INT8
NAN = with_constant("nan", np.float32(np.nan))
GO = with_constant("go", np.bool_(True))
LONG = with_constant("trips", np.int64(2**62))
GRAPHS: dict[str, tuple[Change, str]] = {
    "observation of another type": (
        end_type("input", 0, F32, ["N", 104]),
        "observation must be tensor(uint8) of shape ['N', 104], got tensor(float) of ['N', 104]",
    ),
    "observation of another rank": (
        end_type("input", 0, U8, ["N", 104, 1]), "got tensor(uint8) of ['N', 104, 1]"
    ),
    "observation of another size": (
        end_type("input", 0, U8, ["N", 103]), "got tensor(uint8) of ['N', 103]"
    ),
    "one position only": (end_type("input", 0, U8, [1, 104]), "got tensor(uint8) of [1, 104]"),
    "mask of another type": (end_type("input", 1, U8, ["N", 15]), "action_mask must be"),
    "mask of another size": (end_type("input", 1, I8, ["N", 16]), "action_mask must be"),
    "no logits": (lambda m: m.graph.output.pop(0), "not those of a policy"),
    "no mask": (
        combine(
            lambda m: m.graph.input.pop(1), with_constant("action_mask", np.ones((1, 15), "i1"))
        ),
        "not those of a policy",
    ),
    "further input": (
        lambda m: m.graph.input.append(helper.make_tensor_value_info("more", F32, [1])),
        "not those of a policy",
    ),
    "further output": (
        combine(
            with_node("Relu", ["legal"]),
            lambda m: m.graph.output.append(helper.make_tensor_value_info("more_4", F32, None)),
        ),
        "not those of a policy",
    ),
    "name with control characters": (
        lambda m: m.graph.input.append(helper.make_tensor_value_info("\x1b[2J\n", F32, [1])),
        "not those of a policy",
    ),
    "double logits": (
        combine(
            answer("logits", helper.make_node("Cast", ["before"], ["logits"], to=F64)),
            end_type("output", 0, F64, ["N", 15]),
        ),
        "logits must be tensor(float)",
    ),
    "value of another rank": (
        combine(
            answer("value", helper.make_node("Unsqueeze", ["before", "axis"], ["value"])),
            end_type("output", 1, F32, ["N", 1]),
        ),
        "value must be tensor(float)",
    ),
    "values not as declared": (
        answer("value", helper.make_node("Concat", ["before", "before"], ["value"], axis=0)),
        "expected value of shape (1,), got (2,)",
    ),
    "NaN among the logits": (
        combine(NAN, answer("logits", helper.make_node("Add", ["before", "nan"], ["logits"]))),
        "outputs nan as logits",
    ),
    "infinite value": (
        combine(
            with_constant("zero", np.float32(0)),
            answer("value", helper.make_node("Div", ["before", "zero"], ["value"])),
        ),
        "outputs inf as value",
    ),
    "illegal actions": (
        combine(
            with_constant("zero", np.float32(0)),
            answer("logits", helper.make_node("Sub", ["zero", "before"], ["logits"])),
        ),
        "illegal action the highest logit",
    ),
    "custom operation": (
        combine(
            with_node("Anything", ["legal"], domain="my.own"),
            lambda m: m.opset_import.append(helper.make_opsetid("my.own", 1)),
        ),
        "unsupported operator my.own.Anything",
    ),
    "the runtime's own operation": (
        with_node("FusedMatMul", ["legal", "legal"], domain="com.microsoft"),
        "unsupported operator com.microsoft.FusedMatMul",
    ),
    "operation with control characters": (with_node("A\x1b[31m\nB", []), "operator A?[31m B"),
    "endless loop": (
        combine(GO, LONG, with_node("Loop", ["trips", "go"], body=body("Identity"))),
        "attribute has the unsupported field 6",
    ),
    "branch": (
        combine(GO, with_node("If", ["go"], then_branch=body("Not"), else_branch=body("Not"))),
        "unsupported field 6",
    ),
    "constant as an attribute": (
        with_node("Constant", [], value=numpy_helper.from_array(np.ones(3))), "unsupported field 5"
    ),
    "random numbers": (with_node("RandomNormal", [], shape=[10]), "operator RandomNormal"),
    "huge allocation": (
        combine(with_constant("size", [1 << 40]), with_node("ConstantOfShape", ["size"])),
        "operator ConstantOfShape",
    ),
    "huge expansion": (
        combine(with_constant("size", [1 << 20, 1 << 20]), with_node("Expand", ["one", "size"])),
        "its graph fails",
    ),
    "huge range": (
        combine(
            with_constant("first", np.int64(0)),
            with_constant("step", np.int64(1)),
            with_constant("last", np.int64(1 << 40)),
            with_node("Range", ["first", "last", "step"]),
        ),
        "its graph fails",
    ),
    "huge product": (growing("Mul", ROW, COLUMN), "its graph fails"),
    "huge Gemm": (growing("Gemm", COLUMN, COLUMN, transB=1), "its graph fails"),
    "huge MatMul": (growing("MatMul", COLUMN, ROW), "its graph fails"),
    "huge Gather": (growing("Gather", ROW, PLACES), "its graph fails"),
    "huge GatherND": (growing("GatherND", ROW, PLACES[:, None]), "its graph fails"),
    "huge Where": (growing("Where", COLUMN > 0, ROW, ROW), "its graph fails"),
    "index out of range": (
        combine(with_constant("place", [99]), with_node("Gather", ["legal", "place"], axis=1)),
        "indices element out of data bounds",
    ),
    "the least number by -1": (
        divided("Div", np.int64(-(2**63)), np.int64(-1)), "Div may divide integers by 0 or -1"
    ),
    "the rest of it": (
        divided("Mod", np.int64(-(2**63)), np.int64(-1)), "Mod may divide integers by 0 or -1"
    ),
    "the least number of 32 bits by -1": (
        divided("Div", np.int32(-(2**31)), np.array([2, -1], "i4")), "integers by 0 or -1"
    ),
    "by 0": (divided("Mod", np.uint8(7), np.uint8(0)), "integers by 0 or -1"),
    "by what is seen": (
        with_node("Div", ["observation", "observation"]), "integers by 0 or -1"
    ),
    "by what is computed": (
        combine(divided("Sub", 1, 2), with_node("Mod", ["number", "more_4"])),
        "integers by 0 or -1",
    ),
    "places within stacks": (
        combine(
            with_constant("numbers", np.ones((3, 3), np.int32)),
            with_constant("places", np.zeros(0, np.int64)),
            with_node("GatherND", ["numbers", "places"], batch_dims=-2),
        ),
        "GatherND with batch_dims",
    ),
    "statistics of the batch": (
        combine(
            with_constant("square", np.ones((3, 3), np.float32)),
            with_constant("three", np.ones(3, np.float32)),
            with_node("BatchNormalization", ["square", *["three"] * 4], training_mode=1),
        ),
        "BatchNormalization with training_mode",
    ),
    "nothing in a sum": (
        with_node("Sum", ["legal", ""]), "Sum lacks a required input"
    ),
    "nothing among the largest": (
        with_node("Max", ["legal", "", "one"]),
        "Max lacks a required input",
    ),
    "nothing among the smallest": (
        with_node("Min", ["legal", ""]), "Min lacks a required input"
    ),
    "a part for nobody": (
        lambda m: m.graph.node.append(
            helper.make_node("Split", ["legal"], ["part", ""], num_outputs=2, axis=1)
        ),
        "Split lacks a required input",
    ),
    "cycle": (
        combine(with_node("Relu", ["more_5"]), with_node("Relu", ["more_4"])), "onnxruntime"
    ),
    # Below onnxruntime 1.26 the error did not name it.
    "name that is nowhere": (with_node("Relu", ["nowhere"]), "nowhere"),
    "logits that are double, undeclared": (
        answer("logits", helper.make_node("Cast", ["before"], ["logits"], to=F64)), "onnxruntime"
    ),
    "attribute that is not the operation's": (with_node("Relu", ["legal"], axis=1), "onnxruntime"),
    "operators of the future": (
        lambda m: setattr(m.opset_import[0], "version", 999), "cannot open"
    ),
    "format of the future": (lambda m: setattr(m, "ir_version", 999), "cannot open"),
    "no operators": (lambda m: m.ClearField("opset_import"), "onnxruntime"),
    "no graph": (lambda m: m.ClearField("graph"), "no graph"),
    "empty graph": (lambda m: m.graph.Clear(), "cannot open"),
    "weights outside": (outside, "weights are in another file"),
    "weights inside and outside": (half_outside, "weights are in another file"),
    "function": (with_function, "model has the unsupported field 25"),
    "sparse weights": (with_sparse, "graph has the unsupported field 15"),
    "weights not as bytes": (typed_data, "initializer has the unsupported field 4"),
    "weights larger than the file": (too_large, "size of a tensor does not match"),
    "weights of no type": (
        lambda m: setattr(m.graph.initializer[0], "data_type", 99), "unsupported type 99"
    ),
    "cast to no type": (with_node("Cast", ["legal"], to=29), "onnxruntime"),
    "name used twice": (with_constant("one", np.float32(2)), "a name is used twice"),
    "too many parts": (
        lambda m: m.graph.node.extend([helper.make_node("Abs", ["legal"], ["x"])] * 30_000),
        "too many parts",
    ),
}  # fmt: skip
BY_NUMPY = {
    "custom operation": "my.own.Anything",
    "index out of range": "out of bounds",
    "cycle": "input 'more_5' of Relu",
    "name that is nowhere": "input 'nowhere' of Relu",
    "logits that are double, undeclared": "must be tensor(float) as declared, got float64",
    "attribute that is not the operation's": "Relu with axis 1 needs onnxruntime",
    "cast to no type": "unsupported type 29",
    "operators of the future": "got IR version 8 with opsets [999]",
    "format of the future": "got IR version 999 with opsets [18]",
    "no operators": "got IR version 8 with opsets []",
    "empty graph": "not those of a policy",
    "huge expansion": "Expand needs more than 536,870,912 bytes",
    "huge range": "Range needs more than 536,870,912 bytes",
    "huge product": "Mul needs more than 536,870,912 bytes",
    **{
        f"huge {operator}": f"{operator} needs more than 536,870,912 bytes"
        for operator in ("Gemm", "MatMul", "Gather", "GatherND", "Where")
    },
}
"""The words of numpy where they differ from those of onnxruntime."""


@pytest.mark.parametrize(
    "change",
    [
        combine(
            with_constant("none", np.zeros(0, np.int64)), with_node("Gather", ["legal", "none"])
        ),
        divided("Div", np.int64(-(2**63)), np.int64(-2)),
        divided("Mod", np.int32(-(2**31)), np.array([5, 6], "i4")),
        divided("Div", np.uint8(7), np.uint8(255)),
        divided("Div", np.float32(7), np.float32(0)),
        with_node("Div", ["one", "legal"]),  # the constant has no integer type
    ],
)
def test_arrays_of_no_numbers_and_harmless_divisions_are_played(
    change: Change, runtime: str, tmp_path: Path
) -> None:
    model = tiny_model("kododo", 2)
    change(model)
    OnnxAgent(write_model(tmp_path / "p.onnx", model))


@pytest.mark.parametrize("where", ["attribute", "node", "graph", "output"])
def test_a_name_that_is_no_text_is_rejected_before_the_runtime_sees_it(
    where: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Onnxruntime printed a banner to standard output, and that it tries again."""
    model = tiny_model("kododo", 2)
    word = "no text at all"
    nodes = model.graph.node
    {
        "attribute": lambda: nodes[0].attribute.add(name=word, type=2, i=1),
        "node": lambda: setattr(nodes[0], "name", word),
        "graph": lambda: setattr(model.graph, "name", word),
        "output": lambda: model.graph.output.add(name=word),
    }[where]()
    path = tmp_path / "p.onnx"
    path.write_bytes(sealed(model.SerializeToString().replace(word.encode(), b"\xff" * len(word))))
    assert "damaged: its text is not UTF-8" in error_of(path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("fault", GRAPHS)
def test_a_graph_of_no_policy_is_rejected(fault: str, runtime: str, tmp_path: Path) -> None:
    change, words = GRAPHS[fault]
    words = BY_NUMPY.get(fault, words) if runtime == "numpy" else words
    model = tiny_model("kododo", 2)
    change(model)
    message = error_of(write_model(tmp_path / "graph.onnx", model))
    assert "graph.onnx" in message
    assert words in message


def test_two_graphs_in_one_file_are_rejected(policy: Path) -> None:
    """Readers of protobuf merge them in different ways."""
    model = tiny_model("kododo", 2)
    policy.write_bytes(sealed(2 * model.SerializeToString()))
    assert "ir_version of model is damaged" in error_of(policy)


def test_a_graph_that_takes_too_long_is_cut(
    runtime: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_model("kododo", 2)
    with_constant("square", np.eye(400, dtype=np.float32))(model)
    last = "square"
    for _ in range(200):
        with_node("MatMul", [last, "square"])(model)
        last = model.graph.node[-1].output[0]
    monkeypatch.setattr(onnx_validation, "SECONDS", 0.01)
    message = error_of(write_model(tmp_path / "long.onnx", model))
    assert "more than 0.01 seconds" in message
    assert runtime != "numpy" or "stopped before MatMul" in message


def test_a_network_that_gives_nan_later_is_named(policy: Path, tmp_path: Path) -> None:
    """NaN in a position that the trial lacks: one line, not an illegal action in a tournament."""

    def unless_one_is_seen(model: Model) -> None:
        with_constant("few", np.uint8(1))(model)
        with_constant("place", [3])(model)
        nodes = [
            helper.make_node("Gather", ["observation", "place"], ["seen"], axis=1),
            helper.make_node("Equal", ["seen", "few"], ["bad"]),
            helper.make_node("Where", ["bad", "nan", "before"], ["logits"]),
        ]
        combine(NAN, answer("logits", *nodes))(model)

    agent = OnnxAgent(changed(policy, tmp_path / "nan.onnx", unless_one_is_seen))
    observation = np.zeros((4, 104), np.uint8)
    mask = np.ones((4, 15), np.int8)
    assert np.isfinite(agent.evaluate(observation, mask)[0]).all()
    observation[2, 3] = 1
    with pytest.raises(ValueError, match=r"nan\.onnx.*outputs nan"):
        agent.evaluate(observation, mask)


# --- metadata -------------------------------------------------------------------------------

DEEP = 200_000 * "["
METADATA: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "temperature as text": (lambda m: m.update(temperature="0.5"), "temperature must be a finite"),
    "temperature too large": (lambda m: m.update(temperature=10**400), "temperature must be"),
    "temperature below zero": (lambda m: m.update(temperature=-1), "temperature must be 0 to 1000"),
    "temperature nan": (lambda m: m.update(temperature=float("nan")), "temperature must be"),
    "temperature true": (lambda m: m.update(temperature=True), "temperature must be a finite"),
    "no number of players": (lambda m: m.pop("num_players"), "lack the field num_players"),
    "players 2.0": (lambda m: m.update(num_players=2.0), "num_players must be an integer"),
    "version below zero": (lambda m: m.update(version=-1), "version must be 0 to"),
    "rules a list": (lambda m: m.update(rules=[]), "rules must be an object"),
    "rules nothing": (lambda m: m.update(rules=None), "rules must be an object"),
    "rules deep": (lambda m: m["rules"].update(x=eval("[" * 50 + "]" * 50)), "at most 16 deep"),
    "rules infinite": (lambda m: m["rules"].update(x=float("inf")), "a number in rules"),
    "rules large": (lambda m: m["rules"].update(x=2**65), "a number in rules"),
    "rule's name": (lambda m: m["rules"].update({"\x07": 1}), "rules must have"),
    "rule's text": (lambda m: m["rules"].update(variant="\x1b[2J"), "rules must have"),
    "game's name": (lambda m: m.update(game="kododo\n"), "game must have"),
    "game's name long": (lambda m: m.update(game="k" * 1001), "game must have"),
    "game a number": (lambda m: m.update(game=7), "game must be text"),
    "layout": (lambda m: m.update(layout="\x1b"), "layout must have"),
    "no pieces": (lambda m: m.update(pieces=[]), "the size of an obs"),
    "piece": (lambda m: m.update(pieces=[["a", 3]]), "each of pieces must be [name, shape"),
    "piece's shape": (lambda m: m["pieces"][0].__setitem__(1, 7), "each of pieces must be [name"),
    "piece's length": (lambda m: m["pieces"][0].__setitem__(1, [1.5]), "a piece's length"),
    "piece's size": (lambda m: m["pieces"][0].__setitem__(1, 12 * [9999]), "the size of an obs"),
    "piece's maximum": (lambda m: m["pieces"][0].__setitem__(2, 1 << 16), "a piece's maximum"),
    "another size": (lambda m: m["pieces"][0].__setitem__(1, [999]), "observation must be"),
    "another dtype": (lambda m: m["pieces"][0].__setitem__(2, 999), "observation must be"),
    "actions": (lambda m: m.update(actions={}), "actions must be a list"),
    "no actions": (lambda m: m.update(actions=[]), "the number of actions must be 1 to"),
    "action a number": (lambda m: m["actions"].__setitem__(0, 3), "actions must be a string"),
    "action's text": (lambda m: m["actions"].__setitem__(0, "a\rb"), "actions must have"),
    "fewer actions": (lambda m: m["actions"].pop(), "action_mask must be"),
    "training's text": (lambda m: m.update(training={"a": ["\x9b"]}), "training must have"),
    "training a list": (lambda m: m.update(training=[1]), "training must be an object"),
    "network a list": (lambda m: m.update(network=[2, 256]), "network must be an object"),
    "network's width": (lambda m: m.update(network={"width": 5000}), "network's width must be 1"),
    "network's depth": (lambda m: m.update(network={"depth": True}), "network's depth must be a"),
    "network's order": (lambda m: m.update(network={"sort": 1}), "sort must be true or false"),
    "network's name": (lambda m: m.update(network={"\x07": True}), "network must have"),
    "results": (lambda m: m.update(results=3), "results must be an object"),
    "right to left": (lambda m: m.update(results={"a\u202eb": 1}), "results must have"),
    "surrogate": (lambda m: m.update(training={"a": "\ud800"}), "training must have"),
    "further field": (lambda m: m.update({"code\x1b": "x"}), "unknown field 'code\\x1b'"),
    "format 2": (lambda m: m.update(format=2), "metadata format 1, got 2"),
    "format 1.0": (lambda m: m.update(format=1.0), "metadata format 1, got 1.0"),
    "format true": (lambda m: m.update(format=True), "metadata format 1, got True"),
    "no format": (lambda m: m.pop("format"), "lack the field format"),
    "huge": (lambda m: m.update(training={"a": MOST_CHARACTERS * "a"}), "have more than 262,144"),
}  # fmt: skip


@pytest.mark.parametrize("fault", METADATA)
def test_metadata_that_no_policy_has_are_rejected(fault: str, tmp_path: Path) -> None:
    change, words = METADATA[fault]
    model = tiny_model("kododo", 2)
    metadata = json.loads(model.metadata_props[0].value)
    change(metadata)
    helper.set_model_props(model, {KEY: json.dumps(metadata)})
    message = error_of(write_model(tmp_path / "metadata.onnx", model))
    assert "metadata.onnx" in message
    assert words in message


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{", '"format"', DEEP, '{"format": 1' + 10_000 * "0" + "}"]
)
def test_metadata_that_are_no_object_are_rejected(text: str, tmp_path: Path) -> None:
    model = tiny_model("kododo", 2)
    helper.set_model_props(model, {KEY: text})
    assert "metadata" in error_of(write_model(tmp_path / "p.onnx", model))


def test_metadata_are_not_taken_from_a_second_entry(tmp_path: Path) -> None:
    model = tiny_model("kododo", 2)
    model.metadata_props.append(model.metadata_props[0])
    assert "a name is used twice" in error_of(write_model(tmp_path / "p.onnx", model))


@pytest.mark.parametrize("training", [{"rate": np.float32(0.1)}, {1: 2, "b": 3}, {"of": {1, 2}}])
def test_metadata_that_are_not_json_are_rejected_in_one_line(training: dict[Any, Any]) -> None:
    """A user may pass them to ``export``; it was a TypeError of json."""
    metadata = replace(describe(registry.batch_game("kododo", 1)), training=training)
    with pytest.raises(ValueError, match=r"\Athe metadata are not JSON [^\n]+\Z"):
        metadata.to_json()


@pytest.mark.parametrize("temperature", [float("nan"), float("inf"), -0.1, 1e9, "1", True])
def test_the_temperature_argument_is_checked(temperature: Any, policy: Path) -> None:
    assert "temperature must be" in error_of(policy, temperature)


@pytest.mark.parametrize("threads", ["2", 1.5, -1, True])
def test_the_threads_argument_is_checked(threads: Any, policy: Path) -> None:
    with pytest.raises(ValueError, match=r"^threads must be [^\n]+$"):
        OnnxAgent(policy, threads=threads)


@pytest.mark.parametrize(("scale", "offset"), [(1 / 7, 0), (1, 256), (1, float("nan")), (-1, 0)])
def test_observations_that_the_game_does_not_tell_are_rejected(scale: float, offset: float) -> None:
    """They were truncated to the policy's dtype, which left mostly zeros."""
    agent = kododo_env.load("kododo-4p")
    game = registry.batch_game("kododo", 5, seed=0)
    observation = game.observe()[:, 0].astype(np.float32)
    mask = game.legal_action_mask()[:, 0]
    logits, _ = agent.evaluate(observation, mask)
    assert np.array_equal(logits, agent.evaluate(observation.astype(np.uint8), mask)[0])
    with pytest.raises(ValueError, match=r"observation.*integers of uint8.*normalis"):
        agent.evaluate(observation * scale + offset, mask)


# --- files that are none --------------------------------------------------------------------


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(3_000_000_000)


def just_too_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)


FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "sparse": (sparse, "it has 3,000,000,000 bytes, at most 33,554,432 are read"),
    "just too large": (just_too_large, "it has 33,554,433 bytes"),
    "pipe": (os.mkfifo, "not a regular file"),
    "folder": (Path.mkdir, "Is a directory"),
    "endless": (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
    "a link to itself": (lambda path: path.symlink_to(path), "Too many levels"),
    "nothing": (lambda path: None, "No such file"),
}


@pytest.mark.parametrize("fault", FILES)
def test_only_an_ordinary_file_of_a_policys_size_is_read(fault: str, tmp_path: Path) -> None:
    make, words = FILES[fault]
    make(tmp_path / "p.onnx")
    message = error_of(tmp_path / "p.onnx")
    assert message.startswith("cannot read policy file")
    assert words in message


def test_names_are_printed_without_control_characters(tmp_path: Path) -> None:
    path = write_policy(tmp_path / "a\x1b[31m\nb.onnx", "kododo", 2)
    assert OnnxAgent(path).name == "a?[31m b"
    path.write_text("hello")
    assert "a?[31m b.onnx is not a policy file, or it is damaged" in error_of(path)


def test_what_is_no_model_at_all_is_said_in_plain_words(tmp_path: Path) -> None:
    path = write_policy(tmp_path / "p.onnx", "kododo", 2)
    path.write_bytes(path.read_bytes().replace(b"logits", b"log\x90ts"))
    assert error_of(path).endswith("its text is not UTF-8")
    path.write_bytes(b"PK\x03\x04")
    assert error_of(path).endswith("it is a zip archive, perhaps a checkpoint")


# --- play -----------------------------------------------------------------------------------


@for_every_policy
def test_few_positions_are_answered_as_among_many(name: str) -> None:
    """Evaluate in one call, in blocks and in small batches, also from several threads."""
    agent = kododo_env.load(name)
    assert isinstance(agent, OnnxAgent)
    number = ROWS + 21  # two blocks
    observation, mask = (array[:number] for array in positions(game_of(agent.metadata), number))
    logits, values = agent.evaluate(observation, mask)
    assert logits.shape == mask.shape
    assert values.shape == (number,)
    blocks = [slice(at, at + size) for size in (1, 2, 17) for at in range(0, 120, size)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda rows: agent.evaluate(observation[rows], mask[rows]), blocks))
    for rows, (some_logits, some_values) in zip(blocks, answers, strict=True):
        assert np.allclose(some_logits, logits[rows], rtol=1e-5, atol=1e-5)
        assert np.allclose(some_values, values[rows], rtol=1e-5, atol=1e-5)


def test_a_view_of_another_game_is_rejected_whatever_is_asked(policy: Path) -> None:
    """Probabilities and values were returned by wrong rules."""
    agent = OnnxAgent(policy)
    rng = np.random.default_rng(0)
    rules = {"num_players": 2, "variant": "long", "target_score": 7}
    view = registry.batch_game("kododo", 2, 0, **rules).view(0)
    for ask in (agent.probabilities, agent.value, lambda view: agent.act(view, rng)):
        with pytest.raises(ValueError, match="it is for rule target_score 50, not 7"):
            ask(view)
