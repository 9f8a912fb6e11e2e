"""Policies without onnxruntime: numpy and the runtime give the same outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

from agents.export.policy_weights import game_of
from agents.export.precision import halved
from kododo_env.agent_registry import POLICIES, SUFFIX
from kododo_env.arrays.dtypes import Array
from kododo_env.export.parity import positions
from kododo_env.export.policy_graph import policy_bytes
from kododo_env.held_out import HELD_OUT_POLICIES
from kododo_env.policy import numpy_operators, onnx_validation
from kododo_env.policy.numpy_operators import OPERATORS
from kododo_env.policy.numpy_session import NumpySession
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.onnx_file import ALLOWED_OPERATORS
from kododo_env.policy.onnx_graph import read_graph
from tests.game_tables import GAMES
from tests.policy.policy_files import Change, changed, tiny_model, write_model, write_policy
from tests.policy.test_policy_files import COLUMN, ROW, check_portable, growing, with_node
from tests.policy_exports import exported

POSITIONS = 2_000
# Relative to the largest logit or value; sums of float32 are in another order.
TOLERANCE = 1e-5
FILES = [*POLICIES.glob(f"*{SUFFIX}"), *HELD_OUT_POLICIES.glob(f"*{SUFFIX}")]


def with_numpy(path: Path) -> OnnxAgent:
    """Return an agent as without onnxruntime."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx_validation, "SESSION", NumpySession)
        return OnnxAgent(path)


def check_same_answers(path: Path, count: int = POSITIONS) -> None:
    """Check that both runtimes give the same outputs for a policy file."""
    runtime = OnnxAgent(path)
    numpy = with_numpy(path)
    assert (type(runtime._session), type(numpy._session)) == (onnx_validation.SESSION, NumpySession)
    observation, mask = positions(game_of(runtime.metadata), count, seed=2)
    legal = mask == 1
    (logits, values), (numpy_logits, numpy_values) = (
        agent.evaluate(observation, mask) for agent in (runtime, numpy)
    )
    assert numpy_logits.dtype == numpy_values.dtype == np.float32
    assert np.array_equal(numpy_logits[~legal], logits[~legal])
    largest = np.abs(logits[legal]).max()
    assert np.abs(numpy_logits - logits)[legal].max() <= TOLERANCE * largest
    near = TOLERANCE * np.fmax.reduce(np.abs(values), initial=0)
    assert np.allclose(
        numpy_values, values, rtol=0, atol=near, equal_nan=True
    )  # NaN if it has no value
    # The best action is the same unless two are that close.
    rows = np.arange(len(mask))
    assert (
        logits.max(axis=1) - logits[rows, numpy_logits.argmax(axis=1)] <= 2 * TOLERANCE * largest
    ).all()


# --- whole files ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_file_that_comes_with_the_project(path: Path) -> None:
    check_same_answers(path)


TOO_MUCH = {
    "LayerNormalization needs more than 536,870,912 b": growing("LayerNormalization", ROW, COLUMN),
    "Split declares 1000000000 outputs": with_node("Split", ["legal"], num_outputs=10**9),
}


@pytest.mark.parametrize("words", TOO_MUCH)
def test_a_trial_takes_no_more_memory_than_it_may(words: str, tmp_path: Path) -> None:
    """Each of these took some gigabytes."""
    model = tiny_model("kododo", 2)
    TOO_MUCH[words](model)
    with pytest.raises(ValueError, match=words):
        with_numpy(write_model(tmp_path / "p.onnx", model))


