"""One figure of several trainings that differ by their seed: what ``kododo trainings`` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kododo_env.arena.benchmark import over_trainings
from kododo_env.commands.benchmark import read_entry
from kododo_env.system.folders import files_in


@dataclass(frozen=True)
class TrainingsConfig:
    """Tell how strong a way to train is, from the benchmarks of five policies that it made.

    The interquartile mean of the win shares of all policies among all opponents, with an interval
    by resampling trainings and deals.
    """

    folder: Path
    """A folder with the results of kododo benchmark, one JSON file of each training."""


def trainings(config: TrainingsConfig) -> None:
    """Print the figure.

    Raises:
        ValueError: A file does not hold, or they cannot be put together.
    """
    entries = [read_entry(path) for path in files_in(config.folder, "*.json")]
    found, protocol = over_trainings(entries), entries[0]["protocol"]
    print(
        f"{len(entries)} trainings at {protocol['game']} with {protocol['players']} players, "
        f"parity {1 / protocol['players']:.3f}: interquartile mean {found['mean']:.3f} "
        f"({found['low']:.3f} to {found['high']:.3f})"
    )
