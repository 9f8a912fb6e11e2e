"""Exports of torch modules and ONNX files: equal choices in both runtimes, one-line errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper
from torch import Tensor, nn

from kododo_env import make_agent, registry
from kododo_env.agent_registry import policy_path
from kododo_env.core.agent import ValueAgent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.export import export
from kododo_env.export.parity import positions
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.wrappers.spaces import ObservationFormat
from tests.command_line import kododo
from tests.policy.test_numpy_session import check_same_answers

GAME = registry.batch_game("kododo", 1, num_players=3)
SIZE = GAME.layout.size
ACTIONS = GAME.num_actions
FLOAT16 = TensorProto.FLOAT16


class Net(nn.Module):
    """Logits and, optionally, a value."""

    def __init__(self, with_value: bool = True) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.with_value = with_value
        self.body = nn.Sequential(nn.Linear(SIZE, 16), nn.Tanh(), nn.LayerNorm(16))
        self.policy = nn.Linear(16, ACTIONS)
        self.value = nn.Linear(16, 1)

    def answers(self, observation: Tensor) -> Any:
        hidden = self.body(observation)
        logits = 3 * self.policy(hidden)
        return (logits, self.value(hidden)) if self.with_value else logits

    def forward(self, observation: Tensor) -> Any:
        return self.answers(observation)


class Masked(Net):
    """A common form: the mask as bool, and minus infinity."""

    def forward(self, observation: Tensor, action_mask: Tensor) -> Any:
        logits, value = self.answers(observation)
        return logits.masked_fill(~action_mask, -torch.inf), value


class OfDictionary(Net):
    def forward(self, inputs: dict[str, Tensor]) -> Any:
        logits, value = self.answers(inputs["observation"])
        return logits + (1 - inputs["action_mask"]) * -1e9, value


class OfRllib(Net):
    def forward(self, inputs: dict[str, Tensor]) -> Any:
        logits, value = self.answers(inputs["observations"])
        assert inputs["action_mask"].dtype == torch.float32
        return logits + (1 - inputs["action_mask"]) * -1e9, value


def check_plays(path: Path, choose: Callable[[Any, Any], Any], **options: Any) -> OnnxAgent:
    """Check that a file chooses as the model does in training."""
    agent = OnnxAgent(path)
    form = ObservationFormat(GAME, **options)
    observations, mask = positions(GAME, 1000, seed=7)
    logits, _ = agent.evaluate(observations, mask)
    actions = choose(form.observation(form.of_rows(observations), mask), mask)
    lost = logits.max(axis=1) - np.take_along_axis(logits, actions[:, None], 1)[:, 0]
    assert lost.max() < 1e-4
    return agent


def choices(network: nn.Module) -> Callable[[Any, Any], Any]:
    """Return the function from observations and masks to a network's best legal actions."""

    def choose(observation: Any, mask: Any) -> Any:
        with torch.no_grad():
            outputs = network(torch.as_tensor(observation))
        logits = outputs[0] if isinstance(outputs, tuple) else outputs
        return np.where(mask == 1, logits, -np.inf).argmax(axis=1)

    return choose


def check_searched(path: Path, game: BatchGame = GAME) -> None:
    """Play one step by a search over the policy."""
    search = make_agent(f"search:{path}:4", game.name)
    batch = game.fresh(2, 0)
    batch.step(joint_action([search] * game.num_players, batch, np.random.default_rng(0)))


