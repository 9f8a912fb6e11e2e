"""The ablation trains the described rows, resumes where it was stopped, and makes tables."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.recipes.recipe import Recipe
from agents.training import response_training
from agents.training.training_config import default_config, task_of
from benchmarks.result_rows import is_same_recipe
from kododo_env.agent_registry import baselines, held_out, policy_tables
from tests.pages.scripts import script

ablation = script("ablation", "benchmarks")
update_tables = script("update_tables")
RECIPE = "the recipe"
TABLE = "kododo-4p"


@pytest.mark.parametrize(
    ("table", "row"), [(table, row) for table in ablation.ROWS for row in ablation.ROWS[table]]
)
def test_each_row_can_be_trained_and_is_another_training(table: str, row: str) -> None:
    game_table = policy_tables()[table.split(",")[0]]
    changes = dict(ablation.ROWS[table][row])
    before = [*ablation.ROWS[table]]
    assert changes.pop(ablation.TAUGHT_BY, RECIPE) in before[: before.index(row) + 1]
    config = default_config(*game_table, **changes)
    usual = default_config(*game_table)
    is_equal = (task_of(config), config.steps) == (task_of(usual), usual.steps)
    assert is_equal == (not changes)
    assert ablation.STEPS[table] > 0
    assert len(ablation.ROWS[table]) <= 20  # as many as a page can hold


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The trainings, without doing them; a share tells which training it was."""
    trainings: list[str] = []

    def measured(_: object, table: str, row: str, seed: int) -> dict[str, float]:
        trainings.append(f"{table} {json.dumps(ablation.ROWS[table][row])} {seed}")
        return {"v a (held out)": 0.1 * len(trainings), "v b": 0.5}

    monkeypatch.setattr(ablation, "_measured", measured)
    rows = {TABLE: {RECIPE: {}, "wide": {"width": 512}}, "kado-3p": {RECIPE: {}}}
    monkeypatch.setattr(ablation, "ROWS", rows)
    return trainings


def test_it_goes_on_seed_by_seed(
    tmp_path: Path, trained: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ablation.json"
    config = ablation.AblationConfig(tables=tuple(ablation.ROWS), seeds=1, json=path)
    ablation.ablation(config)
    rows = [f"{TABLE} {{}}", f'{TABLE} {{"width": 512}}', "kado-3p {}"]
    assert trained == [f"{row} 0" for row in rows]
    before = path.read_bytes()
    ablation.ablation(config)
    assert (len(trained), path.read_bytes()) == (3, before)
    ablation.ablation(replace(config, seeds=2))
    assert trained[3:] == [f"{row} 1" for row in rows]
    monkeypatch.setitem(ablation.ROWS[TABLE], "wide", {"width": 8})
    monkeypatch.setitem(ablation.ROWS, "kado-3p", {"narrow": {"width": 8}})
    ablation.ablation(replace(config, seeds=2))
    assert trained[6:] == [
        f'{table} {{"width": 8}} {seed}' for seed in (0, 1) for table in (TABLE, "kado-3p")
    ]
    content = json.loads(path.read_text())
    assert [row["what"] for row in content["kado-3p"]["rows"]] == ["narrow", RECIPE]
    monkeypatch.setitem(ablation.ROWS[TABLE], "wide", {"width": 8, "steps": 9})  # the same recipe
    ablation.ablation(replace(config, tables=(TABLE,)))
    assert trained[10:] == [f'{TABLE} {{"width": 8, "steps": 9}} 0']
    before = path.read_bytes()
    with pytest.raises(ValueError, match=f"{TABLE}.*other settings"):
        ablation.ablation(replace(config, games=8))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "--steps must be 1 to "),
        (
            {"tables": ("kodod-4p",)},
            "unknown table 'kodod-4p'; choose from kododo-2p, full runs; ",
        ),
    ],
)
def test_what_cannot_be_trained_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ablation.AblationConfig(**options)


def test_a_setting_that_there_was_not_yet_had_no_effect() -> None:
    recipe = {"width": 8, "depth": Recipe().depth}
    assert is_same_recipe({"width": 8}, recipe)
    assert is_same_recipe({"width": 8, "gone": 3}, recipe)
    assert not is_same_recipe({"width": 8}, recipe | {"depth": 9})
    assert not is_same_recipe({}, recipe)


def test_tables_hold_the_seeds_that_all_rows_have(
    tmp_path: Path, trained: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ablation.json"
    config = ablation.AblationConfig(tables=(TABLE,), steps=7, seeds=2, games=40, json=path)
    ablation.ablation(config)
    monkeypatch.setattr(update_tables, "DOCS", tmp_path)
    table = update_tables.ablation()
    title = f"{TABLE}: 7 agent-steps on 1 thread, 40 games each, average and range of 2 seeds"
    assert title in table
    assert re.search(rf"\| {RECIPE} +\| 0.200 \(0.100–0.300\) +\| 0.500 ", table)
    content = json.loads(path.read_text())
    del content[TABLE]["rows"][1]["seeds"][1]
    content["kado-3p"] = {**content[TABLE], "rows": [{"what": RECIPE, "seeds": []}]}  # just begun
    path.write_text(json.dumps(content))
    table = update_tables.ablation()
    assert "kado-3p" not in table
    assert "of 1 seeds" in table
    assert re.search(rf"\| {RECIPE} +\| 0.100 \(0.100–0.100\)", table)


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
    stopped, taught_by = (
        config.runs / row / "seed-0" / "config.json"
        for row in ("kododo-4p-the-recipe", "kododo-4p-by-the-recipe-taught")
    )
    stopped.parent.mkdir(parents=True)
    stopped.write_text("{}")
    ablation.ablation(config)
    teacher = stopped.with_name("policy.onnx")
    assert f'"expert": "{teacher}"' in taught_by.read_text()
    (columns,), _ = (row["seeds"] for row in json.loads(path.read_text())[TABLE]["rows"])
    unmet = [f"v {name} (held out)" for name in held_out("kododo", 4) if ":" not in name]
    gain = "a best response of 1 steps gains"
    baseline_heads = [f"v {name}" for name in reversed(baselines("kododo"))]
    minutes = "minutes of a core"
    assert list(columns) == [*unmet, gain, "v validation opponents", *baseline_heads, minutes]
    assert all(0 <= share <= 1 for head, share in columns.items() if head not in (gain, minutes))
    assert columns[minutes] > 0
    assert -0.5 <= columns[gain] <= 0.5
    content = json.loads(path.read_text())
    content[TABLE]["rows"][1]["seeds"] = []
    path.write_text(json.dumps(content))
    teacher.unlink()
    with pytest.raises(ValueError, match="does not exist: remove 'the recipe'"):
        ablation.ablation(config)
