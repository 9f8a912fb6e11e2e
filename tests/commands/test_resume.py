"""The folder of a run, and the arguments of --resume: applied or rejected."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import pytest

from agents.commands.train import train
from agents.options import uses_of
from agents.recipes.recipe import Recipe
from agents.training import checkpoint
from agents.training.checkpoint import Checkpoint, read_checkpoint
from agents.training.command_defaults import TableChoice, defaults
from agents.training.run_folder import config_facts, resumed, run_folder
from agents.training.trainer import Trainer
from agents.training.training_config import TrainConfig, default_config, task_of
from kododo_env.system.files import write_json
from tests.command_line import train_py
from tests.helpers import made_once
from tests.trainings import NO_EXPORT, short

ANOTHER = {
    "num_envs": 32, "batch_size": 100, "n_epochs": 2, "learning_rate": 3e-4,
    "final_learning_rate": 2e-5, "muon": 10.0, "ent_coef": 0.5, "final_ent_coef": 0.25,
    "magnet": 0.25, "magnet_updates": 5.0, "clip_range": 0.3, "gamma": 0.9, "gae_lambda": 0.8,
    "vf_coef": 0.25, "max_grad_norm": 2.0, "learned_share": 0.75,
    "reward": "score", "margin_weight": 0.5, "network": "parts:Net",
    "width": 7, "depth": 2, "one_hot": 3, "tied": True,
    "init": "kododo-2p", "expert": "follow", "imitation_steps": 50, "imitation_share": 0.5,
    "imitation_learning_rate": 4e-3, "imitation_temperature": 1.5,
    "opponents": ("greedy",), "opponents_share": 0.75, "temperature": 0.125,
}  # fmt: skip


@pytest.fixture(scope="module")
def stopped_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of two updates, stopped at the end of its imitation."""
    settings = {
        "players": 2, "steps": 2001, "seed": 5, "games": 20, "evaluations": 1, "threads": 1,
        "num_envs": 16, "batch_size": 256, "width": 8, "depth": 1, "magnet": 0.1,
        "opponents": ("heuristic",), "imitation_steps": 2000,
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*NO_EXPORT)
        return made_once(
            tmp_path_factory, "begun", lambda run: train(default_config(run_dir=run, **settings))
        )


@pytest.fixture
def folder(stopped_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stopped_run, tmp_path / "run"))


def resuming_config(folder: Path, **changes: object) -> TrainConfig:
    config = defaults(TableChoice(run_dir=folder, resume=True))
    settings = {name: changes.pop(name) for name in list(changes) if name in ANOTHER}
    config = replace(config, settings=replace(config.settings, **settings))
    options = {"run_dir": folder, "resume": True, "steps": 10_000, "games": 20, "threads": 1}
    return replace(config, **options | changes)


def resume(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: Sequence[str],
) -> tuple[int, str, str]:
    line = ["--resume", "--run-dir", str(folder), "--games", "20", "--threads", "1", *options]
    monkeypatch.setattr(sys, "argv", ["train.py", *line])
    return train_py(capsys, line)


def test_a_run_goes_on_to_the_end_that_it_was_given(folder: Path) -> None:
    """The command that is printed on a stop once gave every run 5 minutes."""
    unchanged = defaults(TableChoice(run_dir=folder, resume=True))
    assert (unchanged.minutes, unchanged.steps) == (None, 2001)
    longer = defaults(TableChoice(run_dir=folder, resume=True, minutes=9))
    assert (longer.minutes, longer.steps) == (None, None)  # the command line has the rest
    (folder / "config.json").write_text('{"minutes": 2, "steps": 3}')
    changed = defaults(TableChoice(run_dir=folder, resume=True))
    assert (changed.minutes, changed.steps) == (None, None)


FIXED = [name for name, use in uses_of(Recipe).items() if use.fixed]


def test_every_setting_is_known_here() -> None:
    assert set(ANOTHER) == {field.name for field in fields(Recipe)}
    assert set(FIXED) < set(ANOTHER)


@pytest.mark.parametrize("name", FIXED)
def test_a_setting_that_cannot_be_changed_is_refused(folder: Path, name: str) -> None:
    before = {path: path.read_bytes() for path in folder.glob("*.*")}
    with pytest.raises(ValueError, match=f"--{name.replace('_', '-')} "):
        train(resuming_config(folder, **{name: ANOTHER[name]}))
    assert {path: path.read_bytes() for path in folder.glob("*.*")} == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--seed", "99"], "--seed"),
        (["--seed", "0"], "--seed"),
        (["--game", "kado"], "game kododo"),
        (["--players", "3"], "2 players"),
        (["--rules", "variant=long"], "variant"),
        (["--opponents", "nobody"], "unknown agent 'nobody'"),
        (["--recipe", "scratch"], "--resume"),
    ],
)
def test_a_refusal_is_one_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    words: str,
) -> None:
    code, _, error = resume(folder, monkeypatch, capsys, options)
    assert (code, error.count("\n")) == (2, 1)
    assert words in error


