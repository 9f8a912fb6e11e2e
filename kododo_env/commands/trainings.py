"""``kododo trainings``: summarise the benchmarks of trainings that differ only in their seeds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kododo_env.arena.benchmark import over_trainings
from kododo_env.commands.benchmark import read_entry
from kododo_env.system.folders import files_in


@dataclass(frozen=True)
class TrainingsConfig:
    """Summarise the benchmarks of five or more trainings that differ only in their seeds.

    Print the interquartile mean of the win shares of all policies among all opponents, with a 95 %
    interval by resampling trainings and deals.
    """

    folder: Path
    """A folder with the results of kododo benchmark, one JSON file per training."""


def trainings(config: TrainingsConfig) -> None:
    """Print the interquartile mean of the win shares.

    Raises:
        ValueError: A file has no valid results, there are fewer than five files, or their protocols
            differ.
    """
    entries = [read_entry(path) for path in files_in(config.folder, "*.json")]
    figure = over_trainings(entries)
    protocol = entries[0]["protocol"]
    print(
        f"{len(entries)} trainings at {protocol['game']} with {protocol['players']} players, "
        f"parity {1 / protocol['players']:.3f}: interquartile mean {figure['mean']:.3f} "
        f"({figure['low']:.3f} to {figure['high']:.3f})"
    )
