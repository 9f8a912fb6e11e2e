"""The speed benchmarks run, do the same work, and compute correctly."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
from math import isclose
from pathlib import Path
from pkgutil import resolve_name
from time import process_time

import numpy as np
import pytest

from benchmarks.speed import __main__ as bench
from benchmarks.speed import (
    compare,
    core,
    decision,
    figures,
    interfaces,
    one_game,
    page,
    profile,
    reference_loop,
    tree,
)
from benchmarks.speed import tournament as tournaments
from benchmarks.speed.figures import Bench, SkippedBench
from benchmarks.speed.parts import all_benches
from benchmarks.speed.recorded_games import RecordedGames
from kododo_env import kododo_v0, registry
from kododo_env.agent_registry import held_out_policy_names, shipped
from kododo_env.commands.arguments import read_arguments
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


def test_another_episode_than_the_recorded_one_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_game, "AGENT_STEPS", 1)
    env = one_game.parallel_env(GAMES[0])
    sample = one_game.sampled(lambda: env, one_game.Parallel)
    assert sample()["played"] > 0
    monkeypatch.setattr(
        one_game.Parallel,
        "replay",
        lambda env, episode: bool(env.step(episode[0])[0]) and not env.agents,
    )
    with pytest.raises(RuntimeError, match="did not end"):
        sample()


def test_a_profile_tells_which_function_has_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two functions one has three times the time of the other; their caller has none."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("this system has no timer of the processor's time")
    monkeypatch.setattr(profile, "SECONDS", 0.4)
    prefix = f"{__name__}:Busy"
    places = {
        "long": f"{prefix}.long",
        "short": f"{prefix}.short",
        profile.ELSEWHERE: f"{prefix}.work",
    }
    shares = profile.profiled(places, lambda: Busy().work)()
    assert list(shares) == ["long", "short", profile.ELSEWHERE]
    assert shares["long"] > shares["short"] > 10 > shares[profile.ELSEWHERE]
    assert isclose(sum(shares.values()), 100)


class Busy:
    """Spends the processor's time."""

    def work(self) -> None:
        self.long()
        self.short()

    def long(self) -> None:
        until = process_time() + 0.03
        while process_time() < until:
            pass

    def short(self) -> None:
        until = process_time() + 0.01
        while process_time() < until:
            pass


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


@pytest.mark.parametrize("places", [profile.DECIDING, profile.SEARCHING, profile.PLAYING])
def test_where_a_profile_looks_there_is_a_function(places: dict[str, str]) -> None:
    assert all(resolve_name(where).__code__ for where in places.values() if where)


def test_nine_agents_can_play_a_tournament() -> None:
    for benchmark in figures.selected(all_benches(), ["tournament/nine"]):
        benchmark.make()  # it is refused unless all of them play
    assert len(tournaments.FIELDS["nine"]) == 9
    assert set(tournaments.POLICIES) <= {*shipped(), *held_out_policy_names()}


def test_many_games_have_times_and_memory() -> None:
    measurements = core.large_batch(GAMES[0], 100)
    assert measurements.keys() == {*core.WORKS, "whole", "peak", "peak without observing"}
    assert measurements["peak"] >= measurements["peak without observing"] > 0.01
    assert isclose(measurements["whole"], sum(measurements[work] for work in core.WORKS))


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


