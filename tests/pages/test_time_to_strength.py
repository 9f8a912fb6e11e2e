"""The benchmark of seconds to strength: both learners, whose policies play when all is over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.training.training_config import TrainConfig, default_config
from tests.pages.scripts import script

update_tables, make_images = script("update_tables"), script("make_images")
strength = script("time_to_strength", "benchmarks")


def small(config: object, seed: int) -> TrainConfig:
    """Four updates."""
    return default_config(
        steps=4 * 8 * 4 * 18, seed=seed, threads=1, evaluations=2, num_envs=8, width=16, depth=1,
        batch_size=256,
    )  # fmt: skip


def test_the_benchmark_trains_measures_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strength, "asked", small)
    monkeypatch.setattr(strength, "TARGETS", {"heuristic": (0.0, 1.0), "forecaster": (0.0, 1.0)})
    monkeypatch.setattr(update_tables, "DOCS", tmp_path)
    monkeypatch.setattr(make_images, "IMAGES", tmp_path / "images")
    assert "Not measured yet" in update_tables.time_to_strength()
    path = tmp_path / "time_to_strength.json"
    config = strength.StrengthConfig(seeds=1, snapshots=2, games=40, json=path)
    strength.time_to_strength(config)
    found = json.loads(path.read_text())
    for runs in found["learners"].values():
        (run,) = runs
        first, last = run["curve"]
        assert 0 < first["seconds"] < last["seconds"]
        assert 0 < first["steps"] < last["steps"]
        assert 0 < first["processor"] < last["processor"]
        assert run["reached"]["heuristic"][0] is not None
        assert run["reached"]["heuristic"][1] is None
    begun = found | {"learners": found["learners"] | {"MaskablePPO": []}}
    path.write_text(json.dumps(begun))
    assert "MaskablePPO" not in update_tables.time_to_strength()
    path.write_text(json.dumps(found))
    monkeypatch.setattr(strength, "LEARNERS", dict.fromkeys(found["learners"]))  # none may train
    strength.time_to_strength(config)
    for runs in found["learners"].values():  # a seed whose training was disturbed and taken out
        runs[0]["seed"] = 1
    path.write_text(json.dumps(found))
    with pytest.raises(TypeError, match="not callable"):
        strength.time_to_strength(config)
    table = update_tables.time_to_strength()
    assert "\n| train.py v heuristic " in table
    assert "\n| MaskablePPO v forecaster " in table
    assert table.count("not reached") == 4
    (tmp_path / "images").mkdir()
    make_images.draw_strengths(tmp_path / "images" / "strength.png")
    with pytest.raises(ValueError, match="measured in another way: move it away"):
        strength.time_to_strength(strength.StrengthConfig(seeds=1, games=80, json=path))


def test_what_is_published_is_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(strength._begun(strength.StrengthConfig())["learners"].values())
    monkeypatch.setattr(strength, "asked", small)
    with pytest.raises(ValueError, match="measured in another way: move it away"):
        strength._begun(strength.StrengthConfig())


def test_between_two_moments_a_share_changes_evenly() -> None:
    points = [(10.0, 0.1), (20.0, 0.3), (30.0, 0.2), (40.0, 0.5)]
    assert strength._reached(points, 0.25) == pytest.approx(17.5)
    assert strength._reached(points, 0.3) == 20.0
    assert strength._reached(points, 0.6) is None
