"""The benchmark of specialists selects opponents by a rule, resumes, and makes a table."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.training import response_training
from tests.pages.scripts import script

specialists = script("specialists", "benchmarks")
update_tables = script("update_tables")
CONFIG = specialists.SpecialistsConfig


def test_the_interval_of_a_ratio_holds_it_nineteen_times_of_twenty() -> None:
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        could = rng.normal(0.2, 0.5, 500)
        estimate = specialists.ratio(could / 2 + rng.normal(0.04, 0.3, 500), could)
        if estimate.low < 0.7 < estimate.high:
            held += 1
    assert 0.92 < held / 400 < 0.98


def test_specialists_are_trained_once_and_make_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_training, "SELECTION_GAMES", 8)
    path = tmp_path / "specialists.json"
    config = CONFIG(("combi_combo-4p",), opponents=1, steps=1, games=40, json=path)
    specialists.specialists(config)
    (row,) = json.loads(path.read_text())
    assert row["cell"]["against"] == "held-out:drawn-1"
    before = path.read_bytes()
    monkeypatch.setattr(specialists, "measured", lambda _: pytest.fail("trained once more"))
    specialists.specialists(config)
    assert path.read_bytes() == before
    monkeypatch.setattr(update_tables, "DOCS", tmp_path)
    assert "combi_combo-4p" in update_tables.specialists()
