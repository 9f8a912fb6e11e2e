"""The ablation trains what it says, goes on where it was stopped, and gives a table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agents.training.training_config import default_config, task_of
from tests.pages.scripts import script

ablation, update_tables = script("ablation", "benchmarks"), script("update_tables")
RECIPE = "the recipe"


@pytest.mark.parametrize("row", ablation.ROWS)
def test_each_row_can_be_trained_and_is_another_recipe(row: str) -> None:
    default = ablation.AblationConfig()
    given = (default.game, default.players)
    task = task_of(default_config(*given, **ablation.ROWS[row]))
    assert (task == task_of(default_config(*given))) == (row == RECIPE)


def test_a_page_can_hold_its_rows() -> None:
    assert len(ablation.ROWS) <= 10


def test_it_goes_on_and_is_shown_as_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ablation.json"
    config = ablation.AblationConfig(steps=1, seeds=1, games=40, rows=(RECIPE,), json=path)
    ablation.ablation(config)
    (row,) = json.loads(path.read_text())["rows"]
    assert (row["what"], len(row["seeds"])) == (RECIPE, 1)
    monkeypatch.setattr(ablation, "train", lambda config: pytest.fail("trained once more"))
    ablation.ablation(config)
    with pytest.raises(ValueError, match="something else: move it away"):
        ablation.ablation(replace(config, games=8))
    monkeypatch.setattr(update_tables, "DOCS", tmp_path)
    table = update_tables.ablation()
    assert f"\n| {RECIPE} " in table
    assert "1 agent-steps on 1 thread, 40 games each" in table
