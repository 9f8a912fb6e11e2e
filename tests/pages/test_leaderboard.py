"""The files of the leaderboard hold together, and scripted players still play as they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from kododo_env.arena.benchmark import Benchmark, compare
from kododo_env.arena.workers import run
from kododo_env.commands.benchmark import read_entry
from tests.doors import GAMES
from tests.pages.scripts import script

FILES = sorted(script("update_tables").LEADERBOARD.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_holds_together(path: Path) -> None:
    read_entry(path)


@pytest.mark.parametrize("game", GAMES)
def test_a_part_is_the_same_again(game: str) -> None:
    path = next(path for path in FILES if path.stem.startswith(game) and "greedy" in path.stem)
    found = read_entry(path)
    table = Benchmark("greedy", game, found["protocol"]["players"], found["protocol"]["quick"])
    compare(table, found, run(table, table.chunks()[-1:]))
