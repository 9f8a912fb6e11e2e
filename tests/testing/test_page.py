"""docs/extending.md names every argument and every check of the kit."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from kododo_env.testing import check_batch_game, check_parallel_env
from tests.testing import test_batch_game_kit, test_parallel_env_kit

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text()


def first_cells(table: str) -> list[str]:
    return [cell.strip(" `") for cell in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)]


def listed_checks(section: str) -> list[str]:
    return re.findall(r"^- \*\*([^*]+)\*\*:", section, re.MULTILINE)


def test_every_argument_and_every_check_has_its_line() -> None:
    batch_game, environment = PAGE.partition("## Check a game")[2].split("## Check a ParallelEnv")
    arguments = list(inspect.signature(check_batch_game).parameters)
    assert first_cells(batch_game)[1:] == arguments[1:]
    assert listed_checks(batch_game) == list(test_batch_game_kit.CHECKS)
    assert listed_checks(environment) == list(test_parallel_env_kit.CHECKS)
    for argument in inspect.signature(check_parallel_env).parameters:
        assert argument == "make_env" or f"`{argument}`" in environment
