"""The ablation trains rows once and makes a table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agents.training import response_training
from tests.pages.scripts import script

ablation = script("ablation", "benchmarks")
update_tables = script("update_tables")
RECIPE = "the recipe"
TABLE = "kododo-4p"


def test_rows_are_trained_and_measured_and_one_teaches_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"num_envs": 16, "batch_size": 256, "width": 16, "depth": 1}
    taught = {**small, "width": 8, "imitation_steps": 10_000, ablation.TAUGHT_BY: RECIPE}
    monkeypatch.setattr(ablation, "ROWS", {TABLE: {RECIPE: small, "by the recipe, taught": taught}})
    monkeypatch.setattr(response_training, "SELECTION_GAMES", 40)
    path = tmp_path / "ablation.json"
    options = {"tables": (TABLE,), "steps": 1, "seeds": 1, "games": 40, "response_steps": 1}
    config = ablation.AblationConfig(**options, json=path, runs=tmp_path / "runs")
    ablation.ablation(config)
    (measured,), (taught,) = (row["seeds"] for row in json.loads(path.read_text())[TABLE]["rows"])
    assert measured.keys() == taught.keys() >= {"minutes of a core", "v validation opponents"}
    before = path.read_bytes()
    monkeypatch.setattr(ablation, "_measured", lambda *_: pytest.fail("trained once more"))
    ablation.ablation(config)
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="other settings"):
        ablation.ablation(replace(config, games=8))
    monkeypatch.setattr(update_tables, "DOCS", tmp_path)
    assert RECIPE in update_tables.ablation()
