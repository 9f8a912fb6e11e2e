"""Command line of the fault injection: ``python -m tests.faults --help``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import psutil

from kododo_env import registry
from kododo_env.rules_arguments import default_players
from tests.faults import kills, places
from tests.faults.scripts import Fault
from tests.faults.work import Tournament, Training, Work

Case = Callable[[Path], Counter[str] | None]


def main(args: Sequence[str] | None = None) -> int:
    """Run the cases and print a table; return 1 if there are faults."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument(
        "--kills", type=int, default=20, help="kills of each game and of the tournament"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only", nargs="+", default=[], help="only cases whose names begin with one of these"
    )
    options = parser.parse_args(args)
    faults = 0
    for name, case in cases(options.kills, options.seed).items():
        if options.only and not name.startswith(tuple(options.only)):
            continue
        with tempfile.TemporaryDirectory(prefix="faults-") as scratch:
            try:
                outcome = _words(case(Path(scratch)))
            except Fault as fault:
                faults += 1
                outcome = f"FAULT: {fault}"
        print(f"{name:<32} {outcome}", flush=True)
    print(f"{faults} faults")
    return 1 if faults else 0


def cases(number: int, seed: int) -> dict[str, Case]:
    """Return the cases by name."""
    works: dict[str, Work] = {"training": Training("kododo", 3), "evaluation": Tournament()}
    every: dict[str, Case] = {
        f"training {game}": partial(
            kills.killed, Training(game, default_players(game)), number, seed
        )
        for game in registry.ENVIRONMENT_MODULES
    }
    every["evaluation"] = partial(kills.killed, works["evaluation"], number, seed)
    for name, work in works.items():
        every[f"full disk: {name}"] = partial(_on_small_disk, work)
        for take in (*places.WAYS, places.read_only):
            if (
                take is not places.read_only or name == "training"
            ):  # an open log can still be written
                every[f"folder {take.__name__}: {name}"] = partial(places.loses_folder, work, take)
    if hasattr(psutil.Process, "rlimit"):
        every["no larger file: training"] = partial(places.no_larger_file, works["training"])
    if places.may_ignore_modes():
        every["folder read_only: training"] = _not_for_root
    return every


def _on_small_disk(work: Work, scratch: Path) -> Counter[str] | None:
    with places.small_disk(scratch) as disk:
        if disk is None:
            return Counter({"skipped: only root may mount a file system": 1})
        places.full_disk(work, disk, scratch)
    return None


def _not_for_root(scratch: Path) -> Counter[str]:
    return Counter({"skipped: root may write there": 1})


def _words(counts: Counter[str] | None) -> str:
    if counts is None:
        return "one line, nothing lost"
    if len(counts) == 1 and next(iter(counts)).startswith("not done"):
        return next(iter(counts))
    ways = ", ".join(f"{way} {counts[way]}" for way in kills.WAYS if counts[way])
    return f"{counts.total()} kills, resumed each time, same results ({ways})"


if __name__ == "__main__":
    sys.exit(main())
