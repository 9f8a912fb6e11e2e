"""The fuzzer: some cases of each kind, what it found once, and that it finds what is planted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.__main__ import FOUND, KINDS, Report
from tests.fuzz.sandbox import Outcome

ROOT = Path(__file__).parents[2]
CASES = {kind: 20 for kind in KINDS if kind != "trainings"} | {"trainings": 2}


def python(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *args], cwd=ROOT, capture_output=True, text=True)


def fuzz(folder: Path, *args: str) -> list[str]:
    """What the fuzzer says if it finds nothing."""
    done = python("-m", "tests.fuzz", "--folder", str(folder), *args)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("number", sorted(set(CASES.values())))
def test_some_cases_of_each_kind_find_nothing(number: int, tmp_path: Path) -> None:
    kinds = [kind for kind in CASES if CASES[kind] == number]
    seed, *lines = fuzz(tmp_path, "--seed", "0", "--cases", str(number), "--only", *kinds)
    assert seed == "seed 0"
    assert [line.partition(" cases")[0] for line in lines] == [
        f"{each}: {number}" for each in kinds
    ]


def test_what_was_found_once_is_not_found_any_more(tmp_path: Path) -> None:
    known = [each["kind"] for each in json.loads(FOUND.read_text())]
    lines = fuzz(tmp_path, "--found")
    assert [line.partition(" cases")[0] for line in lines] == [
        f"{kind}: {known.count(kind)}" for kind in KINDS if kind in known
    ]


# --- the fuzzer itself ------------------------------------------------------------------------

PLANTED = {  # an expression, and what becomes of a case that computes it
    "'refused'": ("refused", ""),
    "refuses(lambda: registry.door('chess')) and 'refused'": ("refused", ""),
    "refuses(lambda: int('x'))": (None, "ValueError"),  # not raised on purpose
    "refuses(lambda: game.layout.where([]))": (None, "KeyError at kododo_env/core/observation"),
    "refuses(lambda: whole_number('x', 'n' * 999))": (None, "a message is too long"),
    "refuses(lambda: whole_number('x', 'a\\nb'))": (None, "a message is not one line"),
    "refuses(lambda: whole_number('x', '\\x1b'))": (None, "a message has characters that cannot"),
    "changes()": (None, "something is changed"),
    "endless()": (None, "takes too much processor time"),
    "len(bytes(1 << 40))": (None, "MemoryError"),
    "sys.exit(3)": (None, "SystemExit"),
    "os._exit(3)": (None, "the process died"),
    "os.abort()": (None, "the process died"),
}
SCRIPT = """
import json, os, sys
from pathlib import Path
from types import SimpleNamespace
from tests.fuzz.expected import Wrong, refuses
from tests.fuzz.sandbox import Cases
from kododo_env import registry
from kododo_env.core.numbers import whole_number

game = registry.batch_game("kododo", 1, 0)

def endless():
    while True: pass

def changes(): raise Wrong("something is changed", "a score")

kind = SimpleNamespace(__name__="planted", check=lambda given, base: eval(given, globals()))
cases = Cases(kind, 0, Path(sys.argv[1]), 1.0)
print(json.dumps([[each.word, each.fault] for each in cases.of_inputs(sys.argv[2:])]))
"""


def test_what_is_planted_is_found_and_the_next_case_runs_all_the_same(tmp_path: Path) -> None:
    done = python("-c", SCRIPT, str(tmp_path), *PLANTED)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    for (planted, (word, fault)), (found_word, found_fault) in zip(
        PLANTED.items(), found, strict=True
    ):
        assert (planted, found_word) == (planted, word)
        assert found_fault.startswith(fault), planted


def test_each_call_has_a_seed_of_its_own_and_says_it_with_what_it_finds(tmp_path: Path) -> None:
    said = [fuzz(tmp_path, "--only", "rules", "--cases", "3") for _ in range(2)]
    seeds = [lines[0].removeprefix("seed ") for lines in said]
    assert all(map(str.isdecimal, seeds))
    assert len({*seeds}) == 2
    assert all(lines[1].startswith("rules: 3 cases") for lines in said)
    without = python("-m", "tests.fuzz", "--case", "rules:1")
    assert (without.returncode, without.stdout) == (2, "")
    assert "--case needs the --seed that was said" in without.stderr
    fuzz(tmp_path, "--seed", seeds[0], "--case", "rules:1")


def test_what_is_found_is_told_with_what_repeats_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = Report(7, tmp_path / "findings.jsonl")
    assert report.of("rules", Outcome(12, {"a": 1}, None, "a fault", "more of it"))
    assert "python -m tests.fuzz --seed 7 --case rules:12\n" in capsys.readouterr().out
    told = json.loads((tmp_path / "findings.jsonl").read_text())
    assert (told["seed"], told["kind"], told["number"]) == (7, "rules", 12)
