"""Policy files in float32 and int32 only: the same outputs, and no types that engines lack."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from agents.commands.plain_export import PlainConfig, plain
from agents.export.policy_weights import game_of, network_of
from agents.export.precision import write_plain
from kododo_env.agent_registry import POLICIES, shipped
from kododo_env.core.agent import first_of_best
from kododo_env.export.parity import positions
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.search.outcome_model import softmax
from tests.command_line import run
from tests.policy.test_ties import unlucky

LACKING = {
    TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.UINT8, TensorProto.INT8,
    TensorProto.UINT16, TensorProto.INT16,
}  # fmt: skip


def written(name: str, folder: Path) -> Path:
    path = folder / "plain.onnx"
    write_plain(POLICIES / f"{name}.onnx", path)
    return path


@pytest.mark.parametrize("name", shipped())
def test_it_plays_as_the_file_that_ships(name: str, tmp_path: Path) -> None:
    usual = OnnxAgent(POLICIES / f"{name}.onnx")
    plain = OnnxAgent(written(name, tmp_path))
    observation, mask = positions(game_of(usual.metadata), 3000, seed=2)
    assert len(mask) >= 3000
    logits, values = usual.evaluate(observation, mask)
    plain_logits, plain_values = plain.evaluate(observation, mask)
    clear = ~unlucky(plain_logits)
    assert clear.sum() >= 2990
    assert np.array_equal(first_of_best(plain_logits)[clear], first_of_best(logits)[clear])
    assert np.abs(softmax(plain_logits) - softmax(logits)).max() < 1e-5
    assert np.abs(plain_values - values).max() < 1e-5


@pytest.mark.parametrize("name", shipped())
def test_no_tensor_is_of_a_type_that_small_engines_lack(name: str, tmp_path: Path) -> None:
    model = onnx.shape_inference.infer_shapes(onnx.load(written(name, tmp_path)), strict_mode=True)
    graph = model.graph
    inputs = {end.name: end.type.tensor_type.elem_type for end in graph.input}
    assert inputs == dict.fromkeys(("observation", "action_mask"), TensorProto.INT32)
    types = {tensor.name: tensor.data_type for tensor in graph.initializer}
    for info in (*graph.value_info, *graph.output):
        types[info.name] = info.type.tensor_type.elem_type
    assert {name for node in graph.node for name in node.output} <= set(types)
    assert LACKING & {*types.values()} == set()
    weights = [name for name in types if name.endswith(("weight", "bias"))]
    assert {types[name] for name in weights} == {TensorProto.FLOAT}
    casts = [node for node in graph.node if node.op_type == "Cast"]
    assert all(types.get(node.input[0]) != types[node.output[0]] for node in casts)


def test_nothing_is_written_where_the_metadata_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "plain.meta.json").mkdir()
    with pytest.raises(ValueError, match=r"cannot write [^\n]*plain\.meta\.json: it is a folder"):
        write_plain(POLICIES / "kododo-2p.onnx", tmp_path / "plain.onnx")
    assert [file.name for file in tmp_path.iterdir()] == ["plain.meta.json"]


def test_its_metadata_are_those_of_the_policy_in_it_and_beside_it(tmp_path: Path) -> None:
    metadata = OnnxAgent(POLICIES / "kado-2p.onnx").metadata
    assert OnnxAgent(written("kado-2p", tmp_path)).metadata == metadata
    beside = json.loads((tmp_path / "plain.meta.json").read_text())
    assert beside == json.loads(metadata.to_json())


def test_it_has_the_same_network_and_is_plain_already(tmp_path: Path) -> None:
    path = written("combi_combo-4p", tmp_path)
    usual = network_of(POLICIES / "combi_combo-4p.onnx").state_dict()
    for name, tensor in network_of(path).state_dict().items():
        assert np.array_equal(tensor.numpy(), usual[name].numpy())
    copy = tmp_path / "again.onnx"
    write_plain(path, copy)
    assert copy.read_bytes() == path.read_bytes()


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.onnx"
    done = run(capsys, PlainConfig, plain, ("kododo-2p", str(out)))
    assert done == (0, f"{out}\n{tmp_path}/out.meta.json\n", "")
    assert OnnxAgent(out).metadata.num_players == 2
    content = out.read_bytes()
    missing = str(tmp_path / "no" / "out.onnx")
    for arguments, words in [
        (("kododo-9p", str(tmp_path / "other.onnx")), "cannot read policy file kododo-9p: No such"),
        (("kododo-2p", "."), ". must end with .onnx"),
        ((str(out), f"{tmp_path}/./out.onnx"), "is the policy itself"),
        (("kododo-2p", missing), f"{missing}: No such file or directory"),
    ]:
        code, output, error = run(capsys, PlainConfig, plain, arguments)
        assert (code, output, error.count("\n")) == (2, "", 1)
        assert words in error
    assert out.read_bytes() == content
    assert {path.name for path in tmp_path.iterdir()} == {"out.onnx", "out.meta.json"}
