"""Some cases of ``make faults``, and tests of its tools."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.faults import __main__ as faults
from tests.faults import kills, places, soak, work
from tests.faults.scripts import Fault, Script
from tests.faults.work import Tournament, Training, compare


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "UPDATES", 4)
    monkeypatch.setattr(work, "GAMES", 12_000)
    monkeypatch.setattr(kills, "SEEN", [1])  # not before the first step is saved


def test_a_killed_training_comes_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kills, "WAYS", {"SIGKILL in a write": 1.0})
    training = Training("kododo", 2)
    assert kills.killed(training, 1, 0, tmp_path).total() == 1
    changed_folder = tmp_path / "other"
    shutil.copytree(tmp_path / "whole", changed_folder)
    (changed_folder / "results.json").write_text("{}")
    (changed_folder / "checkpoint.zip").write_bytes(
        (tmp_path / "broken" / "checkpoint.zip").read_bytes()
    )
    with pytest.raises(Fault, match=r"undisturbed: run\['results'\]: uint8.*\)$"):
        compare(training, tmp_path / "whole", changed_folder)


def test_a_killed_tournament_with_workers_comes_to_the_same(tmp_path: Path) -> None:
    assert kills.killed(Tournament(), 2, 1, tmp_path).total() == 2


def test_a_training_without_room_says_so_in_a_line(tmp_path: Path) -> None:
    """Regression: after the line about a full disk came a traceback of TensorBoard's thread."""
    if hasattr(psutil.Process, "rlimit"):
        places.no_larger_file(Training("kododo", 3), tmp_path, to_the_end=False)


def test_a_training_whose_folder_became_anothers_writes_nothing(tmp_path: Path) -> None:
    places.loses_folder(Training("kododo", 3), places.replaced, tmp_path)


def test_a_tournament_whose_folder_is_removed_says_so(tmp_path: Path) -> None:
    places.loses_folder(Tournament(), places.removed, tmp_path)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("raise ValueError", "status 1, not one of"),
        ("import sys; print('one\\ntwo', file=sys.stderr)", "more than a line on stderr"),
        ("import subprocess; subprocess.Popen(['sleep', '50'])", "1 of its processes go on"),
    ],
)
def test_faults_are_noticed(
    script: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.faults.scripts.LEFT", 0.5)
    with pytest.raises(Fault, match=message):
        Script(["-c", script], tmp_path / "words").end([0])


def test_faults_are_told_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(scratch: Path) -> None:
        raise Fault("another table")

    fake_cases = {"right": lambda scratch: None, "wrong": wrong}
    monkeypatch.setattr(faults, "cases", lambda number, seed: fake_cases)
    assert faults.main([]) == 1
    assert "FAULT: another table" in capsys.readouterr().out
    assert faults.main(["--only", "right"]) == 0
    assert set(kills.NUMBERS.values()) == {signal.SIGTERM, signal.SIGINT}


# --- flat memory --------------------------------------------------------------------------


def test_memory_that_grows_to_the_end_is_noticed() -> None:
    warm_up = [100.0] * 5 + [200.0] * 15
    assert soak.judged(warm_up)["flat"]
    leak = [100 + 2 * k for k in range(20)]
    result = soak.judged(leak)
    assert (result["growth_mb"], result["flat"]) == (10.0, False)
    with soak.Memory() as memory:
        before = len(memory.samples)
        held = bytearray(b"x" * (50 << 20))
        while len(memory.samples) < before + 2:
            time.sleep(0.05)
    assert memory.samples[-1] - memory.samples[0] > 40
    assert held


def test_a_short_soak_of_each_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    soak.main(["--part", "parallel_env", "--game", "combi_combo", "--episodes", "30"])
    result = json.loads(capsys.readouterr().out)
    assert (result["part"], result["episodes"]) == ("parallel_env", 30)
    # One step, because a busy machine may not finish an update in .01 minutes.
    training_result = soak.self_play("kododo", tmp_path, steps=1)
    assert training_result["updates"] >= 1
    assert training_result["first_mb"] > 0
