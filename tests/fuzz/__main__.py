"""The fuzzer from the command line: ``python -m tests.fuzz --help``."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from secrets import randbelow
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: a process that forks has one thread

from tests.fuzz.sandbox import Cases, Outcome

KINDS = {  # and the seconds of processor time that a case may take
    "actions": 10.0,
    "rules": 30.0,
    "states": 10.0,
    "partial_results": 10.0,
    "records": 20.0,
    "policy_files": 20.0,
    "checkpoints": 20.0,
    "command_lines": 20.0,
    "trainings": 60.0,
}
FOUND = Path(__file__).with_name("found.json")
SLICE = 10.0  # seconds for one kind before the next has its turn


def main(args: Sequence[str] | None = None) -> int:
    """Look for faults; 1 if there are some."""
    parser = _parser()
    asked = parser.parse_args(args)
    if asked.case and asked.seed is None:
        parser.error("--case needs the --seed that was said")
    with tempfile.TemporaryDirectory() as scratch:
        if asked.case:
            kind, _, number = asked.case.rpartition(":")
            cases = prepared(kind, asked.seed, Path(scratch))
            (outcome,) = cases.of_inputs([cases.generate(int(number))])
            return 1 if Report(asked.seed, None).of(kind, outcome, int(number)) else 0
        if asked.found:
            return again(asked.only or list(KINDS), Path(scratch))
        return search(asked, Path(scratch))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Give the project wrong input of all kinds. What is found is printed and "
        "kept in FOLDER/findings.jsonl.",
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, help="of the series of cases; another one each time")
    parser.add_argument("--only", nargs="+", choices=KINDS, help="only these kinds")
    parser.add_argument("--cases", type=int, help="this many of each kind, in place of time")
    parser.add_argument("--case", metavar="KIND:NUMBER", help="one case of --seed again")
    parser.add_argument("--found", action="store_true", help="only what was found once")
    parser.add_argument("--folder", type=Path, default=Path("runs/fuzz"))
    return parser


def prepared(kind: str, seed: int, scratch: Path) -> Cases:
    """The cases of a kind, in a folder of their own with what they need."""
    module = import_module(f"tests.fuzz.{kind}")
    base = scratch / kind
    base.mkdir(exist_ok=True)
    cases = Cases(module, seed, base, KINDS[kind])
    if hasattr(module, "prepare") and not (base / "ready").exists():
        module.prepare(base)
        (base / "ready").touch()
    return cases


class Report:
    """Says and keeps what is found, each fault once.

    Args:
        seed: Of the series of cases; None if they are of none.
        path: The file for the findings; None keeps none.
    """

    def __init__(self, seed: int | None, path: Path | None) -> None:
        self.seed, self.path = seed, path
        self.words: dict[str, Counter[str]] = {}
        self.faults: dict[str, Counter[str]] = {}

    def of(self, kind: str, outcome: Outcome, number: int | None = None) -> bool:
        """Note how a case went; whether it found a fault."""
        if outcome.word is not None:
            self.words.setdefault(kind, Counter())[outcome.word] += 1
            return False
        faults = self.faults.setdefault(kind, Counter())
        faults[outcome.fault] += 1
        if faults[outcome.fault] == 1:
            number = outcome.number if number is None else number
            print(f"{kind}:{number}: {outcome.fault}")
            print(f"  given {_short(json.dumps(outcome.given), 300)}")
            print(f"  {_short(outcome.detail, 600)}", flush=True)
            if self.seed is not None:
                again = f"--seed {self.seed} --case {kind}:{number}"
                print(f"  again: python -m tests.fuzz {again}", flush=True)
            if self.path is not None:
                told = {"kind": kind, "number": number, "seed": self.seed, "fault": outcome.fault}
                told |= {"detail": outcome.detail, "given": outcome.given}
                with self.path.open("a") as file:
                    file.write(json.dumps(told) + "\n")
        return True

    def summary(self) -> str:
        """How many cases of each kind went how."""
        lines = []
        for kind in {**self.words, **self.faults}:
            words, faults = self.words.get(kind, Counter()), self.faults.get(kind, Counter())
            parts = [f"{number:,} {word}" for word, number in sorted(words.items())]
            parts.append(f"{faults.total():,} wrong, of {len(faults)} kinds")
            total = words.total() + faults.total()
            lines.append(f"{kind}: {total:,} cases: {', '.join(parts)}")
        return "\n".join(lines)


def search(asked: argparse.Namespace, scratch: Path) -> int:
    """Case after case of each kind in turn."""
    asked.folder.mkdir(parents=True, exist_ok=True)
    seed = randbelow(1 << 32) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    report = Report(seed, asked.folder / "findings.jsonl")
    places = dict.fromkeys(asked.only or KINDS, 0)
    end = time.monotonic() + (60 * asked.minutes if asked.cases is None else 1e9)
    while time.monotonic() < end:
        for kind, begin in places.items():
            cases = prepared(kind, seed, scratch)
            numbers = range(begin, asked.cases or 1_000_000)
            until = end if asked.cases is not None else min(end, time.monotonic() + SLICE)
            for outcome in cases.outcomes(numbers, until):
                report.of(kind, outcome)
                places[kind] = outcome.number + 1
        if asked.cases is not None:
            break
    print(report.summary())
    return 1 if report.faults else 0


def again(kinds: Sequence[str], scratch: Path) -> int:
    """Everything that was found once, and should not be found any more."""
    report = Report(None, None)
    known = json.loads(FOUND.read_text())
    for kind in kinds:
        mine = [each for each in known if each["kind"] == kind]
        cases = prepared(kind, 0, scratch)
        for each, outcome in zip(
            mine, cases.of_inputs([each["given"] for each in mine]), strict=True
        ):
            if report.of(kind, outcome):
                print(f"  once it was: {each['story']}")
    print(report.summary())
    return 1 if report.faults else 0


def _short(text: Any, letters: int) -> str:
    return text if len(text) <= letters else f"{text[:letters]} … ({len(text):,} letters)"


if __name__ == "__main__":
    sys.exit(main())
