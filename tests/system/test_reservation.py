"""A file is written by one process, is writable at the end, and leaves no temporary files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.commands.evaluate import EvaluateConfig, evaluate
from agents.commands.train import train
from agents.release.config import PoliciesConfig
from agents.release.make_policies import make_policies
from agents.training.run_folder import config_facts
from agents.training.training_config import TrainConfig, default_config, task_of
from kododo_env.commands import tournament as evaluation
from kododo_env.system.files import (
    check_file,
    remove_leftovers,
    write_json,
    write_text,
    written_whole,
)
from kododo_env.system.reservation import UNFINISHED, folder_written_whole, reserved
from tests.command_line import run

SOME = ("--agents", "random", "greedy", "--games", "40", "--workers", "1")
ONLY = ("--only", "kododo-2p")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- one process at a time ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "main", "arguments", "place"),
    [
        (TrainConfig, train, ["--run-dir"], "run"),
        (TrainConfig, train, ["--resume", "--run-dir"], "run"),
        (EvaluateConfig, evaluate, [*SOME, "--json"], "table.json"),
        (EvaluateConfig, evaluate, [*SOME, "--plot"], "table.svg"),
        (EvaluateConfig, evaluate, ["--best-response", "kado-3p", "--json"], "response.json"),
        (EvaluateConfig, evaluate, ["--best-response", "kado-3p", "--save"], "response.onnx"),
        (PoliciesConfig, make_policies, [*ONLY, "--runs", "other", "--out"], "out"),
        (PoliciesConfig, make_policies, [*ONLY, "--out", "other", "--runs"], "runs/kododo-2p"),
    ],
)
def test_two_processes_once_overwrote_each_other(
    config: type[Any],
    main: Any,
    arguments: list[str],
    place: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(evaluation, "run", None)  # rejected before anything is played
    path = tmp_path / place
    if not path.suffix:
        path.mkdir(parents=True)
    if config is TrainConfig:  # of the other process, which has just begun
        settings = default_config(run_dir=path)
        write_json(path / "config.json", config_facts(task_of(settings), settings))
    before = names(path.parent)
    with reserved(path, [path] if path.suffix else []):
        argument = path.parent if path.name == "kododo-2p" else path
        code, output, error = run(capsys, config, main, [*arguments, str(argument)])
    assert (code, output, error.count("\n")) == (2, "", 1)
    assert f"another process is using {path}" in error
    assert names(path.parent) == before
    if not path.suffix:
        assert names(path) == (["config.json"] if config is TrainConfig else [])


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path\n"
        "from kododo_env.system.reservation import reserved\n"
        "with reserved(Path(sys.argv[1]), []): print(flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(ValueError, match="another process is using"), reserved(tmp_path, []):
            pass
        holder.kill()
    with reserved(tmp_path, []):
        pass
    assert names(tmp_path) == []


def test_a_folder_that_was_taken_away_is_not_ours(tmp_path: Path) -> None:
    """A run whose folder was removed and made again by another run once wrote into it."""
    folder = tmp_path / "run"
    folder.mkdir()
    with reserved(folder, []) as place:
        place.check()
        folder.rename(tmp_path / "elsewhere")
        with pytest.raises(ValueError, match=r"run.* was moved or removed"):
            place.check()
        folder.mkdir()
        with reserved(folder, []) as new_place:
            new_place.check()
            with pytest.raises(ValueError, match=r"run.* was moved or removed"):
                place.check()
    assert names(folder) == []


# --- what can be written at the end -------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["policy.onnx", "policy.meta.json", "results.json", "learning_curve.png", "checkpoint.zip"],
)
def test_a_folder_in_the_way_of_a_run_is_found_before_it_trains(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run" / name).mkdir(parents=True)
    code, output, error = run(capsys, TrainConfig, train, ["--run-dir", str(tmp_path / "run")])
    assert (code, output) == (2, "")
    assert f"cannot write {tmp_path}/run/{name}: " in error
    assert names(tmp_path / "run") == [name]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The message once had the name of the temporary file."""
    path = tmp_path / "gone" / "file.json"
    with pytest.raises(OSError, match="No such file") as failed:
        write_text(path, "")
    assert failed.value.filename == str(path)
    with pytest.raises(ValueError, match=f"cannot write {path}: No such file"):
        check_file(path)


# --- what is left behind ------------------------------------------------------------------


def test_the_rest_of_a_file_that_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    """Kill -9 during a write once left .checkpoint.zip.abcd1234.zip for ever."""
    path = tmp_path / "check[point].zip"
    script = (
        "import os, sys; from pathlib import Path\n"
        "from kododo_env.system.files import written_whole\n"
        "with written_whole(Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert len(names(tmp_path)) == 1
    unrelated = [".checkpoint.zip.ab.zip", ".check[point].zip.ABCD1234.zip", "check[point].zip"]
    for name in unrelated:
        (tmp_path / name).touch()
    with reserved(path, [path]):
        pass
    assert names(tmp_path) == sorted(unrelated)


def test_a_file_in_the_making_is_not_left_by_an_error(tmp_path: Path) -> None:
    def fails(_: Any) -> None:
        with written_whole(tmp_path / "file.json") as aside:
            aside.write_text("half of it")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left") as failed:
        fails(None)
    assert failed.value.filename == str(tmp_path / "file.json")
    remove_leftovers(tmp_path / "file.json")
    assert names(tmp_path) == []


def test_a_folder_takes_the_place_of_what_a_killed_process_left_and_of_nothing_else(
    tmp_path: Path,
) -> None:
    (tmp_path / UNFINISHED).mkdir()
    (tmp_path / "old").touch()
    with folder_written_whole(tmp_path, ["old", "new"]) as scratch:
        for name in ("old", "new"):
            (scratch / name).write_text(name)
    assert names(tmp_path) == ["new", "old"]
    assert (tmp_path / "old").read_text() == "old"
    (tmp_path / UNFINISHED).mkdir()
    with (
        pytest.raises(ValueError, match="not empty"),
        folder_written_whole(tmp_path, ["new"]),
    ):
        pass
    assert (tmp_path / "old").exists()