# --- torch ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("network", "options"),
    [
        (Net(), {"normalize": True}),
        (Net(with_value=False), {"observation_dtype": "float32", "action_mask": "info"}),
        (Masked(), {"normalize": True, "action_mask": "info"}),
        (OfDictionary(), {"normalize": True, "action_mask": "both"}),
        (OfRllib(), {"normalize": True, "action_mask": "rllib"}),
    ],
    ids=["with a value", "without", "with a mask", "mask in the observation", "as RLlib's"],
)
def test_a_module(network: Net, options: dict[str, Any], tmp_path: Path) -> None:
    options = {"action_mask": "info", **options}
    half = np.float32(0.5)  # not a type of JSON
    path = export(network, GAME, tmp_path / "net.onnx", temperature=half, **options)

    def choose(observation: Any, mask: Any) -> Any:
        numbers = torch.as_tensor(
            next(iter(observation.values())) if isinstance(observation, dict) else observation
        )
        with torch.no_grad():
            outputs = network.eval().answers(numbers)
        logits = outputs[0] if network.with_value else outputs
        return np.where(mask == 1, logits, -np.inf).argmax(axis=1)

    check_same_answers(path)
    agent = check_plays(path, choose, **options)
    assert isinstance(agent, ValueAgent) == network.with_value
    assert np.isnan(agent.evaluate(*positions(GAME, 5))[1]).any() != network.with_value
    check_searched(path)
    assert agent.temperature == 0.5
    assert agent.metadata.training["library"] == f"torch {torch.__version__}"


def test_nothing_is_written_where_the_metadata_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "net.meta.json").mkdir()
    with pytest.raises(ValueError, match=r"net\.meta\.json"):
        export(Net(), GAME, tmp_path / "net.onnx", normalize=True)
    assert [file.name for file in tmp_path.iterdir()] == ["net.meta.json"]


class Dividing(nn.Module):
    """A network that divides by computed floats, like layers that normalise."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(SIZE, 8), nn.Softsign(), nn.Linear(8, ACTIONS))

    def forward(self, observation: Tensor) -> Tensor:
        outputs = self.layers(nn.functional.normalize(observation))
        return outputs / (1 + observation.std(1, keepdim=True))


def test_a_module_that_divides(tmp_path: Path) -> None:
    """It was rejected, because its Div might divide integers."""
    network = Dividing()
    options = {"normalize": True, "action_mask": "info"}
    path = export(network, GAME, tmp_path / "net.onnx", **options)

    check_plays(path, choices(network), **options)


class Reduced(Net):
    """A common form: observations are cast to the type of the weights."""

    def forward(self, observation: Tensor) -> Any:
        return self.answers(observation.to(self.policy.weight.dtype))


@pytest.mark.parametrize(("network", "dtype"), [(Net, torch.bfloat16), (Reduced, torch.float16)])
def test_a_module_of_fewer_bits(network: Any, dtype: torch.dtype, tmp_path: Path) -> None:
    """It was rejected for the size of a tensor, or because it disagreed with the file."""
    trained = network().to(dtype)
    options = {"normalize": True, "action_mask": "info"}
    path = export(trained, GAME, tmp_path / "net.onnx", **options)
    assert trained.policy.weight.dtype == dtype
    single = trained.float()

    check_plays(path, choices(single), **options)


def test_a_module_of_fewer_bits_for_observations_of_fewer_bits(tmp_path: Path) -> None:
    network = Net().to(torch.float16)
    options = {"normalize": True, "observation_dtype": "float16"}
    export(network, GAME, tmp_path / "net.onnx", action_mask="info", **options)


class CastsItself(Net):
    def forward(self, observation: Tensor) -> Any:
        return self.answers(observation.to(torch.bfloat16))


class Autocasts(Net):
    def forward(self, observation: Tensor) -> Any:
        with torch.autocast("cpu", torch.bfloat16):
            return self.answers(observation)


@pytest.mark.parametrize(
    "network", [CastsItself().to(torch.bfloat16), Autocasts()], ids=["casts", "autocast"]
)
def test_a_module_that_computes_in_fewer_bits(network: Net, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]*bfloat16[^\n]*float32[^\n]* casts[^\n]*\Z"):
        export(network, GAME, tmp_path / "net.onnx", normalize=True)


def test_an_export_changes_nothing_of_the_model(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(SIZE, 8), nn.Dropout(), nn.Linear(8, ACTIONS)).train()
    export(network, GAME, tmp_path / "net.onnx", normalize=True)
    assert network.training


# --- ONNX files of other exporters ------------------------------------------------------------


def foreign(path: Path, network: nn.Module, example: Any, **options: Any) -> Path:
    """Write an ONNX file with the default settings of torch's exporter."""
    with warnings.catch_warnings(action="ignore"):
        torch.onnx.export(
            network.eval(), example, path, external_data=False, verbose=False, **options
        )
    return path


