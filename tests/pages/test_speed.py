"""The speed benchmarks run, do the same work, and compute correctly."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from benchmarks.speed import (
    compare,
    core,
    decision,
    figures,
    interfaces,
    one_game,
    reference_loop,
)
from benchmarks.speed import tournament as tournaments
from benchmarks.speed.figures import SkippedBench
from benchmarks.speed.parts import all_benches
from benchmarks.speed.recorded_games import RecordedGames
from kododo_env import kododo_v0, registry
from tests.game_tables import GAMES
from tests.pages.scripts import ROOT

# --- the same work ------------------------------------------------------------------------------


def loop_in_c(games: int, players: int) -> reference_loop.ReferenceLoop:
    try:
        return reference_loop.ReferenceLoop(games, players, keep=True)
    except SkippedBench as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("players", kododo_v0.PLAYERS)
def test_the_loop_in_c_does_what_the_core_does(players: int) -> None:
    num = 200
    game = kododo_v0.batch_game(num, num_players=players, seed=players)
    loop = loop_in_c(num, players)
    actions = RecordedGames(game).actions
    decks = game.sample_decks(num, np.random.default_rng(1))
    loop.play(np.stack(actions), decks)
    game.reset(decks=decks)
    assert loop.steps == len(actions)
    for step, joint_action in enumerate(actions):
        game.step(joint_action)
        assert (loop.output.rewards[step] == game.rewards).all()
        assert (loop.output.mask[step] == game.legal_action_mask()).all()
        assert (loop.output.rows[step] == game.observe()).all()
    assert game.terminated.all()


@pytest.mark.parametrize("game", GAMES)
def test_a_recorded_game_is_played_again(game: str) -> None:
    recorded = RecordedGames(registry.environment_module(game).batch_game(5, seed=3))
    scores = recorded.game.scores.copy()
    for _ in range(2):
        recorded.rewind()
        recorded.game.reset()
        for actions in recorded.actions:
            recorded.game.step(actions)
        assert recorded.game.terminated.all()
        assert (recorded.game.scores == scores).all()


# --- everything can be measured -----------------------------------------------------------------


def test_each_figure_has_a_unit_and_is_positive(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cheapest of each kind; what takes long is made small."""
    monkeypatch.setattr(one_game, "AGENT_STEPS", 20)
    monkeypatch.setattr(interfaces, "GAMES", 8)
    monkeypatch.setattr(decision, "FEW_STEPS", 9)
    monkeypatch.setattr(decision, "MILLISECONDS", 5)
    monkeypatch.setattr(tournaments, "GAMES", {"scripted": 40})
    monkeypatch.setattr(tournaments, "PROCESSES", (1,))
    cheap = [
        "core/kododo/8", "core/kado/128", "interfaces", "one-game", "decision/kododo-4p/1",
        "decision/search:kododo-4p:5ms", "tournament/scripted",
    ]  # fmt: skip
    results = dict(figures.in_turns(figures.selected(all_benches(), cheap), 1))
    assert len(results) == 2 + 12 + 12 + 2 + 1
    for sample in results.values():
        assert all(figures.UNITS[name] and value > 0 for name, value in sample.items())


# --- in turns, and written down -----------------------------------------------------------------


# --- two revisions ------------------------------------------------------------------------------


has_git = pytest.mark.skipif(
    subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True).returncode != 0,
    reason="no checkout",
)


@has_git
def test_two_trees_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = {"json": tmp_path / "ratios.json", "markdown": tmp_path / "ratios.md"}
    compare.compare(compare.CompareConfig("HEAD", "core/kododo/8", 2, 1, **written))
    content = json.loads(written["json"].read_text())
    assert [content["rev"], content["rounds"]] == ["HEAD", 2]
    works = {f"core/kododo/8/{work}" for work in (*core.WORKS, "rows", "whole")}
    assert content["figures"].keys() == works
    for ratio in content["figures"].values():
        assert 0 < ratio["low"] < ratio["ratio"] < ratio["high"]
    printed = capsys.readouterr().out.splitlines()
    page = written["markdown"].read_text()
    assert len(printed) == 2 + len(works)
    assert page.count("\n") == 2 + len(works)
    assert page.startswith("| figure")
