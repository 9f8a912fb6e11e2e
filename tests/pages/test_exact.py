"""The page on exact best responses does as it says, and its benchmark measures what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pages.scripts import assert_page_does_as_it_says, script

update_tables = script("update_tables")


def test_the_page_does_as_it_says(tmp_path: Path) -> None:
    assert_page_does_as_it_says("exact", tmp_path)


def test_the_benchmark_solves_trains_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra open_spiel)")
    truth = script("exact_truth", "benchmarks")
    path, (row, *_) = tmp_path / "exact.json", [*truth.ROWS][1:]
    given = {"steps": 4096, "evaluations": 2, "iterations": 8, "rows": (row,), "json": path}
    truth.truth(truth.TruthConfig(seeds=1, **given))
    found = json.loads(path.read_text())
    assert found["cfr"][-1]["iteration"] == 8
    assert found["cfr"][-1]["nash_conv"] < 0.3 * found["uniform"] < 0.11
    (learned,) = found["rows"][0]["seeds"]
    assert 0 < learned["curve"][-1]["nash_conv"]["1.0"] < 1
    monkeypatch.setattr(truth, "_learned", lambda *_: pytest.fail("trained once more"))
    truth.truth(truth.TruthConfig(seeds=1, **given))
    with pytest.raises(ValueError, match="holds something else: move it away"):
        truth.truth(truth.TruthConfig(seeds=1, **{**given, "steps": 8}))
    monkeypatch.setattr(update_tables, "DOCS", tmp_path)
    assert f"\n| {row} " in update_tables.exact()


def test_each_row_can_be_trained() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra open_spiel)")
    truth = script("exact_truth", "benchmarks")
    asked = {truth.settings(truth.TruthConfig(), row, 0).settings for row in truth.ROWS.values()}
    assert len(asked) == len(truth.ROWS)
