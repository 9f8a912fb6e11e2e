"""Compare the speed of two revisions: ``make bench-compare REV=main`` prints ratios with intervals.

The older tree is extracted to a temporary folder, with the benchmarks of this tree. In every round
both trees are started again, each in its own process, and take turns at every figure, so that other
load of the machine affects both equally. A round gives one ratio for each figure. The interval is
Student's, of the logarithms of the ratios.
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

from benchmarks.speed.figures import UNITS, Bench, SkippedBench, is_more_better, machine, selected
from benchmarks.speed.figures import number as quote
from benchmarks.speed.parts import all_benches
from benchmarks.speed.tree import ROOT, Tree, tree_of
from kododo_env.arena.intervals import mean
from kododo_env.checks.numbers import whole_number
from kododo_env.commands.cli import run_cli
from kododo_env.system.files import write_text

HEAD = ("figure", "before", "now", "unit", "times as good", "95 % interval", "")


@dataclass(frozen=True)
class CompareConfig:
    """Measure the speed of this tree relative to another revision, with intervals."""

    rev: str
    """The revision to compare with, such as main."""
    only: str = "core,one-game,decision,tournament/scripted/1,tournament/nine/1"
    """Comma-separated prefixes of names of figures: core/GAME/4096, million, ..."""
    rounds: int = 8
    """How often the processes are started; at least 2."""
    samples: int = 5
    """Samples of each figure in a round. The best one counts, because other load only slows
    down."""
    json: Path | None = None
    """File for all ratios."""
    markdown: Path | None = None
    """File for the table."""

    def __post_init__(self) -> None:
        whole_number(self.rounds, "--rounds", 2)
        whole_number(self.samples, "--samples", 1)


def compare(config: CompareConfig) -> None:
    """Measure both trees in turns, print the table and write the requested files.

    Raises:
        ValueError: The revision or a benchmark is unknown.
    """
    # Profiles are left out: shares of time do not rank trees.
    comparable = (bench for bench in all_benches() if not bench.name.startswith("profile/"))
    benches = selected(comparable, config.only.split(","))
    rounds: list[dict[str, tuple[float, float]]] = []
    with tree_of(config.rev) as before:
        for number in range(config.rounds):
            print(f"round {number + 1} of {config.rounds}", file=sys.stderr, flush=True)
            figures = one_round((before, ROOT), benches, config.samples, number % 2 == 1)
            rounds.append(dict(figures))
            benches = [b for b in benches if any(f.startswith(f"{b.name}/") for f in rounds[0])]
    comparisons = ratios(rounds)
    rows = [row(name, comparison) for name, comparison in comparisons.items()]
    print(tabulate(rows, HEAD, disable_numparse=True))
    settings = {"rev": config.rev, "rounds": config.rounds, "samples": config.samples}
    if config.json:
        results = {**settings, "machine": machine(), "figures": comparisons}
        write_text(config.json, json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    if config.markdown:
        write_text(
            config.markdown, tabulate(rows, HEAD, tablefmt="github", disable_numparse=True) + "\n"
        )


def one_round(
    trees: Sequence[Path], benches: list[Bench], samples: int, reverse: bool
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield the figures of two trees, which take turns; the second starts if ``reverse``."""
    with ExitStack() as stack:
        processes = [stack.enter_context(Tree(folder)) for folder in trees]
        for bench in benches:
            order = [1, 0] if reverse else [0, 1]
            measurements: tuple[list[dict[str, float]], ...] = ([], [])
            try:
                for _ in range(min(samples, bench.max_rounds)):
                    for tree in order:
                        measurements[tree].append(processes[tree].sample(bench.name))
                    order.reverse()  # A B B A: a steady drift affects both equally
            except SkippedBench as reason:
                print(f"{bench.name} is skipped: {reason}", flush=True)
                continue
            for figure in measurements[0][0]:
                best = max if is_more_better(figure) else min
                old, new = (best(sample[figure] for sample in tree) for tree in measurements)
                yield f"{bench.name}/{figure}", (old, new)


def ratios(rounds: list[dict[str, tuple[float, float]]]) -> dict[str, dict[str, float]]:
    """Return the old and the new value of each figure, and their ratio with its interval."""
    comparisons = {}
    for name in rounds[0]:
        pairs = [figures[name] for figures in rounds if name in figures]
        sign = 1 if is_more_better(name) else -1
        if len(pairs) > 1:
            spread = mean([sign * log(new / old) for old, new in pairs])
            old, new = (median(figures) for figures in zip(*pairs, strict=True))
            comparisons[name] = {
                "before": old, "now": new,
                "ratio": exp(spread.mean), "low": exp(spread.low), "high": exp(spread.high),
            }  # fmt: skip
    return comparisons


def row(name: str, comparison: dict[str, float]) -> tuple[str, ...]:
    """Return the row of a figure, with a mark if the interval excludes 1."""
    low = comparison["low"]
    high = comparison["high"]
    return (
        name,
        quote(comparison["before"]),
        quote(comparison["now"]),
        UNITS[name.split("/")[-1]],
        f"{comparison['ratio']:.3f}",
        f"{low:.3f} to {high:.3f}",
        "better" if low > 1 else "worse" if high < 1 else "",
    )


if __name__ == "__main__":
    run_cli(CompareConfig, compare)
