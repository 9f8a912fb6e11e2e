"""The parts of the benchmark, in the order in which they are measured."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.speed import core, decision, interfaces, one_game, profile, tournament
from benchmarks.speed.figures import Bench


def all_benches() -> Iterator[Bench]:
    """Yield all benchmarks."""
    for part in (core, interfaces, one_game, decision, tournament, profile):
        yield from part.benches()
