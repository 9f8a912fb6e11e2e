"""Policy files from anybody's models: the same choices by both runtimes, and refusals of a line."""

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
from kododo_env.policy import metadata_file
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.wrappers.spaces import ObservationFormat
from tests.command_line import kododo
from tests.policy.test_numpy_session import check_same_answers

GAME = registry.batch_game("kododo", 1, num_players=3)
SIZE, ACTIONS = GAME.layout.size, GAME.num_actions
FLOAT16 = TensorProto.FLOAT16


class Net(nn.Module):
    """Logits and a value; ``mask`` tells how it takes the mask."""

    def __init__(self, mask: str = "none", value: bool = True) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.mask, self.with_value = mask, value
        self.body = nn.Sequential(nn.Linear(SIZE, 16), nn.GELU(), nn.LayerNorm(16))
        self.policy, self.value = nn.Linear(16, ACTIONS), nn.Linear(16, 1)

    def answers(self, observation: Tensor) -> Any:
        hidden = self.body(observation)
        logits = 3 * self.policy(hidden)
        return (logits, self.value(hidden)) if self.with_value else logits

    def forward(self, observation: Tensor) -> Any:
        return self.answers(observation)


class Masked(Net):
    """As many write it: with the mask as bool, and minus infinity."""

    def forward(self, observation: Tensor, action_mask: Tensor) -> Any:
        logits, value = self.answers(observation)
        return logits.masked_fill(~action_mask, -torch.inf), value


class OfDictionary(Net):
    def forward(self, seen: dict[str, Tensor]) -> Any:
        logits, value = self.answers(seen["observation"])
        return logits + (1 - seen["action_mask"]) * -1e9, value


class OfRllib(Net):
    def forward(self, seen: dict[str, Tensor]) -> Any:
        logits, value = self.answers(seen["observations"])
        assert seen["action_mask"].dtype == torch.float32
        return logits + torch.log(seen["action_mask"]).clamp(min=-1e9), value


def check_plays(path: Path, choose: Callable[[Any, Any], Any], **options: Any) -> OnnxAgent:
    """By both runtimes alike, and as its library chooses from what the doors give."""
    check_same_answers(path)
    agent, form = OnnxAgent(path), ObservationFormat(GAME, **options)
    seen, mask = positions(GAME, 1000, seed=7)
    logits, _ = agent.evaluate(seen, mask)
    wanted = choose(form.observation(form.of_rows(seen), mask), mask)
    lost = logits.max(axis=1) - np.take_along_axis(logits, wanted[:, None], 1)[:, 0]
    assert lost.max() < 1e-4
    return agent


def check_searched(path: Path, game: BatchGame = GAME) -> None:
    """A search over it plays a step."""
    search = make_agent(f"search:{path}:4", game.name)
    played, rng = game.fresh(2, 0), np.random.default_rng(0)
    played.step(joint_action([search] * game.num_players, played, rng))


# --- torch ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("network", "options"),
    [
        (Net(), {"normalize": True}),
        (Net(value=False), {"observation_dtype": "float32", "action_mask": "info"}),
        (Masked(), {"normalize": True, "action_mask": "info"}),
        (OfDictionary(), {"normalize": True, "action_mask": "both"}),
        (OfRllib(), {"normalize": True, "action_mask": "rllib"}),
    ],
    ids=["with a value", "without", "with a mask", "mask in the observation", "as RLlib's"],
)
def test_a_module(network: Net, options: dict[str, Any], tmp_path: Path) -> None:
    options = {"action_mask": "info", **options}
    half = np.float32(0.5)  # which JSON has not
    path = export(network, GAME, tmp_path / "net.onnx", temperature=half, **options)

    def choose(seen: Any, mask: Any) -> Any:
        numbers = torch.as_tensor(next(iter(seen.values())) if isinstance(seen, dict) else seen)
        with torch.no_grad():
            found = network.eval().answers(numbers)
        logits = found[0] if network.with_value else found
        return np.where(mask == 1, logits, -np.inf).argmax(axis=1)

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
    assert [each.name for each in tmp_path.iterdir()] == ["net.meta.json"]


