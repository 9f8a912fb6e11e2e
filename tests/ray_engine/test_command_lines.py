"""The options of train.py and evaluate.py that go with --engine ray."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from agents.commands.train import finish
from agents.ray_engine.player import Player, RolloutPart
from agents.training.checkpoint import Checkpoint, Progress
from agents.training.trainer import Trainer
from agents.training.training_config import default_config, task_of
from tests.command_line import assert_refused, cli, train_py
from tests.ray_engine.clusters import free_port
from tests.trainings import NO_EXPORT, short

HAS_RAY = find_spec("ray") is not None
AGENTS = ("--agents", "random", "greedy", "--games", "60")


@pytest.mark.parametrize("option", [("--workers", "2"), ("--learners", "2"), ("--address", "auto")])
def test_rays_options_need_the_engine(
    option: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = train_py(capsys, ["--run-dir", str(tmp_path / "run"), *option])
    assert_refused(result, f"{option[0]} has no effect without --engine ray", tmp_path)


def test_evaluates_address_needs_the_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = cli(capsys, *AGENTS, "--address", "auto")
    assert_refused(result, "--address has no effect without --engine ray", tmp_path)
    result = cli(capsys, "--best-response", "kododo-4p", "--engine", "ray")
    assert_refused(result, "--engine", tmp_path)


def test_no_device_goes_with_the_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ray's processes learn on CPUs; a trainer's network on another device raised a traceback."""
    run = ["--run-dir", str(tmp_path / "run"), "--engine", "ray", "--device", "auto"]
    assert_refused(train_py(capsys, run), "--device has no effect without --engine local", tmp_path)


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed")
def test_a_missing_ray_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for result in (
        train_py(capsys, ["--run-dir", str(tmp_path / "run"), "--engine", "ray"]),
        cli(capsys, *AGENTS, "--engine", "ray", "--json", str(tmp_path / "out.json")),
    ):
        assert_refused(result, "pip install 'kododo-env[ray]'", tmp_path)


@pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed: make test-ray has it")
@pytest.mark.parametrize("address", ["127.0.0.1:{}", "auto", "nowhere"])
def test_no_cluster_is_a_line_and_leaves_nothing(
    address: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = ("--engine", "ray", "--address", address.format(free_port()))
    for result in (
        train_py(capsys, ["--run-dir", str(tmp_path / "run"), *options]),
        cli(capsys, *AGENTS, "--json", str(tmp_path / "out.json"), *options),
    ):
        assert_refused(result, "no Ray cluster at", tmp_path)


# --- what needs no cluster --------------------------------------------------------------------


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Import a module of the engine with stubs in place of other modules, such as Ray's."""

    def import_with(module: str, **modules: dict[str, Any]) -> Any:
        for name, content in modules.items():
            stub = ModuleType(name)
            vars(stub).update(content)
            monkeypatch.setitem(sys.modules, name.replace("__", "."), stub)
        monkeypatch.setitem(sys.modules, module, None)
        del sys.modules[module]  # monkeypatch restores the former module
        return import_module(module)

    return import_with


def test_a_runner_returns_what_its_machine_lacks(imported: Callable[..., Any]) -> None:
    """When it was raised, RLlib restarted the runner forever without a word about the file."""
    task = task_of(default_config("kododo", 3))
    task = replace(task, recipe=replace(task.recipe, opponents=("gone.onnx",)))
    config = SimpleNamespace(env_config={"task": task, "bfloat16": False})

    class EnvRunner:
        def __init__(self, config: object) -> None:
            self.config = config

    rays: dict[str, Any] = {"ray": {}, "ray__rllib": {}, "ray__rllib__env": {}}
    rays["ray__rllib__env__env_runner"] = vars(SimpleNamespace(EnvRunner=EnvRunner))
    runner = imported("agents.ray_engine.runner", **rays).BatchEnvRunner(config=config)
    response = runner.sample(piece=RolloutPart(update=1, index=0, games=1), weights={})
    assert isinstance(response, ValueError)
    assert "gone.onnx" in str(response)


def test_a_piece_of_self_play_needs_no_expert(tmp_path: Path) -> None:
    """A resumed run read the expert's file after imitation was over, when it may not exist."""
    task = task_of(short(tmp_path, num_envs=4))
    task = replace(task, recipe=replace(task.recipe, expert="gone.onnx"))
    player = Player(task, 4, bfloat16=False)
    weights = {name: weight.numpy() for name, weight in player.learner.network.state_dict().items()}
    assert player.play(RolloutPart(update=1, index=0, games=4), weights).decisions
    with pytest.raises(ValueError, match=r"gone\.onnx"):
        player.play(RolloutPart(update=1, index=0, games=4, imitation=True), weights)


@pytest.fixture
def ray_trainer(imported: Callable[..., Any]) -> Any:
    """The trainer's class, for a cluster of seven cores."""
    stubs = {"cluster": {"cores": lambda: 7}, "crew": {"Crew": None}}
    stub_modules = {f"agents__ray_engine__{name}": content for name, content in stubs.items()}
    return imported("agents.ray_engine.ray_trainer", **stub_modules).RayTrainer


def test_an_update_is_that_of_one_process_and_logs_as_much(
    ray_trainer: Any, tmp_path: Path
) -> None:
    """The crew is in the same process here, and learns nothing."""
    config = short(tmp_path, engine="ray", expert="", opponents=("heuristic",), num_envs=4)
    task = task_of(config)
    checkpoint = Checkpoint(task, Progress(updates=3))  # against the opponent, from the second seat
    local_trainer = Trainer(config, checkpoint, tmp_path)
    state = local_trainer.learner.learned()
    player = Player(task, 4, config.in_bfloat16)
    crew = SimpleNamespace(
        workers=1,
        play=lambda work, weights: [player.play(piece, weights) for piece in work],
        learn=lambda *_: {"learning_rate": 0.0},
        learned=lambda: state,
    )
    checkpoint = replace(checkpoint, progress=Progress(updates=3))
    trainer = ray_trainer(config, checkpoint, tmp_path)
    trainer.crew = crew
    log = trainer._play_itself()
    local_log = local_trainer._play_itself()
    losses = {"policy_gradient", "value", "entropy"}
    local_only = {f"train/{name}_loss" for name in losses} | {
        "train/loss", "train/approx_kl", "train/clip_fraction", "train/divergence"
    }  # fmt: skip
    assert set(log) == set(local_log) - local_only
    assert trainer.progress.steps == local_trainer.progress.steps
    assert log["rollout/share_of_decisions"] == local_log["rollout/share_of_decisions"]


def test_a_policy_tells_how_many_processes_played_and_learned(
    ray_trainer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = short(tmp_path, engine="ray", learners=2, threads=2)
    metadata: list[Any] = []
    monkeypatch.setattr(NO_EXPORT[0], lambda *_, training, **__: metadata.append(training))
    finish(ray_trainer(config, Checkpoint(task_of(config)), tmp_path))
    settings = {
        name: metadata[0][name] for name in ("engine", "workers", "learners", "threads", "device")
    }
    assert settings == {"engine": "ray", "workers": 7, "learners": 2, "threads": 1, "device": "cpu"}
