"""train.py: wrong input, folders, checkpoints that are not one's own."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from agents.commands.train import train
from agents.training.checkpoint import Checkpoint
from agents.training.run_folder import run_folder, write_config
from agents.training.trainer import Trainer
from agents.training.training_config import default_config, task_of
from tests.command_line import assert_refused, train_py
from tests.trainings import short


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--minutes", "0"], "--minutes must be above 0 and at most 525600, not 0.0"),
        (["--steps", "-5"], "--steps must be 1 to 1000000000000, not -5"),
        (["--minutes", "1", "--steps", "5"], "minutes or steps, not both"),
        (["--players", "7"], "2 to 5 players, not 7"),
        (["--game", "poker"], "unknown game 'poker'"),
        (["--rules", "variant=endless"], "variant must be"),
        (["--rules", "variant"], "name=value"),
        (["--rules", "colour=3"], "no rule 'colour'"),
        (["--seed", "-1"], "--seed must be 0 to 4294967295, not -1"),
        (["--learning-rate", "0"], "--learning-rate must be above 0 and at most 1"),
        (["--checkpoint-minutes", "-1"], "--checkpoint-minutes must be above 0"),
        (["--run-dir", "/proc/none"], "cannot write to the folder"),
        (["--resume"], "--resume needs --run-dir"),
        (["--resume", "--run-dir", "nowhere"], "no checkpoint"),
        (["--players", "four"], "--players"),
        (["--recipe", "poker"], "--recipe must be game or scratch, not 'poker'"),
    ],
)
def test_bad_arguments_are_one_line_and_status_2(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused(train_py(capsys, arguments), said, tmp_path)


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ValueError, match="holds a run already"):
        train(short(tmp_path))


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


def test_a_finished_run_without_its_checkpoint_is_not_begun_again(tmp_path: Path) -> None:
    config = short(tmp_path)
    write_config(tmp_path, task_of(config), config)
    (tmp_path / "policy.onnx").touch()
    with pytest.raises(ValueError, match="holds a run already: give another --run-dir"):
        train(config)


def test_runs_that_begin_at_the_same_time_find_different_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = default_config()
    with run_folder(config) as one, run_folder(config) as other:
        folders = [one, other]
    assert folders == [Path("runs/kododo-4p"), Path("runs/kododo-4p-2")]
    monkeypatch.setattr("agents.commands.train.Trainer", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(default_config())
    assert not Path("runs").exists()


def test_a_run_that_cannot_begin_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.commands.train.Trainer", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(short(tmp_path / "a" / "b"))
    assert not (tmp_path / "a").exists()


def test_damaged_and_foreign_checkpoints_are_refused(tmp_path: Path) -> None:
    train(short(tmp_path / "run", steps=1))
    path = tmp_path / "run" / "checkpoint.zip"
    with pytest.raises(ValueError, match="number of players 3, not 2"):
        train(short(tmp_path / "run", players=2, resume=True))
    with pytest.raises(ValueError, match="rule limit_offset 3, not 4"):
        train(short(tmp_path / "run", rules=("limit_offset=4",), resume=True))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="not a checkpoint of a training run, or is damaged"):
        train(short(tmp_path / "run", resume=True))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("facts.json", "{}")
    with pytest.raises(ValueError, match="not a checkpoint of a training run, or is damaged"):
        train(short(tmp_path / "run", resume=True))
