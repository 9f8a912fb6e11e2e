"""Training with a user's own rewards, networks and bots, whose code no file can run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.commands.train import train
from agents.export.policy_weights import network_of
from agents.ppo.custom_network import CustomNetwork
from agents.ppo.ppo import PPO
from agents.recipes.recipe import Recipe
from agents.training.checkpoint import Checkpoint, read_checkpoint
from agents.training.command_defaults import TableChoice, defaults
from agents.training.preflight import check_own_parts
from agents.training.trainer import Trainer
from agents.training.training_config import Task, TrainConfig, default_config, task_of
from kododo_env import kododo_v0
from kododo_env.networks.network import GameNetwork
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.command_line import train_py
from tests.helpers import made_once
from tests.trainings import NO_EXPORT, short, update

CODE = """
import pathlib

import numpy as np
import torch
from torch import nn

from kododo_env.networks import GameNetwork

with open(pathlib.Path(__file__).with_name("ran"), "a") as file:
    file.write("x")


class Net(nn.Module):
    def __init__(self, layout, actions, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(layout.size, width), nn.ReLU(), nn.Dropout(0.5))
        self.hidden = nn.Linear(width, width, bias=False)
        self.logits = nn.Linear(width, actions.size)
        self.value = nn.Linear(width, 1)
        self.unused = nn.Linear(3, 3)

    def forward(self, observation):
        hidden = self.hidden(self.body(observation))
        return self.logits(hidden), self.value(hidden)


class Deeper(GameNetwork):
    def __init__(self, *layouts, **settings):
        super().__init__(*layouts, **settings)
        width = settings["width"]
        self.trunk = nn.Sequential(*self.trunk, nn.Linear(width, width), nn.ReLU())


class Short(Net):
    def forward(self, observation):
        logits, value = super().forward(observation)
        return logits[:, 1:], value


class Alone(Net):
    def forward(self, observation):
        return super().forward(observation)[0]


class Raising(Net):
    def forward(self, observation):
        raise KeyError("no such thing")


class Recurrent(Net):
    def __init__(self, layout, actions, width):
        super().__init__(layout, actions, width)
        self.body = nn.Sequential(nn.Linear(layout.size, width))
        self.cell = nn.GRUCell(width, width)

    def forward(self, observation):
        hidden = self.cell(self.body(observation))
        return self.logits(hidden), self.value(hidden)


class Bare(nn.Module):
    def __init__(self, layout, actions):
        super().__init__()
        self.logits = nn.Linear(layout.size, actions.size)

    def forward(self, observation):
        return self.logits(observation), observation.sum(dim=1)


def points(game):
    return game.rewards.astype(np.float64) * 2


def flat(game):
    return game.rewards.sum(axis=1)


def late(game):
    return np.where(game.terminated[:, None], np.nan, game.rewards)


def broken(game):
    return game.no_such_thing


class Bot:
    def act(self, view, rng):
        return view.legal_action_mask.argmax(axis=1)
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of a user's code, which records in another file how often it is run."""
    path = tmp_path_factory.mktemp("code") / "parts.py"
    path.write_text(CODE)
    return path


def times_run(parts: Path) -> int:
    ran = parts.with_name("ran")
    return len(ran.read_text()) if ran.exists() else 0


def own_config(parts: Path, run_dir: Path, **changes: Any) -> TrainConfig:
    """Configure a short run with a user's reward, network and opponent."""
    settings = {
        "reward": f"{parts}:points",
        "network": f"{parts}:Net",
        "opponents": ("greedy", f"{parts}:Bot"),
    }
    return short(run_dir, **settings | changes)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run with a user's own parts, and the file of their code."""

    def make(folder: Path) -> None:
        folder.mkdir()
        (folder / "parts.py").write_text(CODE)
        train(own_config(folder / "parts.py", folder / "run"))

    folder = made_once(tmp_path_factory, "own-parts", make)
    return folder / "run", folder / "parts.py"