class Dividing(nn.Module):
    """Floats divided by what is computed, as layers do that normalise."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(SIZE, 8), nn.Softsign(), nn.Linear(8, ACTIONS))

    def forward(self, observation: Tensor) -> Tensor:
        found = self.layers(nn.functional.normalize(observation))
        return found / (1 + observation.std(1, keepdim=True))


def test_a_module_that_divides(tmp_path: Path) -> None:
    """It was refused: its Div might divide whole numbers."""
    network, options = Dividing(), {"normalize": True, "action_mask": "info"}
    path = export(network, GAME, tmp_path / "net.onnx", **options)

    def choose(seen: Any, mask: Any) -> Any:
        with torch.no_grad():
            return np.where(mask == 1, network(torch.as_tensor(seen)), -np.inf).argmax(axis=1)

    check_plays(path, choose, **options)


class Reduced(Net):
    """As many write it: what it is given takes the type of its weights."""

    def forward(self, observation: Tensor) -> Any:
        return self.answers(observation.to(self.policy.weight.dtype))


@pytest.mark.parametrize("network", [Net, Reduced])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_module_of_fewer_bits(network: Any, dtype: torch.dtype, tmp_path: Path) -> None:
    """Its weights are kept. It was refused, for the size of a tensor or as another network."""
    trained, options = network().to(dtype), {"normalize": True, "action_mask": "info"}
    path = export(trained, GAME, tmp_path / "net.onnx", **options)
    assert trained.policy.weight.dtype == dtype
    single = trained.float()

    def choose(seen: Any, mask: Any) -> Any:
        with torch.no_grad():
            return np.where(mask == 1, single(torch.as_tensor(seen))[0], -np.inf).argmax(axis=1)

    check_plays(path, choose, **options)


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


# --- ONNX files of others ---------------------------------------------------------------------


def foreign(path: Path, network: nn.Module, example: Any, **how: Any) -> Path:
    """A file as torch's exporter writes it without being told how we want it."""
    with warnings.catch_warnings(action="ignore"):
        torch.onnx.export(network.eval(), example, path, external_data=False, verbose=False, **how)
    return path


def test_a_file_of_torchs_newest_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Opset 20 with Gelu, which there was not before."""
    network, batch = Net(), torch.export.Dim("batch", min=1)
    given = foreign(
        tmp_path / "given.onnx", network, (torch.zeros(2, SIZE),), dynamic_shapes=({0: batch},)
    )
    model = onnx.load(given)
    assert model.opset_import[0].version > 18
    assert "Gelu" in {node.op_type for node in model.graph.node}
    out = tmp_path / "out.onnx"
    command = ["adopt", str(given), "--game", "kododo", "--players", "3", "--normalize"]
    done = kododo(monkeypatch, capsys, *command, str(out))
    assert done == (0, f"{out}\n{tmp_path}/out.meta.json\n", "")
    assert OnnxAgent(out).metadata.training["library"].startswith("pytorch 2.")

    def choose(seen: Any, mask: Any) -> Any:
        with torch.no_grad():
            return np.where(mask == 1, network(torch.as_tensor(seen))[0], -np.inf).argmax(axis=1)

    check_plays(out, choose, normalize=True, action_mask="info")
    check_searched(out)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_file_of_fewer_bits(dtype: torch.dtype, tmp_path: Path) -> None:
    network, batch = Net().to(dtype), torch.export.Dim("batch", min=1)
    example = (torch.zeros(2, SIZE, dtype=dtype),)
    given = foreign(tmp_path / "given.onnx", network, example, dynamic_shapes=({0: batch},))
    single = network.float()

    def choose(seen: Any, mask: Any) -> Any:
        with torch.no_grad():
            return np.where(mask == 1, single(torch.as_tensor(seen))[0], -np.inf).argmax(axis=1)

    path = export(given, GAME, tmp_path / "out.onnx", normalize=True)
    check_plays(path, choose, normalize=True, action_mask="info")


def test_a_file_whose_weights_are_kept_in_fewer_bits(tmp_path: Path) -> None:
    """Those of a policy that ships are cast before they are used, so that they stay as they are."""
    shipped = policy_path("kododo-3p")
    model = onnx.load(shipped)
    halves = [each.name for each in model.graph.initializer if each.data_type == FLOAT16]
    path = export(shipped, GAME, tmp_path / "out.onnx")
    found = onnx.load(path).graph.initializer
    assert len([each for each in found if each.data_type == FLOAT16]) == len(halves) > 0
    seen, mask = positions(GAME, 500)
    want, got = (OnnxAgent(each).evaluate(seen, mask)[0] for each in (shipped, path))
    assert np.allclose(want, got, atol=1e-5)


class Gathering(nn.Module):
    """Takes some columns, as a network that sorts what it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(40, ACTIONS)

    def forward(self, observation: Tensor) -> Tensor:
        columns = torch.arange(40).flip(0).expand(observation.shape[0], -1)
        return self.layer(observation.gather(1, columns))


