"""The folder of a run, and what --resume takes of the command line: applied, or refused."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import pytest

from agents.commands.train import train
from agents.recipes.recipe import Recipe
from agents.training import checkpoint
from agents.training.checkpoint import Checkpoint, read_checkpoint
from agents.training.run_folder import FIXED, resumed, run_folder, write_config
from agents.training.trainer import Trainer
from agents.training.training_config import TrainConfig, Which, default_config, defaults, task_of
from kododo_env.agent_registry import POLICIES, policy_path
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
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of two updates that stands at the end of its imitation."""
    given = {
        "players": 2, "steps": 2001, "seed": 5, "games": 20, "evaluations": 1, "threads": 1,
        "num_envs": 16, "batch_size": 256, "width": 8, "depth": 1, "magnet": 0.1,
        "opponents": ("heuristic",), "imitation_steps": 2000,
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*NO_EXPORT)
        return made_once(
            tmp_path_factory, "begun", lambda run: train(default_config(run_dir=run, **given))
        )


@pytest.fixture
def folder(begun: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(begun, tmp_path / "run"))


def asked(folder: Path, **changes: object) -> TrainConfig:
    config = defaults(Which(run_dir=folder, resume=True))
    settings = {k: v for k, v in changes.items() if k in ANOTHER}
    others = {k: v for k, v in changes.items() if k not in ANOTHER}
    config = replace(config, settings=replace(config.settings, **settings))
    given = {"run_dir": folder, "resume": True, "steps": 10_000, "games": 20, "threads": 1}
    return replace(config, **given | others)


def resume(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: Sequence[str],
) -> tuple[int, str, str]:
    line = ["--resume", "--run-dir", str(folder), "--games", "20", "--threads", "1", *more]
    monkeypatch.setattr(sys, "argv", ["train.py", *line])
    return train_py(capsys, line)


def test_a_run_goes_on_to_the_end_that_it_was_given(folder: Path) -> None:
    """The command that is printed on a stop gave every run 5 minutes, which it may have had."""
    again = defaults(Which(run_dir=folder, resume=True))
    assert (again.minutes, again.steps) == (None, 2001)
    longer = defaults(Which(run_dir=folder, resume=True, minutes=9))
    assert (longer.minutes, longer.steps) == (None, None)  # the command line has the rest
    (folder / "config.json").write_text('{"minutes": 2, "steps": 3}')
    other = defaults(Which(run_dir=folder, resume=True))
    assert (other.minutes, other.steps) == (None, None)


def test_every_setting_is_known_here() -> None:
    assert set(ANOTHER) == {each.name for each in fields(Recipe)}
    assert set(FIXED) < set(ANOTHER)


@pytest.mark.parametrize("name", FIXED)
def test_a_setting_that_cannot_be_changed_is_refused(folder: Path, name: str) -> None:
    before = {path: path.read_bytes() for path in folder.glob("*.*")}
    with pytest.raises(ValueError, match=f"--{name.replace('_', '-')} cannot be changed on --res"):
        train(asked(folder, **{name: ANOTHER[name]}))
    assert {path: path.read_bytes() for path in folder.glob("*.*")} == before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--seed", "99"], "--seed cannot be changed on --resume: the run began with 5, not 99"),
        (["--seed", "0"], "--seed cannot be changed on --resume: the run began with 5, not 0"),
        (["--game", "kado"], "it is for game kododo, not kado"),
        (["--players", "3"], "it is for 2 players, not 3"),
        (["--rules", "variant=long"], "rule variant standard, not long"),
        (["--opponents", "nobody"], "unknown agent 'nobody'"),
        (["--recipe", "scratch"], "cannot be changed on --resume: the run began with"),
    ],
)
def test_a_refusal_is_one_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    said: str,
) -> None:
    code, _, error = resume(folder, monkeypatch, capsys, more)
    assert (code, error.count("\n")) == (2, 1)
    assert said in error


def test_a_run_that_has_nothing_left_to_do_says_so(folder: Path) -> None:
    _, said = resumed(asked(folder, steps=1), folder)
    assert said[0].startswith("has learned for 0.")
    assert said[0].endswith("agent-steps: nothing is left of 1 agent-steps in all")


def test_a_setting_that_the_run_has_may_be_given_again(folder: Path) -> None:
    task = read_checkpoint(folder / "checkpoint.zip").task
    same = {name: getattr(task.recipe, name) for name in ANOTHER}
    again, said = resumed(asked(folder, seed=5, game="kododo", players=2, **same), folder)
    assert again.task == task
    assert len(said) == 1


@pytest.mark.parametrize("name", sorted(set(ANOTHER) - set(FIXED)))
def test_a_setting_that_can_be_changed_reaches_the_learner(folder: Path, name: str) -> None:
    before = read_checkpoint(folder / "checkpoint.zip")
    config = asked(folder, **{name: ANOTHER[name]})
    found, said = resumed(config, folder)
    assert getattr(found.task.recipe, name) == ANOTHER[name]
    assert [line for line in said if line.startswith("from here on")] == [
        f"from here on --{name.replace('_', '-')} {ANOTHER[name]!r}, "
        f"no longer {getattr(before.task.recipe, name)!r}"
    ]
    old = learner_settings(Trainer(config, before, folder))
    new = learner_settings(Trainer(config, found, folder))
    assert {key for key in old if old[key] != new[key]} == {name}


