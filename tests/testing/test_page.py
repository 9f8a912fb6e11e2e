"""The tables of docs/extending.md name every argument and every check of the kit."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from kododo_env.testing import check_batch_game, check_parallel_env
from tests.testing import test_batch_game_kit, test_parallel_env_kit

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text()


def first_cells(table: str) -> list[str]:
    return [cell.strip(" `") for cell in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)]


def test_every_argument_and_every_check_has_its_line() -> None:
    batch_game, environment = PAGE.split("## A ParallelEnv")
    arguments, checks = batch_game.split("### What each check proves")
    named = list(inspect.signature(check_batch_game).parameters)
    assert first_cells(arguments)[-len(named) + 1 :] == named[1:]
    assert first_cells(checks)[1:] == list(test_batch_game_kit.CHECKS)
    assert first_cells(environment)[1:] == list(test_parallel_env_kit.CHECKS)
    for name in inspect.signature(check_parallel_env).parameters:
        assert name == "make_env" or f"`{name}`" in PAGE
