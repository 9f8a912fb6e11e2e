"""Define benchmarks and the names of their figures, and run them in turns.

A figure's name is a path, such as ``core/GAME/4096/step``: the part, the benchmark, and the
quantity. The benchmarks import only the public parts of the package, so that
``benchmarks.speed.compare`` can run them on an older tree.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from kododo_env.system.cores import available_cores

PLAYERS = 4
Sample = Callable[[], dict[str, float]]
UNITS = {
    "step": "ns an agent-step",
    "mask": "ns an agent-step",
    "observe": "ns an agent-step",
    "rows": "ns an agent-step",
    "reset": "ns an agent-step",
    "whole": "ns an agent-step",
    "peak": "GB",
    "peak without observing": "GB",
    "played": "agent-steps/s",
    "with reset": "agent-steps/s",
    "times": "as many",
    "decisions": "decisions/s",
    "decision": "µs",
    "worlds": "worlds",
    "games": "games/s",
}
"""Units by the last part of a figure's name."""


def is_more_better(figure: str) -> bool:
    """Return whether higher is better, from the name of a figure."""
    return UNITS[figure.split("/")[-1]] in ("agent-steps/s", "decisions/s", "worlds", "games/s")


class SkippedBench(Exception):
    """An error: a benchmark cannot run on this system; the message is one line with the reason."""


class Bench(NamedTuple):
    """A benchmark.

    Attributes:
        name: The path of its figures without their last part.
        make: A function that prepares everything that is not timed. It returns a function that
            returns a sample of the figures, by the last part of their names, or raises
            ``SkippedBench``.
        max_rounds: The number of rounds that is sufficient.
        beside: The name of another benchmark that takes turns with it and to which it is compared.
    """

    name: str
    make: Callable[[], Sample]
    max_rounds: int = 1000
    beside: str = ""


def selected(benches: Iterable[Bench], only: Iterable[str]) -> list[Bench]:
    """Select the benchmarks whose names begin with one of the paths.

    Raises:
        ValueError: No name begins with one of the paths.
    """
    candidates = list(benches)
    for path in only:
        if not any(_begins(bench.name, path) for bench in candidates):
            parts = ", ".join(dict.fromkeys(bench.name.split("/")[0] for bench in candidates))
            raise ValueError(f"unknown benchmark {path!r}; choose from {parts}")
    return [bench for bench in candidates if any(_begins(bench.name, path) for path in only)]


def _begins(name: str, path: str) -> bool:
    return f"{name}/".startswith(f"{path}/")


def in_turns(benches: list[Bench], rounds: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Run benchmarks in turns, after a round that does not count, and yield their medians.

    ``times`` is the median of the ratios of each round, so that other load affects both benchmarks
    equally.

    Yields:
        The name of a benchmark and its figures. A benchmark that cannot run has no figures, and the
        reason is printed.
    """
    samples: dict[str, Sample] = {}
    for bench in benches:
        try:
            samples[bench.name] = bench.make()
            if bench.max_rounds > 1:
                samples[bench.name]()
        except SkippedBench as reason:
            print(f"{bench.name} is skipped: {reason}", flush=True)
    measured: dict[str, list[dict[str, float]]] = {name: [] for name in samples}
    max_rounds = {bench.name: bench.max_rounds for bench in benches}
    for round_index in range(rounds):
        for name, sample in samples.items():
            if round_index < max_rounds[name]:
                measured[name].append(sample())
    references = {bench.name: measured.get(bench.beside) for bench in benches}
    for name, runs in measured.items():
        for run, reference in zip(runs, references[name] or (), strict=False):
            run["times"] = run["played"] / reference["played"]
        yield name, {figure: median(run[figure] for run in runs) for figure in runs[0]}


def number(figure: float) -> str:
    """Format a figure to three digits."""
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.3g}"


def machine() -> dict[str, str | int]:
    """Return facts about hardware and software, without anything that identifies the machine."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": available_cores(),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": f"{sys.implementation.name} {platform.python_version()}",
        "numpy": np.__version__,
    }
