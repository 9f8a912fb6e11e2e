"""The pages on exact best responses match the code, and their benchmark measures correctly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pages.scripts import assert_page_does_as_it_says, script

update_tables = script("update_tables")


def test_the_page_does_as_it_says(tmp_path: Path) -> None:
    assert_page_does_as_it_says("evidence/exact", tmp_path)


def test_the_page_on_open_spiel_does_as_it_says(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra open_spiel)")
    assert_page_does_as_it_says("evidence/open_spiel", tmp_path)


def test_the_benchmark_solves_trains_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra open_spiel)")
    truth = script("exact_truth", "benchmarks")
    path = tmp_path / "exact.json"
    row = [*truth.ROWS][1]
    options = {"steps": 4096, "evaluations": 2, "iterations": 8, "rows": (row,), "json": path}
    truth.truth(truth.TruthConfig(seeds=1, **options))
    content = json.loads(path.read_text())
    assert content["cfr"][-1]["iteration"] == 8
    assert content["cfr"][-1]["nash_conv"] < 0.3 * content["uniform"] < 0.11
    much, little = (solution["nash_conv"] for solution in content["rewarded"])
    assert 0 < little < much < 0.1
    (learned,) = content["rows"][0]["seeds"]
    assert 0 < learned["curve"][-1]["nash_conv"]["1.0"] < 1
    monkeypatch.setattr(truth, "_learned", lambda *_: pytest.fail("trained once more"))
    truth.truth(truth.TruthConfig(seeds=1, **options))
    with pytest.raises(ValueError, match="other settings"):
        truth.truth(truth.TruthConfig(seeds=1, **{**options, "steps": 8}))
    monkeypatch.setattr(update_tables, "DOCS", tmp_path)
    assert f"\n| {row} " in update_tables.exact()
