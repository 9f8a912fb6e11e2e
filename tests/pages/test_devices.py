"""The benchmark of devices, here on the CPU only, and its table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pages.scripts import script

update_tables = script("update_tables")
devices = script("devices", "benchmarks")


def test_speeds_are_measured_and_stand_in_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "TABLES", {("kododo", 2): ((16, 32), (1024,))})
    path = tmp_path / "devices.json"
    devices.measure_devices(devices.DevicesConfig(("cpu",), threads=1, seconds=0.01, json=path))
    content = json.loads(path.read_text())
    assert [row["width"] for row in content["rows"]] == [16, 32]
    for row in content["rows"]:
        assert row["steps_per_second"] > 0
        assert set(row["shares"]) == {"acting", "games", "learning"}
        assert 0.5 < sum(row["shares"].values()) <= 1
    monkeypatch.setattr(update_tables, "DOCS", tmp_path)
    assert "| kododo-2p, 16" in update_tables.devices()