# KADO has all kinds of axes along which weights are tied.
@pytest.mark.parametrize(("game", "tied"), [*((game, False) for game in GAMES), ("kado", True)])
def test_an_exported_network_has_the_same_answers(
    game: str, tied: bool, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The product of keys and observations was fused again in new files only."""
    _, _, whole = exported(tmp_path_factory, game, tied)
    check_portable(onnx.load(whole))
    check_same_answers(whole)
    half = tmp_path / "half.onnx"
    half.write_bytes(policy_bytes(halved(onnx.load(whole)), OnnxAgent(whole).metadata))
    check_same_answers(half)


# --- operator by operator -------------------------------------------------------------------

F = np.float32
D = np.float64
I32 = np.int32
L = np.int64
RNG = np.random.default_rng(0)


def floats(*shape: int) -> Array:
    return RNG.normal(size=shape).astype(F)


def whole(*shape: int, low: int = -5, dtype: Any = L) -> Array:
    return RNG.integers(low, 6, shape).astype(dtype)


def truths(*shape: int) -> Array:
    return RNG.random(shape) < 0.5


def places(*numbers: int) -> Array:
    return np.array(numbers, L)


NONZERO = np.array([-3, -2, -1, 1, 2, 3], L)
CASES: list[tuple[str, list[Array | None], dict[str, Any]]] = [
    ("Add", [floats(2, 3), floats(3)], {}),
    ("Add", [whole(2, 3, dtype=I32), whole(2, 1, dtype=I32)], {}),
    ("And", [truths(5), truths(5)], {}),
    ("ArgMax", [np.array([[1, 3, 3], [2, 2, 1]], F)], {"axis": 1}),
    ("ArgMax", [floats(2, 3)], {"axis": -1, "keepdims": 0}),
    ("Cast", [floats(9) * 9], {"to": onnx.TensorProto.INT32}),
    ("Cast", [whole(9)], {"to": onnx.TensorProto.BOOL}),
    ("Cast", [floats(9)], {"to": onnx.TensorProto.FLOAT16}),
    ("Cast", [truths(9)], {"to": onnx.TensorProto.DOUBLE}),
    ("Clip", [whole(9), np.array(-2, L), np.array(3, L)], {}),
    ("Clip", [floats(9), None, np.array(0.5, F)], {}),
    ("Clip", [floats(9), np.array(0.5, F)], {}),
    ("Concat", [floats(2, 3), floats(2, 1)], {"axis": 1}),
    ("Concat", [floats(2, 3), floats(1, 3)], {"axis": -2}),
    ("CumSum", [floats(3, 4), np.array(1, L)], {}),
    ("CumSum", [floats(3, 4), np.array([1], L)], {}),
    ("Div", [floats(6), floats(6)], {}),
    ("Div", [whole(4, 6), NONZERO], {}),
    ("Equal", [whole(9), whole(9)], {}),
    ("Expand", [floats(3, 1), places(2, 1, 4)], {}),
    ("Floor", [floats(9)], {}),
    ("Gather", [floats(4, 3), places(3, 0, -1)], {}),
    ("Gather", [floats(2, 5), np.array([[0, 4], [-2, 1]], L)], {"axis": 1}),
    ("Gather", [floats(2, 5), np.array(1, L)], {"axis": -1}),
    ("GatherElements", [floats(2, 5), np.array([[0, 4], [-2, 1]], L)], {"axis": 1}),
    ("GatherElements", [floats(5, 2), np.array([[0, 4], [-2, 1]], L)], {}),
    ("GatherElements", [floats(3, 5, 4), np.array([[[3], [-1]]], L)], {"axis": 2}),
    ("GatherND", [floats(3, 4, 2), np.array([[0, 1], [2, -1]], L)], {}),
    ("GatherND", [floats(3, 4), np.array([[[0], [2]]], L)], {}),
    ("Gemm", [floats(2, 3), floats(3, 4)], {}),
    ("Gemm", [floats(2, 3), floats(4, 3), floats(4)], {"transB": 1}),
    ("Gemm", [whole(2, 3).astype(D), whole(3, 4).astype(D)], {}),
    ("Greater", [floats(9), floats(9)], {}),
    ("GreaterOrEqual", [whole(9), whole(9)], {}),
    ("LayerNormalization", [floats(3, 4), floats(4), floats(4)], {}),
    ("LayerNormalization", [floats(3, 4, 5), floats(4, 5)], {"axis": 1, "epsilon": 0.1}),
    ("Less", [whole(9, dtype=I32), whole(9, dtype=I32)], {}),
    ("LessOrEqual", [floats(9), floats(9)], {}),
    ("MatMul", [floats(2, 3), floats(3, 4)], {}),
    ("MatMul", [floats(5, 2, 3), floats(3, 4)], {}),
    ("Max", [floats(2, 3), floats(3), floats(2, 1)], {}),
    ("Min", [whole(2, 3), whole(3)], {}),
    ("Mod", [whole(4, 6), NONZERO], {}),
    ("Mul", [floats(2, 3), floats(2, 1)], {}),
    ("Not", [truths(5)], {}),
    ("Or", [truths(5), truths(5)], {}),
    ("Range", [np.array(2, L), np.array(11, L), np.array(3, L)], {}),
    ("Range", [np.array(5, L), np.array(0, L), np.array(-2, L)], {}),
    ("ReduceMax", [floats(2, 3, 4), places(1)], {}),
    ("ReduceMean", [floats(2, 3, 4), places(-1, 0)], {"keepdims": 0}),
    ("ReduceSum", [whole(2, 3, 4), places(1)], {"keepdims": 0}),
    ("ReduceSum", [floats(2, 3), places()], {}),
    ("Relu", [floats(9)], {}),
    ("Reshape", [floats(2, 3, 4), places(0, -1)], {}),
    ("Reshape", [floats(2, 3, 4), places(4, 6)], {"allowzero": 1}),
    ("Reshape", [floats(0, 3), places(3, 0)], {"allowzero": 1}),
    ("Shape", [floats(2, 3, 4)], {}),
    ("Shape", [floats(2, 3, 4)], {"start": -2, "end": -1}),
    ("Slice", [floats(5, 6), places(1), places(4)], {}),
    ("Slice", [floats(5, 6), places(-3, 0), places(2**62, 5), places(1, 0), places(1, 2)], {}),
    ("Slice", [floats(6), places(4), places(-(2**62)), places(0), places(-2)], {}),
    ("Slice", [floats(6), places(2**62), places(-7), places(0), places(-1)], {}),
    ("Slice", [floats(6), places(-1), places(-5), places(0), places(-1)], {}),
    ("Split", [floats(2, 7), places(3, 4)], {"axis": 1}),
    ("Split", [floats(7, 2)], {"num_outputs": 2}),
    ("Squeeze", [floats(1, 3, 1)], {}),
    ("Squeeze", [floats(1, 3, 1), places(-1)], {}),
    ("Sub", [floats(2, 3), floats(3)], {}),
    ("Tanh", [floats(9) * 3], {}),
    ("Transpose", [floats(2, 3, 4)], {}),
    ("Transpose", [floats(2, 3, 4)], {"perm": [1, 2, 0]}),
    ("Unsqueeze", [floats(2, 3), places(0, -1)], {}),
    ("Where", [truths(2, 3), floats(3), floats(2, 1)], {}),
]  # fmt: skip


ROUNDED = {"Gemm", "LayerNormalization", "MatMul", "ReduceMean", "ReduceSum", "Tanh"}
"""Operators whose last bits depend on the order of sums, or on how a function is computed."""


# The operators beyond those of shipped policies, and where they are needed.
NEEDED = {
    "LayerNormalization": "the encoder of docs/examples/agilerl_ppo.py",
    "Max": "actions that play two slots, in canonical form",
    "Min": "actions that play two slots, in canonical form",
    "Not": "networks that mask their logits, such as docs/examples/offline_clone.py",
    "ReduceMean": "QRDQN, which docs/exporting.md names",
    "Tanh": "the network in docs/exporting.md, and MlpPolicy of stable-baselines3",
}


def test_numpy_has_the_operators_that_are_needed_and_each_is_tried() -> None:
    graphs = [read_graph(path.read_bytes()) for path in POLICIES.parent.rglob(f"*{SUFFIX}")]
    shipped = {node.operator for graph in graphs for node in graph.nodes}
    assert not shipped & NEEDED.keys()
    assert OPERATORS.keys() == shipped | NEEDED.keys() == {operator for operator, _, _ in CASES}
    assert OPERATORS.keys() < ALLOWED_OPERATORS


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (with_node("Erf", ["value"]), "Erf"),
        (with_node("Gemm", ["legal", "legal"], transA=1), "Gemm with transA 1"),
    ],
)
def test_other_operators_need_onnxruntime(node: Change, words: str, tmp_path: Path) -> None:
    path = changed(write_policy(tmp_path / "p.onnx", "kododo", 2), tmp_path / "q.onnx", node)
    OnnxAgent(path)
    with pytest.raises(ValueError, match=rf"operator {words} needs onnxruntime: pip install"):
        with_numpy(path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_an_operator_gives_what_the_runtime_gives(
    case: tuple[str, list[Array | None], dict[str, Any]],
) -> None:
    operator, operands, attributes = case
    with np.errstate(all="ignore"):  # as in a session
        answer = OPERATORS[operator](*operands, **attributes)
    results = answer if isinstance(answer, list) else [answer]
    for result, expected in zip(results, by_the_runtime(*case, outputs=len(results)), strict=True):
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        if operator in ROUNDED:
            assert np.allclose(result, expected, rtol=1e-6, atol=1e-6)
        else:
            assert np.array_equal(result, expected)


PRODUCTS = [case for case in CASES if case[0] in ("Gemm", "MatMul")]


@pytest.mark.parametrize("case", PRODUCTS, ids=lambda case: case[0])
def test_a_product_is_the_same_where_numpy_has_no_blas(
    case: tuple[str, list[Array | None], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numpy_operators, "BLAS", False)
    test_an_operator_gives_what_the_runtime_gives(case)


def test_einsum_is_not_asked_to_repeat_a_single_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_operators, "BLAS", False)
    with pytest.raises(ValueError, match="matmul"):
        OPERATORS["MatMul"](floats(2, 1), floats(3, 4))


def by_the_runtime(
    operator: str, operands: list[Array | None], attributes: dict[str, Any], outputs: int
) -> list[Array]:
    """The answers of onnxruntime to one operation."""
    feed = {f"in_{place}": operand for place, operand in enumerate(operands) if operand is not None}
    kinds = {name: helper.np_dtype_to_tensor_dtype(operand.dtype) for name, operand in feed.items()}
    names = [f"in_{place}" if operand is not None else "" for place, operand in enumerate(operands)]
    results = [f"out_{place}" for place in range(outputs)]
    graph = helper.make_graph(
        [helper.make_node(operator, names, results, **attributes)],
        "one",
        [helper.make_tensor_value_info(name, kind, None) for name, kind in kinds.items()],
        [onnx.ValueInfoProto(name=name) for name in results],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    answers: list[Array] = session.run(results, feed)
    return answers


@pytest.mark.parametrize(
    ("operator", "operands"),
    [("Add", [floats(3), whole(3)]), ("Where", [truths(3), floats(3), whole(3)])],
)
def test_types_that_differ_are_an_error(operator: str, operands: list[Array]) -> None:
    """Numpy would have found a type for them."""
    with pytest.raises(ValueError, match="one type, got float32, int64"):
        OPERATORS[operator](*operands)


def test_nothing_is_written_into_a_constant() -> None:
    """A policy gives the same outputs again, also with a second one open."""
    content = (POLICIES / "kado-3p.onnx").read_bytes()
    session = NumpySession(content, 1, None)
    before = {name: array.copy() for name, array in session._constants.items()}
    policy = with_numpy(POLICIES / "kado-3p.onnx")
    observation, mask = positions(game_of(policy.metadata), 50)
    feed = {"observation": observation, "action_mask": mask}
    answers, repeat = (session.run(("logits", "value"), feed) for _ in range(2))
    assert all(map(np.array_equal, answers, repeat))
    assert all(np.array_equal(before[name], array) for name, array in session._constants.items())
