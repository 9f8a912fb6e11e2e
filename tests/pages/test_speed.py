"""The speed benchmarks run, do the same work, and compute correctly."""

from __future__ import annotations

import json
import subprocess
import sys
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
from benchmarks.speed.figures import Bench, SkippedBench
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


def test_the_loop_in_c_shuffles_all_cards() -> None:
    game = kododo_v0.batch_game(300, seed=0)
    loop = loop_in_c(300, 4)
    loop.play(np.stack(RecordedGames(game).actions))
    counts = loop.output.rows[-1, :, 0, -30:]  # by type, after the last turn
    assert (counts.sum(axis=1) == 4 * 4 * 6).all()
    assert (counts <= np.tile((5, 6, 5, 2, 1, 1), 5)).all()
    assert len(np.unique(loop.output.rows[0, :, 0, :30], axis=0)) > 250


def test_without_a_compiler_the_loop_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    reference_loop.compiled.cache_clear()
    assert list(figures.in_turns(figures.selected(all_benches(), ["C/kododo/1"]), 1)) == []
    output = capsys.readouterr().out
    assert output == "C/kododo/1 is skipped: the loop in C needs a C compiler (cc)\n"


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


@pytest.mark.skipif(sys.platform != "linux", reason="tells of Linux's ru_maxrss")
def test_memory_is_that_of_the_process_not_of_its_parent() -> None:
    """All three games had 1.10 GB without observing: those of the process that measured C."""
    parent = np.ones(50_000_000)  # .4 GB
    measurements = core.in_a_process("kado", 10)()
    assert measurements["peak"] < parent.nbytes / 1e9


# --- in turns, and written down -----------------------------------------------------------------


def counting(name: str, calls: list[str], limit: int = 1000) -> Bench:
    """A benchmark whose figure is how often it was asked."""

    def sample() -> dict[str, float]:
        calls.append(name)
        return {"step": float(calls.count(name))}

    return Bench(name, lambda: sample, limit)


def test_benchmarks_take_turns_and_the_median_counts() -> None:
    calls: list[str] = []
    benches = [counting("a", calls), counting("b", calls, limit=1), counting("c", calls)]
    results = dict(figures.in_turns(benches, 3))
    assert "".join(calls) == "ac" + "abc" + "ac" + "ac"
    assert results == {"a": {"step": 3.0}, "b": {"step": 1.0}, "c": {"step": 3.0}}


def test_a_ratio_is_the_median_of_those_of_rounds() -> None:
    """The medians are of different rounds here, in which the machine was not equally busy."""
    speeds = {"own": iter((1.0, 10.0, 20.0, 90.0)), "other": iter((1.0, 5.0, 40.0, 30.0))}

    def bench(name: str, beside: str = "") -> figures.Bench:
        return figures.Bench(name, lambda: lambda: {"played": next(speeds[name])}, beside=beside)

    results = dict(figures.in_turns([bench("own", "other"), bench("other")], 3))
    assert results == {"own": {"played": 20.0, "times": 2.0}, "other": {"played": 30.0}}


# --- two revisions ------------------------------------------------------------------------------


def test_ratios_are_those_of_rounds_and_say_which_is_better() -> None:
    rounds = [
        {
            "a/step": (2.0 * noise, 1.0 * noise * wobble),
            "a/played": (9.0, 3.0 * wobble),
            "b/step": (1.0, wobble),
        }
        for noise, wobble in ((1.0, 1.1), (7.0, 1.0), (3.0, 0.9))
    ]
    ratios = compare.ratios(rounds)
    assert ratios["a/step"]["ratio"] == pytest.approx(2 / (1.1 * 0.9) ** (1 / 3))
    assert ratios["a/played"]["ratio"] == pytest.approx(1 / 3 * (1.1 * 0.9) ** (1 / 3))
    logs = np.log([1.1, 1.0, 0.9])
    half = 4.3027 * logs.std(ddof=1) / 3**0.5  # Student's, 2 degrees of freedom
    assert np.log(ratios["b/step"]["high"] / ratios["b/step"]["ratio"]) == pytest.approx(half, 1e-3)
    marks = {name: compare.row(name, ratio)[-1] for name, ratio in ratios.items()}
    assert marks == {"a/step": "better", "a/played": "worse", "b/step": ""}


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
