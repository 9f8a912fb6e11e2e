"""The page on exact best responses matches the code, and its benchmark measures correctly."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from agents.recipes.recipe import Recipe
from agents.training.trainer import Trainer
from kododo_env import kododo_v0
from kododo_env.games.kododo.rules import Rules
from kododo_env.search.game_tree import GameTree
from tests.pages.scripts import assert_page_does_as_it_says, script

update_tables = script("update_tables")


def test_the_page_does_as_it_says(tmp_path: Path) -> None:
    assert_page_does_as_it_says("evidence/exact", tmp_path)


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


def test_a_training_that_is_stopped_is_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra open_spiel)")
    truth = script("exact_truth", "benchmarks")
    monkeypatch.setattr(Trainer, "run", lambda self: setattr(self, "stopped", KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        truth._learned(truth.TruthConfig(), {}, 0)


def test_a_row_of_another_recipe_is_not_gone_on_with() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra open_spiel)")
    truth = script("exact_truth", "benchmarks")
    tree = GameTree(kododo_v0.batch_game(1, **truth.RULES))
    assert all(row["seeds"] for row in truth._initial_results(truth.TruthConfig(), tree)["rows"])
    truth.NETWORK["width"] = 32
    with pytest.raises(ValueError, match="other settings"):
        truth._initial_results(truth.TruthConfig(), tree)


def test_each_row_can_be_trained() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra open_spiel)")
    truth = script("exact_truth", "benchmarks")
    settings = {
        truth.train_config(truth.TruthConfig(), row, 0).settings for row in truth.ROWS.values()
    }
    assert len(settings) == len(truth.ROWS)


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_a_game_for_a_reward_ends_with_all_that_the_reward_gave(weight: float) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra open_spiel)")
    truth = script("exact_truth", "benchmarks")
    two_rounds = {**asdict(Rules.tiny()), "copies": (1, 1, 1)}  # points come in both of them
    tree = GameTree(kododo_v0.batch_game(1, **two_rounds))
    before = [step.shares.copy() for step in tree.steps]
    game = truth.rewarded(tree, Recipe(margin_weight=weight))
    assert len(game.steps) == len(tree.steps) == 2
    for step, changed, shares in zip(tree.steps, game.steps, before, strict=True):
        after = step.games.take(step.before)
        after.step(step.actions)
        margins = after.scores - after.scores[:, ::-1].astype(np.float64)
        expected = np.where(step.over[:, None], shares - 0.5 + weight * margins, 0.0)
        np.testing.assert_allclose(changed.shares, expected, atol=1e-6)
        np.testing.assert_array_equal(step.shares, shares)
