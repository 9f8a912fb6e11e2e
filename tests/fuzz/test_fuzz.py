"""The fuzzer: some cases of each kind, what it found once, and that it finds what is planted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.__main__ import FOUND, KINDS

ROOT = Path(__file__).parents[2]
CASES = {kind: 30 for kind in KINDS if kind != "trainings"} | {"trainings": 2}


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
    lines = fuzz(tmp_path, "--cases", str(number), "--only", *kinds)
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


def test_it_goes_on_where_it_stopped_and_a_case_can_be_repeated(tmp_path: Path) -> None:
    places = tmp_path / "next.json"
    places.write_text('{"7": {"rules": 12}}')
    (line,) = fuzz(tmp_path, "--seed", "7", "--only", "rules", "--minutes", "0.05")
    played = int(line.split()[1].replace(",", ""))
    assert played > 0
    assert json.loads(places.read_text()) == {"7": {"rules": 12 + played}}
    fuzz(tmp_path, "--seed", "7", "--case", "rules:12")
