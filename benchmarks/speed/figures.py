"""What a benchmark is, what its figures are called, and how they are taken: in turns.

A figure's name is a path, such as ``core/GAME/4096/step``: the part, what is measured, and what
of it. The benchmarks import only what the package offers to everybody, so that
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
"""By the last part of a figure's name."""


def is_more_better(figure: str) -> bool:
    """Whether a figure, by its name, is the better the higher it is."""
    return UNITS[figure.split("/")[-1]] in ("agent-steps/s", "decisions/s", "worlds", "games/s")


class LeftOut(Exception):
    """Why something cannot be measured here, in one line."""


class Bench(NamedTuple):
    """One thing to be measured.

    Attributes:
        name: A path, without what its figures add.
        make: Prepares all that is not timed; gives what takes a sample of the figures, by the
            last part of their names. Raises LeftOut.
        most: How many rounds of it are enough.
        beside: Its name, if it is held against another one that takes turns with it.
    """

    name: str
    make: Callable[[], Sample]
    most: int = 1000
    beside: str = ""


def selected(benches: Iterable[Bench], only: Iterable[str]) -> list[Bench]:
    """Those whose names begin with one of the paths.

    Raises:
        ValueError: Nothing begins with one of them.
    """
    all_of_them = list(benches)
    for path in only:
        if not any(_begins(bench.name, path) for bench in all_of_them):
            parts = ", ".join(dict.fromkeys(bench.name.split("/")[0] for bench in all_of_them))
            raise ValueError(f"nothing to measure is called {path!r}; there are {parts}")
    return [bench for bench in all_of_them if any(_begins(bench.name, path) for path in only)]


def _begins(name: str, path: str) -> bool:
    return f"{name}/".startswith(f"{path}/")


def in_turns(benches: list[Bench], rounds: int) -> Iterator[tuple[str, dict[str, float]]]:
    """The medians of some benchmarks, which take turns, after a round that is not counted.

    Yields:
        A benchmark's name and its figures; one that is left out has none, and a line is printed.
        ``times`` is the median of a round's ratios: what else the machine does falls on both.
    """
    samples: dict[str, Sample] = {}
    for bench in benches:
        try:
            samples[bench.name] = bench.make()
            if bench.most > 1:
                samples[bench.name]()
        except LeftOut as reason:
            print(f"{bench.name} is left out: {reason}", flush=True)
    found: dict[str, list[dict[str, float]]] = {name: [] for name in samples}
    most = {bench.name: bench.most for bench in benches}
    for one in range(rounds):
        for name, sample in samples.items():
            if one < most[name]:
                found[name].append(sample())
    others = {bench.name: found.get(bench.beside) for bench in benches}
    for name, each in found.items():
        for one, other in zip(each, others[name] or (), strict=False):
            one["times"] = one["played"] / other["played"]
        yield name, {figure: median(one[figure] for one in each) for figure in each[0]}


def number(value: float) -> str:
    """A figure as people read it, to three digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def machine() -> dict[str, str | int]:
    """What was measured on; nothing that names the machine itself."""
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