def test_a_file_that_gathers_along_an_observation(tmp_path: Path) -> None:
    """Our copy was right, and onnx's own evaluator of the model was wrong."""
    network, batch = Gathering(), torch.export.Dim("batch", min=1)
    example = (torch.zeros(2, SIZE),)
    given = foreign(tmp_path / "given.onnx", network, example, dynamic_shapes=({0: batch},))
    assert "GatherElements" in {node.op_type for node in onnx.load(given).graph.node}
    path = export(given, GAME, tmp_path / "out.onnx", normalize=True)

    def choose(seen: Any, mask: Any) -> Any:
        with torch.no_grad():
            return np.where(mask == 1, network(torch.as_tensor(seen)), -np.inf).argmax(axis=1)

    check_plays(path, choose, normalize=True, action_mask="info")


def test_a_file_for_one_position_at_a_time_with_old_operators(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(SIZE, 8), nn.Tanh(), nn.Linear(8, ACTIONS))
    example = (torch.zeros(1, SIZE),)
    given = foreign(tmp_path / "given.onnx", network, example, dynamo=False, opset_version=13)
    check_same_answers(export(str(given), GAME, tmp_path / "out.onnx"))


def a_file(change: Callable[[onnx.ModelProto], object], path: Path) -> Path:
    """An ONNX file with one matrix of weights, made by hand, and something else in it."""
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
    """Its numbers were read from there, and became part of the policy."""
    outside(model)
    constant = helper.make_node("Constant", [], ["w"], value=model.graph.initializer.pop())
    model.graph.node.insert(0, constant)


def more(operator: str, **attributes: Any) -> Callable[[onnx.ModelProto], object]:
    return lambda model: model.graph.node.append(
        helper.make_node(operator, ["x", "w", "w"], ["more"], **attributes)
    )


def without(model: onnx.ModelProto) -> None:
    """It has no weights."""
    del model.graph.initializer[:]


def untyped(model: onnx.ModelProto) -> None:
    """It does not tell which numbers it takes."""
    model.graph.input[0].type.tensor_type.ClearField("elem_type")


def of_type(kind: int) -> Callable[[onnx.ModelProto], object]:
    """It takes numbers of a type that onnx knows not, which was a KeyError."""
    return lambda model: setattr(model.graph.input[0].type.tensor_type, "elem_type", kind)


def mask_of_type(kind: int) -> Callable[[onnx.ModelProto], object]:
    end = helper.make_tensor_value_info("mask", kind, ["N", ACTIONS])
    return lambda model: model.graph.input.append(end)


def weights_of_type(kind: int) -> Callable[[onnx.ModelProto], object]:
    return lambda model: setattr(model.graph.initializer[0], "data_type", kind)