def test_a_file_of_torchs_newest_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Opset 20 has an operator Gelu, which older ones lack."""
    network = Net()
    network.body[1] = nn.GELU()
    batch = torch.export.Dim("batch", min=1)
    original = foreign(
        tmp_path / "given.onnx", network, (torch.zeros(2, SIZE),), dynamic_shapes=({0: batch},)
    )
    model = onnx.load(original)
    assert model.opset_import[0].version > 18
    assert "Gelu" in {node.op_type for node in model.graph.node}
    out = tmp_path / "out.onnx"
    command = ["adopt", str(original), "--game", "kododo", "--players", "3", "--normalize"]
    done = kododo(monkeypatch, capsys, *command, str(out))
    assert done == (0, f"{out}\n{tmp_path}/out.meta.json\n", "")
    assert OnnxAgent(out).metadata.training["library"].startswith("pytorch 2.")

    check_plays(out, choices(network), normalize=True, action_mask="info")
    check_searched(out)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_file_of_fewer_bits(dtype: torch.dtype, tmp_path: Path) -> None:
    network = Net().to(dtype)
    batch = torch.export.Dim("batch", min=1)
    example = (torch.zeros(2, SIZE, dtype=dtype),)
    original = foreign(tmp_path / "given.onnx", network, example, dynamic_shapes=({0: batch},))
    single = network.float()

    path = export(original, GAME, tmp_path / "out.onnx", normalize=True)
    check_plays(path, choices(single), normalize=True, action_mask="info")


def test_a_file_whose_weights_are_kept_in_fewer_bits(tmp_path: Path) -> None:
    """The weights of shipped policies are only cast, so they stay in half precision."""
    shipped = policy_path("kododo-3p")
    model = onnx.load(shipped)
    splits = [tensor for tensor in model.graph.initializer if tensor.data_type == FLOAT16]
    path = export(shipped, GAME, tmp_path / "out.onnx")
    tensors = onnx.load(path).graph.initializer
    assert len([tensor for tensor in tensors if tensor.data_type == FLOAT16]) == len(splits) > 0
    observations, mask = positions(GAME, 500)
    expected, logits = (OnnxAgent(file).evaluate(observations, mask)[0] for file in (shipped, path))
    assert np.allclose(expected, logits, atol=1e-5)


class Gathering(nn.Module):
    """A network that gathers columns, as one that sorts its inputs does."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(40, ACTIONS)

    def forward(self, observation: Tensor) -> Tensor:
        columns = torch.arange(40).flip(0).expand(observation.shape[0], -1)
        return self.layer(observation.gather(1, columns))


def test_a_file_that_gathers_along_an_observation(tmp_path: Path) -> None:
    """The evaluator of onnx is wrong here, the exported file was right."""
    network = Gathering()
    batch = torch.export.Dim("batch", min=1)
    example = (torch.zeros(2, SIZE),)
    original = foreign(tmp_path / "given.onnx", network, example, dynamic_shapes=({0: batch},))
    assert "GatherElements" in {node.op_type for node in onnx.load(original).graph.node}
    path = export(original, GAME, tmp_path / "out.onnx", normalize=True)

    check_plays(path, choices(network), normalize=True, action_mask="info")


def test_a_file_for_one_position_at_a_time_with_old_operators(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(SIZE, 8), nn.Tanh(), nn.Linear(8, ACTIONS))
    example = (torch.zeros(1, SIZE),)
    original = foreign(tmp_path / "given.onnx", network, example, dynamo=False, opset_version=13)
    check_same_answers(export(str(original), GAME, tmp_path / "out.onnx"))