def test_a_run_with_own_parts_names_them_and_its_policy_plays(whole: tuple[Path, Path]) -> None:
    run, _ = whole
    recipe = json.loads((run / "config.json").read_text())["task"]["recipe"]
    saved = read_checkpoint(run / "checkpoint.zip").task.recipe
    for name in ("reward", "network"):
        assert recipe[name] == getattr(saved, name)
        assert recipe[name].endswith({"reward": "parts.py:points", "network": "parts.py:Net"}[name])
    assert [name.rpartition(":")[2] for name in saved.opponents] == ["greedy", "Bot"]
    policy = OnnxAgent(run / "policy.onnx")
    assert policy.metadata.training["recipe"]["network"] == recipe["network"]
    assert not policy.metadata.network
    game = kododo_v0.batch_game(5, num_players=3)
    actions = policy.act(game.view(0), np.random.default_rng(0))
    assert game.legal_action_mask()[np.arange(5), 0, actions].all()
    with pytest.raises(ValueError, match="network"):
        network_of(run / "policy.onnx")


def arguments(run: Path, parts: Path, *omitted: str) -> list[str]:
    options = {
        "--reward": [f"{parts}:points"],
        "--network": [f"{parts}:Net"],
        "--opponents": ["greedy", f"{parts}:Bot"],
    }
    words = [word for name in options if name not in omitted for word in (name, *options[name])]
    return ["--resume", "--run-dir", str(run), "--steps", "1", "--games", "20", *words]


@pytest.fixture
def run(parts: Path, tmp_path: Path) -> Path:
    """A run with the user's own parts, after its first update."""
    config = own_config(parts, tmp_path / "run", steps=2)
    folder = tmp_path / "run"
    folder.mkdir()
    Trainer(config, Checkpoint(task_of(config)), folder).run()
    return folder


