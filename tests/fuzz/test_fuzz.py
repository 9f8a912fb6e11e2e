"""The fuzzer: some cases of each kind, former findings, and planted faults."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import __main__ as fuzzer
from tests.fuzz.__main__ import FOUND, KINDS
from tests.fuzz.sandbox import Outcome

ROOT = Path(__file__).parents[2]
CASES = {kind: 20 for kind in KINDS if kind != "trainings"} | {"trainings": 2}


def python(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *args], cwd=ROOT, capture_output=True, text=True)


def fuzz(folder: Path, *args: str) -> list[str]:
    """Run the fuzzer, which must not find anything, and return its output lines."""
    done = python("-m", "tests.fuzz", "--folder", str(folder), *args)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("number", sorted(set(CASES.values())))
def test_some_cases_of_each_kind_find_nothing(number: int, tmp_path: Path) -> None:
    kinds = [kind for kind in CASES if CASES[kind] == number]
    seed, *lines = fuzz(tmp_path, "--seed", "0", "--cases", str(number), "--only", *kinds)
    assert seed == "seed 0"
    assert [line.partition(" cases")[0] for line in lines] == [
        f"{kind}: {number}" for kind in kinds
    ]


def test_cases_that_found_something_once_find_nothing_any_more(tmp_path: Path) -> None:
    finding_kinds = [finding["kind"] for finding in json.loads(FOUND.read_text())]
    _, *lines = fuzz(tmp_path, "--found")
    assert [line.partition(" cases")[0] for line in lines] == [
        f"{kind}: {finding_kinds.count(kind)}" for kind in KINDS if kind in finding_kinds
    ]


# --- the fuzzer itself ------------------------------------------------------------------------

PLANTED = {  # expressions, with the outcome of a case that evaluates them
    "'refused'": ("refused", ""),
    "refuses(lambda: registry.environment_module('chess')) and 'refused'": ("refused", ""),
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
from tests.fuzz.promises import FaultFound, refuses
from tests.fuzz.sandbox import outcome_of
from kododo_env import registry
from kododo_env.core.numbers import whole_number

game = registry.batch_game("kododo", 1, 0)

def endless():
    while True: pass

def changes(): raise FaultFound("something is changed", "a score")

def check(case, base): return eval(case, globals())

for case in sys.argv[2:]:
    outcome = outcome_of(lambda: case, check, Path(sys.argv[1]), 1.0)
    print(json.dumps([outcome.case, outcome.word, outcome.fault]))
"""


def test_planted_faults_are_found_and_the_next_case_runs_all_the_same(tmp_path: Path) -> None:
    done = python("-c", SCRIPT, str(tmp_path), *PLANTED)
    assert done.stderr == ""
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    for (planted, (word, fault)), (expression, *outcome) in zip(
        PLANTED.items(), outcomes, strict=True
    ):
        assert (expression, outcome[0]) == (planted, word)
        assert outcome[1].startswith(fault), planted


def test_a_finding_is_told_with_the_seed_that_repeats_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzzer, "outcome_of", lambda *_: Outcome({"a": 1}, None, "a fault"))
    for _ in range(2):
        assert fuzzer.main(["--only", "states", "--cases", "3", "--folder", str(tmp_path)]) == 1
    records = [json.loads(line) for line in (tmp_path / "findings.jsonl").read_text().splitlines()]
    first_seed, second_seed = (record["seed"] for record in records)
    assert first_seed != second_seed
    output = capsys.readouterr().out
    assert f"seed {first_seed}\n" in output
    assert f"python -m tests.fuzz --seed {first_seed} --case states:0\n" in output
    assert "states: 3 cases: 3 wrong\n" in output
    with pytest.raises(SystemExit):
        fuzzer.main(["--case", "states:1"])