def a_file(change: Callable[[onnx.ModelProto], object], path: Path) -> Path:
    """Write an ONNX file with one matrix of weights, after a change."""
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    weights = helper.make_tensor("w", TensorProto.FLOAT, [SIZE, ACTIONS], [0.0] * SIZE * ACTIONS)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", SIZE])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", ACTIONS])
    graph = helper.make_graph([node], "hand", [x], [y], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    change(model)
    path.write_bytes(model.SerializeToString())
    return path


def outside(model: onnx.ModelProto) -> None:
    tensor = model.graph.initializer[0]
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights.bin")


def outside_in_a_node(model: onnx.ModelProto) -> None:
    """They were read from the other file and became part of the policy."""
    outside(model)
    constant = helper.make_node("Constant", [], ["w"], value=model.graph.initializer.pop())
    model.graph.node.insert(0, constant)


def extra_node(operator: str, **attributes: Any) -> Callable[[onnx.ModelProto], object]:
    return lambda model: model.graph.node.append(
        helper.make_node(operator, ["x", "w", "w"], ["extra"], **attributes)
    )


def without_weights(model: onnx.ModelProto) -> None:
    del model.graph.initializer[:]


def untyped(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.ClearField("elem_type")


def of_type(kind: int) -> Callable[[onnx.ModelProto], object]:
    """An unknown element type was a KeyError."""
    return lambda model: setattr(model.graph.input[0].type.tensor_type, "elem_type", kind)


def mask_of_type(kind: int) -> Callable[[onnx.ModelProto], object]:
    end = helper.make_tensor_value_info("mask", kind, ["N", ACTIONS])
    return lambda model: model.graph.input.append(end)


def weights_of_type(kind: int) -> Callable[[onnx.ModelProto], object]:
    return lambda model: setattr(model.graph.initializer[0], "data_type", kind)


def renamed(model: onnx.ModelProto) -> None:
    """Give an action instead of logits."""
    model.graph.node.append(helper.make_node("ArgMax", ["y"], ["action"], axis=1, keepdims=0))
    model.graph.output[0].CopyFrom(
        helper.make_tensor_value_info("action", TensorProto.INT64, ["N"])
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (outside, "weights are in another file"),
        (outside_in_a_node, "weights are in another file"),
        (extra_node("Constant"), "Constant must have one numeric attribute, got []"),
        (
            extra_node("Constant", value_string="x"),
            "one numeric attribute, got ['value_string']",
        ),
        (
            lambda model: model.ClearField("opset_import"),
            "no operator set version (opset_import)",
        ),
        (extra_node("LSTM", hidden_size=4), "the model is recurrent (operator LSTM)"),
        (extra_node("Conv"), "unsupported operator Conv"),
        (extra_node("Pad", mode="edge"), "unsupported operator Pad"),
        (without_weights, "not valid ONNX: Nodes in a graph must be topologically"),
        (untyped, "input x has the unknown type 0"),
        (of_type(29), "input x has the unknown type 29"),
        (mask_of_type(99), "input mask has the unknown type 99"),
        (weights_of_type(29), "constant w has the unknown type 29"),
        (renamed, "expected an output of shape ['N', 15] (a logit for each action), got action"),
        (
            lambda model: (
                model.graph.input[0]
                .type.tensor_type.shape.dim[1]
                .__setattr__("dim_value", SIZE + 1)
            ),
            f"expected an input of shape ['N', {SIZE}] (the numbers of an observation), got x",
        ),
    ],
    ids=[
        "outside",
        "outside in a node",
        "constant",
        "text",
        "opset",
        "recurrent",
        "convolution",
        "padding",
        "weights",
        "type",
        "unknown type",
        "unknown type of the mask",
        "unknown type of weights",
        "action",
        "size",
    ],
)  # fmt: skip
def test_files_that_cannot_be_exported(
    change: Callable[[onnx.ModelProto], object],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = a_file(change, tmp_path / "given.onnx")
    (tmp_path / "weights.bin").write_bytes(bytes(4 * SIZE * ACTIONS))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as error:
        export(original, GAME, tmp_path / "out.onnx")
    assert words in str(error.value)
    assert not (tmp_path / "out.onnx").exists()


def test_a_network_may_give_none_as_its_state(tmp_path: Path) -> None:
    """Tianshou's networks do, and were rejected."""

    class Stateless(Net):
        def forward(self, observation: Tensor) -> Any:
            return self.answers(observation), None

    path = export(Stateless(with_value=False), GAME, tmp_path / "out.onnx", normalize=True)
    assert not isinstance(OnnxAgent(path), ValueAgent)


def test_a_policy_does_not_take_the_place_of_its_model(tmp_path: Path) -> None:
    """It overwrote the model."""
    original = a_file(lambda _: None, tmp_path / "given.onnx")
    content = original.read_bytes()
    with pytest.raises(ValueError, match=r"given\.onnx.*the model itself"):
        export(original, GAME, tmp_path / ".." / tmp_path.name / "given.onnx")
    assert original.read_bytes() == content


def test_the_command_says_in_a_line_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.zip").write_bytes(b"PK\x03\x04 pickled")
    for arguments, words in (
        (["model.zip", "out.onnx"], "--game is required"),
        (["model.zip", "out.onnx", "--game", "kododo"], "cannot read model.zip as an ONNX file"),
        (["model.zip", "out.txt", "--game", "kododo"], "out.txt must end with .onnx"),
    ):
        code, output, error = kododo(monkeypatch, capsys, "adopt", *arguments)
        assert (code, output, error.count("\n")) == (2, "", 1)
        assert words in error


# --- models that cannot be ----------------------------------------------------------------------


class Lstm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.memory = nn.LSTM(SIZE, ACTIONS, batch_first=True)

    def forward(self, observation: Tensor) -> Tensor:
        return self.memory(observation[:, None])[0][:, 0]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (7, "model must be a torch.nn.Module"),
        (Lstm(), "the network is recurrent (LSTM at memory)"),
        (nn.Linear(SIZE, 7), "for 66 positions the network must output logits (66, 15)"),
        (nn.Linear(SIZE + 1, ACTIONS), "of float32: mat1 and mat2 shapes cannot be multiplied"),
        (nn.Sequential(nn.Linear(SIZE, ACTIONS), nn.Softmax(1)), "outputs probabilities"),
    ],
    ids=["number", "recurrent", "outputs", "inputs", "probabilities"],
)
def test_models_that_cannot_be_exported(model: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as error:
        export(model, GAME, tmp_path / "out.onnx", normalize=True)
    assert words in str(error.value)
    assert not list(tmp_path.iterdir())


class Baked(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.reshape(len(x), -1))


class NoOperator(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).cummax(1)[0]


class Branches(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        y = super().forward(x)
        return y / 2 if y.max() > 100 else y


@pytest.mark.parametrize(
    ("network", "words"),
    [(Baked, "only for batches of 2"), (NoOperator, "aten.cummax"), (Branches, "data-dependent")],
)
def test_the_error_says_why_torch_cannot_export_a_network(
    network: Any, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cause was lost in the exporter's messages, and pages of a graph were printed."""
    with pytest.raises(ValueError, match=rf"\Atorch [^\n]*{words}[^\n]*\Z"):
        export(network(SIZE, ACTIONS), GAME, tmp_path / "out.onnx", normalize=True)
    assert capsys.readouterr() == ("", "")


def test_an_environment_is_no_batch_of_games(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a batch of games"):
        export(
            nn.Linear(SIZE, ACTIONS), registry.environment_module("kododo"), tmp_path / "out.onnx"
        )  # type: ignore[arg-type]


def test_a_network_for_floats_that_is_given_the_games_own_numbers(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"of uint8: .*set normalize="):
        export(nn.Linear(SIZE, ACTIONS), GAME, tmp_path / "out.onnx")
