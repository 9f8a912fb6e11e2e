"""The files of the leaderboard hold together, and agents still play as they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from kododo_env.arena.benchmark import Benchmark, compare
from kododo_env.arena.workers import run
from kododo_env.commands.benchmark import read_entry
from tests.pages.scripts import script

FILES = sorted(script("update_tables").LEADERBOARD.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_holds_together(path: Path) -> None:
    read_entry(path)


# Policies that play their likeliest action, which the rule for ties makes the same everywhere.
SURE = ("kododo-2p", "kododo-4p")


@pytest.mark.parametrize(
    "name",
    [
        "combi_combo-4p-greedy",
        "kado-2p-greedy",
        "kododo-2p-greedy",
        *(f"{each}-{each}" for each in SURE),
    ],
)
def test_a_part_is_the_same_again(name: str) -> None:
    found = read_entry(script("update_tables").LEADERBOARD / f"{name}.json")
    given = found["protocol"]
    table = Benchmark(found["agent"]["name"], given["game"], given["players"], given["quick"])
    compare(table, found, run(table, table.chunks()[:1]))
