"""Measure speeds: ``make bench`` prints them and writes benchmarks/results.json.

Each figure is the median of several rounds, in which the benchmarks of a group take turns. This
takes about five minutes on one idle core.
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
from kododo_env.checks.numbers import whole_number
from kododo_env.commands.cli import run_cli
from kododo_env.system.files import write_text


@dataclass(frozen=True)
class SpeedConfig:
    """Run all benchmarks, print the figures, and write them to a file."""

    only: str = "C,core,million,interfaces,one-game,decision,tournament,profile"
    """Comma-separated prefixes of names of figures: core/GAME/4096, one-game, ..."""
    rounds: int = 5
    """Number of measurements of each figure; the median counts."""
    json: Path = Path(__file__).parents[1] / "results.json"
    """The file to write; its other figures stay if they are from the same machine."""

    def __post_init__(self) -> None:
        whole_number(self.rounds, "--rounds", 1)


def measure(config: SpeedConfig) -> None:
    """Measure, write the file after each group, and print the tables."""
    benches = selected(all_benches(), config.only.split(","))
    results = previous_results(config.json)
    for group, members in groupby(benches, key=group_of):
        print(f"measuring {group}", flush=True)
        measured = {
            f"{name}/{figure}": float(f"{number:.4g}")
            for name, figures in in_turns(list(members), config.rounds)
            for figure, number in figures.items()
        }
        results["figures"] = in_order({**results["figures"], **measured})
        write_text(config.json, json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    print(f"\n{about(results)}\n\n{printed(results['figures'])}")


def group_of(bench: Bench) -> str:
    """Return the name of the group whose benchmarks take turns: a part, or a game if a part has
    many sizes.
    """
    return "/".join(bench.name.split("/")[: 2 if bench.name.startswith("core/") else 1])


def previous_results(path: Path) -> dict[str, Any]:
    """Return the results in a file that are from this machine, with the current load."""
    results = json.loads(path.read_text()) if path.exists() else {}
    hardware = machine()
    figures = results["figures"] if results.get("machine") == hardware else {}
    return {"machine": hardware, "load": round(os.getloadavg()[0], 2), "figures": figures}


def in_order(figures: dict[str, float]) -> dict[str, float]:
    """Sort figures by the order of measurement; others, such as those of training, come last."""
    order = {bench.name: place for place, bench in enumerate(all_benches())}
    places = {name: order.get(name.rpartition("/")[0], len(order)) for name in figures}
    return {name: figures[name] for name in sorted(figures, key=places.__getitem__)}


if __name__ == "__main__":
    run_cli(SpeedConfig, measure)
