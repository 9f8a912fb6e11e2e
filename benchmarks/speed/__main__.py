"""The speed of everything: ``make bench`` prints it and writes benchmarks/results.json.

Each figure is the median of some rounds in which what belongs together takes turns. On one quiet
core it takes about five minutes.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.speed.figures import Bench, in_turns, machine, selected
from benchmarks.speed.page import about, printed
from benchmarks.speed.parts import all_benches
from kododo_env.commands.cli import run_cli
from kododo_env.core.numbers import whole_number
from kododo_env.system.files import write_text


@dataclass(frozen=True)
class SpeedConfig:
    """Measure the speed of everything here, print it, and write it to a file."""

    only: str = "C,core,million,doors,one-game,decision,tournament,profile"
    """Beginnings of figures' names, between commas: core/GAME/4096, one-game, ..."""
    rounds: int = 5
    """How often each is measured; the median counts."""
    json: Path = Path(__file__).parents[1] / "results.json"
    """The file; what it has besides stays, if it is of this machine."""

    def __post_init__(self) -> None:
        whole_number(self.rounds, "--rounds", 1)


def measure(config: SpeedConfig) -> None:
    """Measure, write after each group, and print the tables."""
    benches = selected(all_benches(), config.only.split(","))
    results = begun(config.json)
    for group, together in groupby(benches, key=group_of):
        print(f"measuring {group}", flush=True)
        found = {
            f"{name}/{figure}": float(f"{value:.4g}")
            for name, figures in in_turns(list(together), config.rounds)
            for figure, value in figures.items()
        }
        results["figures"] = in_order({**results["figures"], **found})
        write_text(config.json, json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    print(f"\n{about(results)}\n\n{printed(results['figures'])}")


def group_of(bench: Bench) -> str:
    """What takes turns with each other: all of a part, in parts of many sizes all of a game."""
    return "/".join(bench.name.split("/")[: 2 if bench.name.startswith("core/") else 1])


def begun(path: Path) -> dict[str, Any]:
    """What the file has of this machine, and how busy that is now."""
    found = json.loads(path.read_text()) if path.exists() else {}
    here = machine()
    figures = found["figures"] if found.get("machine") == here else {}
    return {"machine": here, "load": round(os.getloadavg()[0], 2), "figures": figures}


def in_order(figures: dict[str, float]) -> dict[str, float]:
    """Figures in the order in which they are measured; others, such as of training, last."""
    order = {bench.name: place for place, bench in enumerate(all_benches())}
    place = {name: order.get(name.rpartition("/")[0], len(order)) for name in figures}
    return dict(sorted(figures.items(), key=lambda each: place[each[0]]))


if __name__ == "__main__":
    run_cli(SpeedConfig, measure)