def test_a_run_that_has_nothing_left_to_do_says_so(folder: Path) -> None:
    _, lines = resumed(resuming_config(folder, steps=1), folder)
    assert "nothing" in lines[0]
    assert "1 agent-steps" in lines[0]


@pytest.mark.parametrize("name", sorted(set(ANOTHER) - set(FIXED)))
def test_a_setting_that_can_be_changed_reaches_the_learner(folder: Path, name: str) -> None:
    before = read_checkpoint(folder / "checkpoint.zip")
    config = resuming_config(folder, **{name: ANOTHER[name]})
    after, lines = resumed(config, folder)
    assert getattr(after.task.recipe, name) == ANOTHER[name]
    (line,) = (line for line in lines if f"--{name.replace('_', '-')} " in line)
    assert repr(ANOTHER[name]) in line
    assert repr(getattr(before.task.recipe, name)) in line
    old = learner_settings(Trainer(config, before, folder))
    new = learner_settings(Trainer(config, after, folder))
    assert {key for key in old if old[key] != new[key]} == {name}


def learner_settings(trainer: Trainer) -> dict[str, object]:
    """Return each setting that can be changed, as the learner has it."""
    recipe = trainer.learner.recipe
    assert trainer.imitation is not None
    assert trainer.imitation.recipe is recipe
    return {
        **{name: getattr(recipe, name) for name in ANOTHER},
        "opponents": tuple(name for name in trainer.tables if name is not None),
        "temperature": trainer.agent.temperature,
    }


@pytest.mark.parametrize("name", ["imitation_learning_rate", "imitation_temperature"])
def test_no_setting_of_imitation_is_said_to_change_when_it_is_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    saved = read_checkpoint(folder / "checkpoint.zip")
    over = replace(saved, progress=replace(saved.progress, imitation_over=True))
    monkeypatch.setattr("agents.training.run_folder.read_run", lambda _: over)
    config = resuming_config(folder, **{name: ANOTHER[name]})
    with pytest.raises(ValueError, match=f"--{name.replace('_', '-')}.*imitat"):
        resumed(config, folder)


def test_a_change_is_said_applied_and_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = read_checkpoint(folder / "checkpoint.zip").progress.steps
    reads: list[Path] = []
    members = checkpoint._members
    monkeypatch.setattr(checkpoint, "_members", lambda path: reads.append(path) or members(path))
    monkeypatch.setattr(*NO_EXPORT)
    options = ["--steps", str(2 * steps), "--learning-rate", "3e-4", "--temperature", "0.125"]
    code, output, error = resume(folder, monkeypatch, capsys, options)
    assert code == 0, error
    assert len(reads) == 2  # for the defaults, and by the run
    assert f"{2 * steps:,} agent-steps" in output
    assert re.search(r"--learning-rate 0\.0003.* 0\.0001\n", output)
    assert re.search(r"--temperature 0\.125.* 0\.25\n", output)
    saved = read_checkpoint(folder / "checkpoint.zip")
    task = saved.task
    progress = saved.progress
    assert (task.recipe.learning_rate, task.recipe.temperature) == (3e-4, 0.125)
    assert progress.steps == 2 * steps
    recipe = json.loads((folder / "config.json").read_text())["task"]["recipe"]
    assert recipe["learning_rate"] == 3e-4
    unchanged, lines = resumed(resuming_config(folder), folder)
    assert unchanged.task == task
    assert len(lines) == 1


# --- the folder ---------------------------------------------------------------------------


@pytest.mark.parametrize("resume", [False, True])
def test_a_run_killed_before_its_first_checkpoint_begins_again(
    resume: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Both with and without --resume it was once rejected."""
    config = short(tmp_path, seed=5)
    write_json(tmp_path / "config.json", config_facts(task_of(config), config))
    trainers: list[Trainer] = []
    monkeypatch.setattr(Trainer, "run", lambda self: trainers.append(self) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(replace(config, resume=resume))
    (trainer,) = trainers
    assert Checkpoint(trainer.task, trainer.progress) == Checkpoint(task_of(config))
    _, line = capsys.readouterr().out.splitlines()
    assert "before its first checkpoint" in line


def test_a_run_does_not_begin_over_a_policy_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "policy.onnx").touch()
    with pytest.raises(ValueError, match=r"policy\.onnx"):
        train(short(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["policy.onnx"]


def test_runs_that_begin_at_the_same_time_find_different_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = default_config()
    with run_folder(config) as first, run_folder(config) as second:
        folders = [first, second]
    assert folders == [Path("runs/kododo-4p"), Path("runs/kododo-4p-2")]
