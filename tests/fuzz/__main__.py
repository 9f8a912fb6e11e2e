"""Command line of the fuzzer: ``python -m tests.fuzz --help``."""

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

os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # before numpy is imported, because a process that forks should have one thread

from tests.fuzz.sandbox import Outcome, outcome_of

KINDS = {  # with the maximum processor time of a case, in seconds
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
    """Run the fuzzer; return 1 if it finds faults."""
    parser = _parser()
    options = parser.parse_args(args)
    if options.case and options.seed is None:
        parser.error("--case needs --seed, as printed with the finding")
    options.seed = randbelow(1 << 32) if options.seed is None else options.seed
    print(f"seed {options.seed}", flush=True)
    words: dict[str, Counter[str]] = {}
    faults: set[tuple[str, str]] = set()
    with tempfile.TemporaryDirectory() as scratch:
        for kind, number, outcome in outcomes(options, Path(scratch)):
            words.setdefault(kind, Counter())[outcome.word or "wrong"] += 1
            if outcome.word is None and (kind, outcome.fault) not in faults:
                faults.add((kind, outcome.fault))
                tell(options, kind, number, outcome)
    for kind, count in words.items():
        ways = ", ".join(f"{number:,} {word}" for word, number in sorted(count.items()))
        print(f"{kind}: {count.total():,} cases: {ways}")
    return 1 if faults else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Give the project wrong input of all kinds. Findings are printed and stored "
        "in FOLDER/findings.jsonl.",
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, help="seed of the cases (default: random)")
    parser.add_argument(
        "--only", nargs="+", choices=KINDS, default=[*KINDS], help="only these kinds"
    )
    parser.add_argument("--cases", type=int, help="cases of each kind, instead of minutes")
    parser.add_argument("--case", metavar="KIND:NUMBER", help="repeat one case of --seed")
    parser.add_argument("--found", action="store_true", help="only repeat former findings")
    parser.add_argument("--folder", type=Path, default=Path("runs/fuzz"))
    return parser


def outcomes(options: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, int, Outcome]]:
    """Yield the requested cases with kind and number."""
    if options.found:
        for number, finding in enumerate(json.loads(FOUND.read_text())):
            if finding["kind"] in options.only:
                kind = finding["kind"]
                yield kind, number, done(options, kind, number, scratch, finding)
        return
    if options.case:
        kind, _, number = options.case.rpartition(":")
        yield kind, int(number), done(options, kind, int(number), scratch)
        return
    spent = dict.fromkeys(options.only, 0.0)
    numbers = Counter[str]()
    end = time.monotonic() + 60 * options.minutes
    while spent and (options.cases is not None or time.monotonic() < end):
        kind = min(spent, key=spent.__getitem__)
        since = time.monotonic()
        yield kind, numbers[kind], done(options, kind, numbers[kind], scratch)
        spent[kind] += time.monotonic() - since  # all kinds get the same time
        numbers[kind] += 1
        if numbers[kind] == options.cases:
            del spent[kind]


def done(
    options: argparse.Namespace, kind: str, number: int, scratch: Path, finding: Any = None
) -> Outcome:
    """Run a case, given by its number or as a stored finding, in the folder of its kind."""
    module = import_module(f"tests.fuzz.{kind}")
    base = scratch / kind
    if not base.exists():
        base.mkdir()
        getattr(module, "prepare", lambda _: None)(base)
    generate = partial(module.generate, Random(f"{options.seed}/{module.__name__}/{number}"))
    return outcome_of(
        (lambda: finding["case"]) if finding else generate, module.check, base, KINDS[kind]
    )


def tell(options: argparse.Namespace, kind: str, number: int, outcome: Outcome) -> None:
    """Print and store the finding of a case."""
    print(f"{kind}:{number}: {outcome.fault}")
    print(f"  case {_short(json.dumps(outcome.case), 300)}")
    print(f"  {_short(outcome.detail, 600)}", flush=True)
    repeat = (
        f"--found --only {kind}"
        if options.found
        else f"--seed {options.seed} --case {kind}:{number}"
    )
    print(f"  again: python -m tests.fuzz {repeat}", flush=True)
    options.folder.mkdir(parents=True, exist_ok=True)
    record = {"kind": kind, "number": number, "seed": options.seed, **vars(outcome)}
    with (options.folder / "findings.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[:letters]} … ({len(text):,} letters)"


if __name__ == "__main__":
    sys.exit(main())