def learner_settings(trainer: Trainer) -> dict[str, object]:
    """Each setting that can be changed, as the learner really has it."""
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
    config = asked(folder, **{name: ANOTHER[name]})
    with pytest.raises(ValueError, match=f"--{name.replace('_', '-')}: this run imitates nobody"):
        resumed(config, folder)


@pytest.mark.parametrize(
    ("name", "needed"), [("opponents_share", "opponents"), ("magnet_updates", "magnet")]
)
def test_a_setting_is_refused_that_says_nothing_in_this_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, needed: str
) -> None:
    """It was said to change, and nothing did."""
    saved, none = read_checkpoint(folder / "checkpoint.zip"), {"opponents": (), "magnet": 0.0}
    without = replace(saved.task, recipe=replace(saved.task.recipe, **none))
    monkeypatch.setattr(
        "agents.training.run_folder.read_run", lambda _: replace(saved, task=without)
    )
    config = asked(folder, **none, **{name: ANOTHER[name]})
    with pytest.raises(ValueError, match=f"{name.replace('_', '-')} counts only with --{needed}"):
        resumed(config, folder)


def test_help_tells_what_the_run_would_really_use(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, _ = resume(folder, monkeypatch, capsys, ["--help"])
    assert code == 0
    words = " ".join(said.split())
    assert "--width INT Width of the hidden layers. (1 to 4,096; default: 8)" in words
    assert "--seed INT Seed of everything random. (0 to 4,294,967,295; default: 5)" in words


def test_a_change_is_said_applied_and_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = read_checkpoint(folder / "checkpoint.zip").progress.steps
    reads: list[Path] = []
    members = checkpoint._members
    monkeypatch.setattr(checkpoint, "_members", lambda path: reads.append(path) or members(path))
    monkeypatch.setattr(*NO_EXPORT)
    more = ["--steps", str(2 * steps), "--learning-rate", "3e-4", "--temperature", "0.125"]
    code, said, error = resume(folder, monkeypatch, capsys, more)
    assert code == 0, error
    assert len(reads) == 2  # for the defaults and by the run; it was read and digested four times
    assert f"{steps:,} agent-steps, until {2 * steps:,} agent-steps in all" in said
    assert "from here on --learning-rate 0.0003, no longer 0.0001\n" in said
    assert "from here on --temperature 0.125, no longer 0.25\n" in said
    saved = read_checkpoint(folder / "checkpoint.zip")
    task, progress = saved.task, saved.progress
    assert (task.recipe.learning_rate, task.recipe.temperature) == (3e-4, 0.125)
    assert progress.steps == 2 * steps
    recipe = json.loads((folder / "config.json").read_text())["task"]["recipe"]
    assert recipe["learning_rate"] == 3e-4
    again, said = resumed(asked(folder), folder)  # without a word: as it is by now
    assert again.task == task
    assert len(said) == 1


# --- the folder ---------------------------------------------------------------------------


@pytest.mark.parametrize("resume", [False, True])
def test_a_run_killed_before_its_first_checkpoint_begins_again(
    resume: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without --resume it "holds a run already", with it there was "no checkpoint"."""
    config = short(tmp_path, seed=5)
    write_config(tmp_path, task_of(config), config)
    begun: list[Trainer] = []
    monkeypatch.setattr(Trainer, "run", lambda self: begun.append(self) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(replace(config, resume=resume))
    assert [Checkpoint(each.task, each.progress) for each in begun] == [Checkpoint(task_of(config))]
    said = capsys.readouterr().out.splitlines()
    assert said[1:] == ["it was stopped before its first checkpoint and begins again"]


def test_such_a_run_begins_with_a_policy_that_may_be_another_one_by_now(tmp_path: Path) -> None:
    """It ended in torch's words on the names of weights."""
    policy, run = tmp_path / "policy.onnx", tmp_path / "run"
    shutil.copy(POLICIES / "kododo-2p.onnx", policy)
    config = short(run, players=2, init=str(policy), width=256)
    run.mkdir()
    write_config(run, task_of(config), config)
    shutil.copy(policy_path("member-kododo-2p-1"), policy)
    again = replace(defaults(Which(run_dir=run, resume=True)), run_dir=run, resume=True, steps=1)
    with pytest.raises(ValueError, match=r"the network of .*policy.onnx has \d+, not "):
        train(again)


def test_a_finished_run_without_its_checkpoint_is_not_begun_again(tmp_path: Path) -> None:
    config = short(tmp_path)
    write_config(tmp_path, task_of(config), config)
    (tmp_path / "policy.onnx").touch()
    with pytest.raises(ValueError, match="holds a run already: give another --run-dir"):
        train(config)


def test_a_run_does_not_begin_over_a_policy_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "policy.onnx").touch()
    with pytest.raises(ValueError, match=r"holds policy\.onnx already: give another --run-dir"):
        train(short(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["policy.onnx"]


def test_runs_that_begin_at_the_same_time_find_different_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = default_config()
    with run_folder(config) as one, run_folder(config) as other:
        folders = [one, other]
    assert folders == [Path("runs/kododo-4p"), Path("runs/kododo-4p-2")]


def test_a_damaged_checkpoint_and_one_of_another_program_are_refused(folder: Path) -> None:
    path = folder / "checkpoint.zip"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    for _ in range(2):
        with pytest.raises(ValueError, match="not a checkpoint of a training run, or is damaged"):
            train(asked(folder))
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("facts.json", "{}")
