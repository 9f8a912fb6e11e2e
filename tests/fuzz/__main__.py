"""The fuzzer from the command line: ``python -m tests.fuzz --help``."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from secrets import randbelow
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: a process that forks has one thread

from tests.fuzz.sandbox import Outcome, outcome_of

KINDS = {  # and the seconds of processor time that a case may take
    "actions": 10.0,
    "states": 10.0,
    "partial_results": 10.0,
    "records": 20.0,
    "policy_files": 20.0,
    "checkpoints": 20.0,
    "command_lines": 20.0,
    "trainings": 60.0,
}
FOUND = Path(__file__).with_name("found.json")


def main(args: Sequence[str] | None = None) -> int:
    """Look for faults; 1 if there are some."""
    parser = _parser()
    asked = parser.parse_args(args)
    if asked.case and asked.seed is None:
        parser.error("--case needs the --seed that was said")
    asked.seed = randbelow(1 << 32) if asked.seed is None else asked.seed
    print(f"seed {asked.seed}", flush=True)
    words: dict[str, Counter[str]] = {}
    faults: set[tuple[str, str]] = set()
    with tempfile.TemporaryDirectory() as scratch:
        for kind, number, outcome in outcomes(asked, Path(scratch)):
            words.setdefault(kind, Counter())[outcome.word or "wrong"] += 1
            if outcome.word is None and (kind, outcome.fault) not in faults:
                faults.add((kind, outcome.fault))
                tell(asked, kind, number, outcome)
    for kind, count in words.items():
        ways = ", ".join(f"{number:,} {word}" for word, number in sorted(count.items()))
        print(f"{kind}: {count.total():,} cases: {ways}")
    return 1 if faults else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Give the project wrong input of all kinds. What is found is printed and "
        "kept in FOLDER/findings.jsonl.",
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, help="of the series of cases; another one each time")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=[*KINDS], help="these kinds")
    parser.add_argument("--cases", type=int, help="this many of each kind, in place of time")
    parser.add_argument("--case", metavar="KIND:NUMBER", help="one case of --seed again")
    parser.add_argument("--found", action="store_true", help="only what was found once")
    parser.add_argument("--folder", type=Path, default=Path("runs/fuzz"))
    return parser


def outcomes(asked: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, int, Outcome]]:
    """The cases that are asked for, each with its kind and its number."""
    if asked.found:
        for number, each in enumerate(json.loads(FOUND.read_text())):
            if each["kind"] in asked.only:
                yield each["kind"], number, done(asked, each["kind"], number, scratch, each)
        return
    if asked.case:
        kind, _, number = asked.case.rpartition(":")
        yield kind, int(number), done(asked, kind, int(number), scratch)
        return
    spent, numbers = dict.fromkeys(asked.only, 0.0), Counter[str]()
    end = time.monotonic() + 60 * asked.minutes
    while spent and (asked.cases is not None or time.monotonic() < end):
        kind, since = min(spent, key=spent.__getitem__), time.monotonic()
        yield kind, numbers[kind], done(asked, kind, numbers[kind], scratch)
        spent[kind] += time.monotonic() - since  # each kind has the same time
        numbers[kind] += 1
        if numbers[kind] == asked.cases:
            del spent[kind]


def done(
    asked: argparse.Namespace, kind: str, number: int, scratch: Path, known: Any = None
) -> Outcome:
    """A case by its number, or one that is known, in the folder of its kind."""
    module, base = import_module(f"tests.fuzz.{kind}"), scratch / kind
    if not base.exists():
        base.mkdir()
        getattr(module, "prepare", lambda _: None)(base)
    generate = partial(module.generate, Random(f"{asked.seed}/{module.__name__}/{number}"))
    return outcome_of(
        (lambda: known["given"]) if known else generate, module.check, base, KINDS[kind]
    )


def tell(asked: argparse.Namespace, kind: str, number: int, outcome: Outcome) -> None:
    """Say and keep what a case has found."""
    print(f"{kind}:{number}: {outcome.fault}")
    print(f"  given {_short(json.dumps(outcome.given), 300)}")
    print(f"  {_short(outcome.detail, 600)}", flush=True)
    again = (
        f"--found --only {kind}" if asked.found else f"--seed {asked.seed} --case {kind}:{number}"
    )
    print(f"  again: python -m tests.fuzz {again}", flush=True)
    asked.folder.mkdir(parents=True, exist_ok=True)
    told = {"kind": kind, "number": number, "seed": asked.seed, **vars(outcome)}
    with (asked.folder / "findings.jsonl").open("a") as file:
        file.write(json.dumps(told) + "\n")


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[:letters]} … ({len(text):,} letters)"


if __name__ == "__main__":
    sys.exit(main())