@pytest.mark.parametrize(
    "omitted", [["--reward"], ["--network"], ["--opponents"], ["--reward", "--network"]]
)
def test_a_run_starts_no_code_that_is_not_named_again(
    omitted: Sequence[str], run: Path, parts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A checkpoint may come from somebody else."""
    before = times_run(parts)
    read_checkpoint(run / "checkpoint.zip")
    code, output, error = train_py(capsys, arguments(run, parts, *omitted))
    assert (code, output, error.count("\n")) == (2, "", 1)
    assert "checkpoint" in error
    assert all(option in error for option in omitted)
    assert times_run(parts) == before


def test_nor_does_a_run_that_was_killed_before_its_first_checkpoint(
    run: Path, parts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = {"task": asdict(read_checkpoint(run / "checkpoint.zip").task)}
    (run / "checkpoint.zip").unlink()
    (run / "config.json").write_text(json.dumps(facts))
    before = times_run(parts)
    code, _, error = train_py(capsys, ["--resume", "--run-dir", str(run)])
    assert code == 2
    assert "checkpoint" in error
    assert times_run(parts) == before


def test_a_resumed_run_has_the_reward_and_network_that_it_began_with(
    run: Path, parts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for option, argument in (("--reward", "win"), ("--network", f"{parts}:Bare")):
        before = times_run(parts)
        code, _, error = train_py(capsys, [*arguments(run, parts, option), option, argument])
        assert code == 2
        assert f"{option} cannot be changed on --resume" in error
        assert times_run(parts) == before


def test_a_run_with_own_parts_goes_on(run: Path, parts: Path) -> None:
    """The command line may replace the opponents."""
    code = {"reward": f"{parts}:points", "network": f"{parts}:Net", "opponents": ("greedy",)}
    config = defaults(TableChoice(run_dir=run, resume=True, **code))
    assert config.settings.opponents == ("greedy",)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*NO_EXPORT)
        patch.setattr("agents.commands.train.check_own_parts", lambda _: None)  # takes seconds
        train(replace(config, run_dir=run, resume=True, steps=2100, games=30))
    after = read_checkpoint(run / "checkpoint.zip")
    assert after.progress.updates > 1
    assert after.task.recipe.opponents == ("greedy",)


@pytest.mark.parametrize(
    ("reward", "message"),
    [
        ("flat", r"ValueError: .*\(16, 3\).*\(16,\)"),
        ("late", r"ValueError: .*finite"),
        ("broken", r"AttributeError: .*no_such_thing.* \(parts.py, line \d+\)$"),
        ("nothing", "nothing"),
    ],
)
def test_an_invalid_reward_is_refused_before_anything_is_learned(
    reward: str, message: str, parts: Path
) -> None:
    task = Task("kododo", {"num_players": 3}, Recipe(reward=f"{parts}:{reward}"), 0)
    with pytest.raises(ValueError, match=rf"\A--reward .*{message}") as refused:
        check_own_parts(task)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("Short", r"logits \(3, 15\) and values \(3,\).* \(3, 14\)"),
        ("Alone", r"forward .*logits .*\(3, 15\)"),
        ("Raising", "KeyError: 'no such thing'"),
        ("Recurrent", "recurrent"),
        ("points", "torch.nn.Module"),
        ("Nothing", "Nothing"),
    ],
)
def test_a_network_that_cannot_serve_is_refused_before_anything_is_learned(
    network: str, message: str, parts: Path
) -> None:
    """Otherwise a network that cannot be exported would be trained to the end first."""
    task = Task("kododo", {"num_players": 3}, Recipe(network=f"{parts}:{network}", width=8), 0)
    with pytest.raises(ValueError, match=rf"\A--network .*{message}") as refused:
        check_own_parts(task)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": "Bare", "width": 16}, "--width: .*no argument width"),
        ({"network": "Net", "init": "kododo-3p"}, "--network.*--init"),
    ],
)
def test_settings_that_a_network_does_not_take_are_refused(
    changes: dict[str, Any], message: str, parts: Path
) -> None:
    network = f"{parts}:{changes['network']}"
    with pytest.raises(ValueError, match=message):
        task_of(default_config("kododo", 3, **changes | {"network": network}))


@pytest.mark.parametrize("muon", [0.0, 30.0])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_own_network_learns(muon: float, threads: int, parts: Path) -> None:
    """Weights without effect stay unchanged; dropout never makes the outputs random."""
    game = kododo_v0.batch_game(8, num_players=2)
    recipe = Recipe(
        network=f"{parts}:Net", reward=f"{parts}:points", width=16, muon=muon, magnet=0.1,
        batch_size=64,
    )  # fmt: skip
    model = PPO(game, recipe, 0, threads=threads)
    assert isinstance(model.network, CustomNetwork)
    inner = model.network.network
    sizes = [tuple(matrix.shape) for matrix in model.network.hidden_matrices()]
    assert sizes == [(16, game.layout.size), (16, 16), (3, 3)]
    unused = inner.unused.weight.clone()
    hidden = inner.hidden.weight.clone()
    decisions = update(model, game)
    assert decisions["advantages"].dtype == torch.float32
    assert not torch.equal(inner.hidden.weight, hidden)
    if not muon:
        assert torch.equal(inner.unused.weight, unused)
    rows = torch.from_numpy(np.array(game.observe()[:, 0]))
    assert torch.equal(model.network(rows)[0], model.network(rows)[0])


def test_a_kind_of_game_network_is_asked_as_one(parts: Path, tmp_path: Path) -> None:
    game = kododo_v0.batch_game(4, num_players=2)
    recipe = Recipe(network=f"{parts}:Deeper", width=16, muon=30.0, batch_size=64)
    model = PPO(game, recipe, 0)
    assert isinstance(model.network, GameNetwork)
    assert len(model.network.trunk) == 2 * recipe.depth + 2
    assert update(model, game)["entries"].shape[1] > 0
    check_own_parts(Task("kododo", {"num_players": 2}, recipe, 0))


def test_an_own_expert_is_imitated_and_named_again(parts: Path, tmp_path: Path) -> None:
    expert = f"{parts}:Bot"
    config = short(tmp_path, expert=expert, imitation_steps=1000, steps=500)
    Trainer(config, Checkpoint(task_of(config)), tmp_path).run()
    with pytest.raises(ValueError, match=r"checkpoint.*--expert"):
        defaults(TableChoice(run_dir=tmp_path, resume=True))
    assert (
        defaults(TableChoice(run_dir=tmp_path, resume=True, expert=expert)).settings.expert
        == expert
    )


def test_a_cluster_does_not_have_the_users_code(parts: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"--network.*cluster"):
        short(tmp_path, network=f"{parts}:Net", engine="ray")
