"""The levels: their temperatures, and that results are reused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.release import levels as maker
from agents.release.levels import TEMPERATURES, LevelsConfig, measure_levels, temperatures_for
from kododo_env.agent_registry import OUTCOMES_FILE
from kododo_env.levels import LEVELS, SEARCHING
from kododo_env.search import outcome_model
from tests.helpers import InProcessExecutor


def test_a_share_has_the_temperature_between_those_that_were_tried() -> None:
    tried = [0.5 - 0.02 * place for place in range(len(TEMPERATURES))]
    tried[2] += 0.05  # by luck
    between = (tried[5] + tried[6]) / 2
    expected = float(f"{(TEMPERATURES[5] * TEMPERATURES[6]) ** 0.5:.2g}")
    assert temperatures_for([tried[5], between], tried) == [TEMPERATURES[5], expected]


def test_nothing_is_measured_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maker, "worker_pool", lambda _: InProcessExecutor())
    monkeypatch.setattr(maker, "TIME", "1ms")
    monkeypatch.setattr(outcome_model, "FITTED_GAMES", 16)
    out = tmp_path / "levels.json"
    outcomes = tmp_path / "outcomes.json"
    config = LevelsConfig(
        ("kododo-2p",), 1, games=8, search_games=4, out=out, outcomes=outcomes, runs=tmp_path
    )
    measure_levels(config)
    fitted = outcomes.read_bytes()
    shipped = OUTCOMES_FILE.read_bytes()
    shapes = {np.shape(json.loads(text)["kododo-2p"]["weights"]) for text in (fitted, shipped)}
    assert len(shapes) == 1
    first = json.loads(out.read_text("utf-8"))["kododo-2p"]["levels"]
    assert {name: level["games"] for name, level in first.items()} == dict(
        zip(LEVELS, (8, 8, 8, 8, 4), strict=True)
    )
    played = []
    run = maker.run
    monkeypatch.setattr(maker, "OutcomeModel", lambda *_: pytest.fail("fitted twice"))
    monkeypatch.setattr(maker, "_share", lambda *_: pytest.fail("measured twice"))
    monkeypatch.setattr(
        maker, "run", lambda contest, deals: played.extend(deals) or run(contest, deals)
    )
    measure_levels(replace(config, search_games=6))  # it goes on
    assert [deal.index for deal in played] == [2]
    measure_levels(config)  # and keeps further results
    second = json.loads(out.read_text("utf-8"))["kododo-2p"]["levels"]
    assert second[SEARCHING]["games"] == 6
    assert {**second, SEARCHING: 0} == {**first, SEARCHING: 0}
    assert outcomes.read_bytes() == fitted
    monkeypatch.setattr(maker, "fingerprint", lambda _: "that of another policy")
    with pytest.raises(pytest.fail.Exception, match="fitted twice"):
        measure_levels(config)
    monkeypatch.setattr(maker, "fitted_outcomes", lambda *_: {"weights": []})
    with pytest.raises(pytest.fail.Exception, match="measured twice"):
        measure_levels(config)
    with pytest.raises(ValueError, match="unknown policy 'chess'; choose from"):
        LevelsConfig(("chess",))
    with pytest.raises(ValueError, match="games must be at least 5"):
        LevelsConfig(search_games=4)
