"""The files of the leaderboard are consistent, and their results can be reproduced."""

from __future__ import annotations

from pathlib import Path

import pytest

from kododo_env.agent_registry import policy_path, search_parts, shipped
from kododo_env.arena.benchmark import Benchmark, compare
from kododo_env.arena.workers import run
from kododo_env.commands.benchmark import read_entry
from kododo_env.levels import LEVELS
from kododo_env.system.files import fingerprint
from tests.pages.scripts import script

FILES = sorted(script("update_tables").LEADERBOARD.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_holds_together(path: Path) -> None:
    read_entry(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_row_of_ours_is_of_the_policy_that_ships(path: Path) -> None:
    """Searches over a policy and its levels kept the rows of the one that had shipped before."""
    entry = read_entry(path)
    name = search_parts(entry["agent"]["name"])[1]
    if name in LEVELS:
        name = f"{entry['protocol']['game']}-{entry['protocol']['players']}p"
    if name in shipped():
        assert entry["agent"]["file"]["sha256"] == fingerprint(policy_path(name))


# Policies at temperature 0, which play equally on every machine.
SURE = ("kododo-2p", "kododo-4p")


@pytest.mark.parametrize(
    "name",
    [
        "combi_combo-4p-greedy",
        "kado-2p-greedy",
        "kododo-2p-greedy",
        *(f"{policy}-{policy}" for policy in SURE),
    ],
)
def test_a_part_is_the_same_again(name: str) -> None:
    entry = read_entry(script("update_tables").LEADERBOARD / f"{name}.json")
    protocol = entry["protocol"]
    table = Benchmark(
        entry["agent"]["name"], protocol["game"], protocol["players"], protocol["quick"]
    )
    compare(table, entry, run(table, table.chunks()[:1]))