def renamed(model: onnx.ModelProto) -> None:
    """It gives an action, not logits."""
    model.graph.node.append(helper.make_node("ArgMax", ["y"], ["action"], axis=1, keepdims=0))
    model.graph.output[0].CopyFrom(
        helper.make_tensor_value_info("action", TensorProto.INT64, ["N"])
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (outside, "it has its weights in another file: export it again as one file"),
        (outside_in_a_node, "it has its weights in another file: export it again as one file"),
        (more("Constant"), "it has a constant without numbers ([])"),
        (
            more("Constant", value_string="x"),
            "a constant without numbers (['value_string'])",
        ),
        (
            lambda model: model.ClearField("opset_import"),
            "it names no version of its operators (opset_import)",
        ),
        (more("LSTM", hidden_size=4), "it is recurrent (it has the operation LSTM)"),
        (more("Conv"), "its graph has the operation Conv, which no policy needs"),
        (more("Pad", mode="edge"), "its graph has the operation Pad, which no policy needs"),
        (without, "onnx finds no policy in the graph: Nodes in a graph must be topologically"),
        (untyped, "its input x is of no known type"),
        (of_type(29), "its input x is of no known type (29)"),
        (mask_of_type(99), "its input mask is of no known type (99)"),
        (weights_of_type(29), "its constant w is of no known type (29)"),
        (renamed, "it needs an output of shape ['N', 15], a logit for each action; it has action"),
        (
            lambda model: (
                model.graph.input[0]
                .type.tensor_type.shape.dim[1]
                .__setattr__("dim_value", SIZE + 1)
            ),
            f"it needs an input of shape ['N', {SIZE}], the numbers of an observation; it has x",
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
def test_files_that_are_no_players(
    change: Callable[[onnx.ModelProto], object],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = a_file(change, tmp_path / "given.onnx")
    (tmp_path / "weights.bin").write_bytes(bytes(4 * SIZE * ACTIONS))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
        export(given, GAME, tmp_path / "out.onnx")
    assert words in str(refused.value)
    assert not (tmp_path / "out.onnx").exists()


def test_a_policy_whose_metadata_have_no_room_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stood beside the metadata of the one before."""
    given, out = a_file(lambda _: None, tmp_path / "given.onnx"), tmp_path / "out.onnx"
    export(given, GAME, out)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    def full(path: Path, content: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(metadata_file, "write_json", full)
    with pytest.raises(OSError, match="No space left"):
        export(given, GAME, out, temperature=1.0)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_network_may_give_a_state_that_there_is_not(tmp_path: Path) -> None:
    """As Tianshou's networks do, which were said to fail."""

    class Stateless(Net):
        def forward(self, observation: Tensor) -> Any:
            return self.answers(observation), None

    path = export(Stateless(value=False), GAME, tmp_path / "out.onnx", normalize=True)
    assert not isinstance(OnnxAgent(path), ValueAgent)


def test_a_policy_does_not_take_the_place_of_its_model(tmp_path: Path) -> None:
    """It was written over the model, which nobody could have back."""
    given = a_file(lambda _: None, tmp_path / "given.onnx")
    content = given.read_bytes()
    with pytest.raises(ValueError, match=r"given.onnx is the model itself: write the policy else"):
        export(given, GAME, tmp_path / ".." / tmp_path.name / "given.onnx")
    assert given.read_bytes() == content


def test_the_command_says_in_a_line_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.zip").write_bytes(b"PK\x03\x04 pickled")
    for arguments, words in (
        (["model.zip", "out.onnx"], "--game is required"),
        (["model.zip", "out.onnx", "--game", "kododo"], "model.zip is no ONNX file that can be"),
        (["model.zip", "out.txt", "--game", "kododo"], "out.txt must end with .onnx"),
    ):
        code, said, error = kododo(monkeypatch, capsys, "adopt", *arguments)
        assert (code, said, error.count("\n")) == (2, "", 1)
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
        (7, "model must be a torch.nn.Module, a model of stable-baselines3 or the path of an ONNX"),
        (Lstm(), "the network is recurrent (LSTM at memory)"),
        (nn.Linear(SIZE, 7), "the network gives (66, 7) for 66 positions, not logits (66, 15)"),
        (nn.Linear(SIZE + 1, ACTIONS), "of float32: mat1 and mat2 shapes cannot be multiplied"),
        (nn.Sequential(nn.Linear(SIZE, ACTIONS), nn.Softmax(1)), "the model gives probabilities"),
    ],
    ids=["number", "recurrent", "outputs", "inputs", "probabilities"],
)
def test_models_that_are_no_players(model: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
        export(model, GAME, tmp_path / "out.onnx", normalize=True)
    assert words in str(refused.value)
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
    [(Baked, "2 positions alone"), (NoOperator, "aten.cummax"), (Branches, "data-dependent")],
)
def test_torch_tells_why_it_cannot_export_a_network(
    network: Any, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reason was lost in the exporter's own words, and pages of a graph were printed."""
    with pytest.raises(ValueError, match=rf"\Atorch [^\n]*{words}[^\n]*\Z"):
        export(network(SIZE, ACTIONS), GAME, tmp_path / "out.onnx", normalize=True)
    assert capsys.readouterr() == ("", "")


def test_an_environment_is_no_batch_of_games(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a batch of games is wanted, as a door's batch_game"):
        export(nn.Linear(SIZE, ACTIONS), registry.door("kododo"), tmp_path / "out.onnx")  # type: ignore[arg-type]


def test_a_network_for_floats_that_is_given_the_games_own_numbers(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"of uint8: .*say how it was trained: normalize="):
        export(nn.Linear(SIZE, ACTIONS), GAME, tmp_path / "out.onnx")
