"""The fuzzer: a few cases of each kind, what it found once, and that it finds what is planted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.__main__ import FOUND, KINDS

ROOT = Path(__file__).parents[1]
FEW = {"trainings": 1, "policy_files": 20, "checkpoints": 20}


def fuzz(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--folder", str(folder), *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_cases_of_each_kind_find_nothing(kind: str, tmp_path: Path) -> None:
    done = fuzz(tmp_path, "--only", kind, "--cases", str(FEW.get(kind, 40)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{kind}: {FEW.get(kind, 40)} cases" in done.stdout


@pytest.mark.parametrize("kind", sorted({each["kind"] for each in json.loads(FOUND.read_text())}))
def test_what_was_found_once_is_not_found_any_more(kind: str, tmp_path: Path) -> None:
    done = fuzz(tmp_path, "--found", "--only", kind)
    assert done.returncode == 0, done.stdout + done.stderr


# --- the fuzzer itself ------------------------------------------------------------------------

PLANTED = """
import json, sys, time
from pathlib import Path
from types import SimpleNamespace
from tests.fuzz.expected import Wrong, refuses
from tests.fuzz.sandbox import Cases
from kododo_env import registry

def endless():
    while True: pass

def changes(): raise Wrong("something is changed", "a score")

def check(given, base):
    return eval(given, globals()) or "accepted"

kind = SimpleNamespace(__name__="planted", generate=lambda rng: rng.choice(["1"]), check=check)
(outcome,) = Cases(kind, 0, Path(sys.argv[1]), 1.0).of_inputs([sys.argv[2]])
print(json.dumps([outcome.word, outcome.fault]))
"""


@pytest.mark.parametrize(
    ("what", "word", "fault"),
    [
        ("'refused'", "refused", ""),
        ("refuses(lambda: registry.door('chess')) and 'refused'", "refused", ""),
        ("refuses(lambda: int('x'))", None, "ValueError"),  # not raised on purpose
        ("refuses(lambda: registry.door([]))", None, "TypeError at kododo_env/registry.py"),
        ("refuses(lambda: registry.door('x' * 999))", None, "a message is too long"),
        ("changes()", None, "something is changed"),
        ("endless()", None, "takes too much processor time"),
        ("len(bytes(1 << 40))", None, "MemoryError"),
        ("sys.exit(3)", None, "SystemExit"),
        ("__import__('os')._exit(3)", None, "the process died"),
        ("__import__('os').abort()", None, "the process died"),
    ],
)
def test_what_is_planted_is_found(what: str, word: str | None, fault: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLANTED, str(tmp_path), what],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found[0] == word
    assert found[1].startswith(fault)


def test_it_goes_on_where_it_stopped_and_a_case_can_be_repeated(tmp_path: Path) -> None:
    places = tmp_path / "next.json"
    places.write_text('{"7": {"rules": 12}}')
    args = ("--seed", "7", "--only", "rules", "--minutes", "0.02")
    done = fuzz(tmp_path, *args)
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = done.stdout.splitlines()
    played = int(line.split()[1].replace(",", ""))
    assert played > 0
    assert json.loads(places.read_text()) == {"7": {"rules": 12 + played}}
    assert fuzz(tmp_path, "--seed", "7", "--case", "rules:12").returncode == 0