@pytest.fixture
def two_parts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two benchmarks that take no time, in place of all."""
    calls: list[str] = []
    benches = [counting("core/x/1", calls), counting("tournament/x/1", calls)]
    monkeypatch.setattr(bench, "all_benches", lambda: iter(benches))
    monkeypatch.setattr(bench, "printed", lambda figures: "tables")
    return calls


def test_figures_are_kept_and_merged(tmp_path: Path, two_parts: list[str]) -> None:
    path = tmp_path / "results.json"
    bench.measure(bench.SpeedConfig("tournament", 1, path))
    content = json.loads(path.read_text())
    assert content["figures"] == {"tournament/x/1/step": 2.0}
    assert set(content["machine"]) == {"processor", "cores", "system", "python", "numpy"}
    content["figures"]["training/x/seconds"] = 5.0
    path.write_text(json.dumps(content))
    bench.measure(bench.SpeedConfig("core", 1, path))
    merged = json.loads(path.read_text())["figures"]
    assert list(merged) == ["core/x/1/step", "tournament/x/1/step", "training/x/seconds"]
    content["machine"]["cores"] = 1000
    path.write_text(json.dumps(content))
    bench.measure(bench.SpeedConfig("core", 1, path))
    assert list(json.loads(path.read_text())["figures"]) == ["core/x/1/step"]


def test_a_benchmark_that_is_not_there_is_said() -> None:
    with pytest.raises(ValueError, match="unknown benchmark 'cor'"):
        figures.selected(all_benches(), ["core", "cor"])
    with pytest.raises(ValueError, match="--rounds must be at least 1"):
        bench.SpeedConfig(rounds=0)


def test_the_tables_show_ratios() -> None:
    measurements = {
        **{f"core/x/{size}/{work}": cost for size, cost in ((64, 20.0), (4096, 5.0))
           for work in page.TITLES},
        "core/x/64/observe": 26.0, "core/x/4096/observe": 8.0,
        "C/x/64/whole": 10.0,
        "one-game/env/x/played": 30.0, "one-game/env/x/with reset": 20.0,
        "one-game/env/rps_v2/played": 60.0, "one-game/env/rps_v2/with reset": 50.0,
        "one-game/gymnasium/x/played": 30.0, "one-game/gymnasium/x/with reset": 20.0,
        "decision/a/1/decision": 7.0, "decision/b/1/decision": 8.0, "decision/b/9/decision": 5.0,
    }  # fmt: skip
    rows = [line.replace(" ", "") for line in page.printed(measurements).splitlines()]
    assert "|total,relativeto4,096games|4.00|1.00|–|" in rows
    assert "|total,relativetoC|8.00|–|–|" in rows  # four works, of which one is rows
    assert "|total,gameslast|86|23|–|" in rows
    assert "|`env`|x|30|0.50|20|" in rows
    assert "|`gymnasium`|x|30|–|20|" in rows  # without the benchmark to compare with
    assert "|`a`|7|–|–|" in rows
    assert "|`b`|8|5|9|" in rows


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


def test_a_benchmark_that_a_tree_cannot_run_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Planted:
        def __init__(self, folder: Path) -> None:
            self.folder = folder

        def __enter__(self) -> Planted:
            return self

        def __exit__(self, *_: object) -> None: ...

        def sample(self, name: str) -> dict[str, float]:
            if (str(self.folder), name) == ("old", "new"):
                raise SkippedBench("AttributeError: it was not there yet")
            return {"step": 1.0 if str(self.folder) == "old" else 3.0}

    monkeypatch.setattr(compare, "Tree", Planted)
    benches = [counting("new", []), counting("both", [])]
    results = dict(compare.one_round((Path("old"), Path("now")), benches, 2, reverse=True))
    assert results == {"both/step": (1.0, 3.0)}
    assert capsys.readouterr().out == "new is skipped: AttributeError: it was not there yet\n"


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_the_makefile_gives_what_is_read() -> None:
    variables = ["REV=a", "ONLY=core", "ROUNDS=2", "JSON=b", "MARKDOWN=c"]
    output = subprocess.check_output(
        ["make", "-n", "-C", ROOT, "bench-compare", *variables], text=True
    )
    line = output.replace("\\\n", "").partition("benchmarks.speed.compare")[2].splitlines()[0]
    read = read_arguments(compare.CompareConfig, shlex.split(line))
    assert read == compare.CompareConfig("a", "core", 2, json=Path("b"), markdown=Path("c"))


has_git = pytest.mark.skipif(
    subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True).returncode != 0,
    reason="no checkout",
)


def test_a_profile_is_not_compared() -> None:
    with pytest.raises(ValueError, match="unknown benchmark 'profile'"):
        compare.compare(compare.CompareConfig("HEAD", "profile", 2, 1))


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


@has_git
def test_each_tree_measures_its_own_package() -> None:
    with tree.tree_of("HEAD") as folder:
        assert (folder / tree.BENCHMARKS / "tree.py").read_text() == Path(tree.__file__).read_text()
        init = folder / "kododo_env" / "core" / "batch_game.py"
        init.write_text(init.read_text().replace("def reset(", "def was_reset("))
        with (
            tree.Tree(folder) as broken,
            pytest.raises(SkippedBench, match=r"AttributeError: .*reset"),
        ):
            broken.sample("core/kododo/8")
    assert not folder.exists()
    with (
        pytest.raises(ValueError, match="unknown revision 'nonsense'"),
        tree.tree_of("nonsense"),
    ):
        pass
