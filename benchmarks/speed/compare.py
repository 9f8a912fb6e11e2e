"""Two revisions beside each other: ``make bench-compare REV=main`` prints ratios with intervals.

The older tree is put into a temporary folder, with the benchmarks of this one. In every round both
are started again, each in a process of its own, and take turns at every figure, so that what else
the machine does falls on both alike. A round gives one ratio of each figure; the interval is
Student's of their logarithms.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import median

from tabulate import tabulate

from benchmarks.speed.figures import UNITS, Bench, LeftOut, is_more_better, machine, selected
from benchmarks.speed.figures import number as shown
from benchmarks.speed.parts import all_benches
from benchmarks.speed.tree import ROOT, Tree, tree_of
from kododo_env.arena.intervals import mean
from kododo_env.commands.cli import run_cli
from kododo_env.core.numbers import whole_number
from kododo_env.system.files import write_text

HEAD = ("figure", "before", "now", "unit", "times as good", "95 % interval", "")


@dataclass(frozen=True)
class CompareConfig:
    """Measure how many times as good as a revision this tree is, with intervals."""

    rev: str
    """The revision that it is held against, such as main."""
    only: str = "core,one-game,decision,tournament/scripted/1,tournament/nine/1"
    """Beginnings of figures' names, between commas: core/GAME/4096, million, ..."""
    rounds: int = 8
    """How often the processes are started again; two at least."""
    samples: int = 5
    """Of each figure in a round; the best counts, since others only ever take time away."""
    json: Path | None = None
    """A file for all ratios."""
    markdown: Path | None = None
    """A file for the table."""

    def __post_init__(self) -> None:
        whole_number(self.rounds, "--rounds", 2)
        whole_number(self.samples, "--samples", 1)


def compare(config: CompareConfig) -> None:
    """Measure in turns, print the table and write what is asked for.

    Raises:
        ValueError: There is no such revision, or nothing of that name to measure.
    """
    # Neither tree is better by where its time goes, which a profile tells.
    ranked = (bench for bench in all_benches() if not bench.name.startswith("profile/"))
    benches, rounds = selected(ranked, config.only.split(",")), []
    with tree_of(config.rev) as before:
        for one in range(config.rounds):
            print(f"round {one + 1} of {config.rounds}", file=sys.stderr, flush=True)
            measured = one_round((before, ROOT), benches, config.samples, one % 2 == 1)
            rounds.append(dict(measured))
            benches = [b for b in benches if any(f.startswith(f"{b.name}/") for f in rounds[0])]
    found = ratios(rounds)
    rows = [row(name, each) for name, each in found.items()]
    print(tabulate(rows, HEAD, disable_numparse=True))
    about = {"rev": config.rev, "rounds": config.rounds, "samples": config.samples}
    if config.json:
        whole = {**about, "machine": machine(), "figures": found}
        write_text(config.json, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    if config.markdown:
        write_text(
            config.markdown, tabulate(rows, HEAD, tablefmt="github", disable_numparse=True) + "\n"
        )


def one_round(
    trees: Sequence[Path], benches: list[Bench], samples: int, turned: bool
) -> Iterator[tuple[str, tuple[float, float]]]:
    """The figures of two trees, which take turns; the second begins if ``turned``."""
    with ExitStack() as stack:
        both = [stack.enter_context(Tree(folder)) for folder in trees]
        for bench in benches:
            order = [1, 0] if turned else [0, 1]
            found: tuple[list[dict[str, float]], ...] = ([], [])
            try:
                for _ in range(min(samples, bench.most)):
                    for one in order:
                        found[one].append(both[one].sample(bench.name))
                    order.reverse()  # A B B A: what changes steadily falls on both alike
            except LeftOut as reason:
                print(f"{bench.name} is left out: {reason}", flush=True)
                continue
            for figure in found[0][0]:
                best = max if is_more_better(figure) else min
                before, now = (best(each[figure] for each in own) for own in found)
                yield f"{bench.name}/{figure}", (before, now)


def ratios(rounds: list[dict[str, tuple[float, float]]]) -> dict[str, dict[str, float]]:
    """Before, now, and how many times as good that is, with its interval; by figure."""
    found = {}
    for name in rounds[0]:
        pairs = [each[name] for each in rounds if name in each]
        sign = 1 if is_more_better(name) else -1
        if len(pairs) > 1:
            spread = mean([sign * log(now / before) for before, now in pairs])
            before, now = (median(each) for each in zip(*pairs, strict=True))
            found[name] = {
                "before": before, "now": now,
                "ratio": exp(spread.mean), "low": exp(spread.low), "high": exp(spread.high),
            }  # fmt: skip
    return found


def row(name: str, found: dict[str, float]) -> tuple[str, ...]:
    """A figure's row: it is marked where the interval leaves 1 behind."""
    return (
        name,
        shown(found["before"]),
        shown(found["now"]),
        UNITS[name.split("/")[-1]],
        f"{found['ratio']:.3f}",
        f"{found['low']:.3f} to {found['high']:.3f}",
        "better" if found["low"] > 1 else "worse" if found["high"] < 1 else "",
    )


if __name__ == "__main__":
    run_cli(CompareConfig, compare)
