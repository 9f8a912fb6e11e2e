"""The benchmark: its results, their verification, and that they can be reproduced."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kododo_env.agent_registry import POLICIES
from kododo_env.arena import benchmark as protocol
from kododo_env.arena.benchmark import (
    Benchmark,
    Entry,
    entry,
    verify,
)
from kododo_env.arena.workers import run
from kododo_env.commands import benchmark as command
from kododo_env.system.digests import json_digest
from tests.command_line import kododo, stopping_after

FEW = 16  # games against each opponent: one deal for two players in each part


def shorten(patch: pytest.MonkeyPatch) -> None:
    sizes = {"QUICK": FEW, "WHOLE": FEW, "ATTACKS": FEW, "WORLDS": 4, "DRAWS": 1}
    for name, number in sizes.items():
        patch.setattr(protocol, name, number)
    population = protocol.population
    patch.setattr(protocol, "population", lambda *table: dict([*population(*table).items()][:2]))


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch)


@pytest.fixture(scope="module")
def results() -> Entry:
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        table = Benchmark("greedy", "kododo", 2, quick=True)
        return entry(table, run(table, table.chunks()))


def test_an_entry_holds_as_a_file(results: Entry) -> None:
    verify(json.loads(json.dumps(results)))


def test_shares_are_of_the_deals(results: Entry) -> None:
    won = results["won"]["heuristic"]
    assert len(won) == protocol.PARTS
    share = sum(map(int, won)) / (protocol.PARTS * 4)  # two games of a victory, shared by two
    assert results["figures"]["opponents"]["heuristic"]["mean"] == round(share, 4)


def raised(content: Entry) -> None:
    content["won"]["heuristic"][3] = "3"


def digested(content: Entry) -> None:
    parts = ("protocol", "agent", "won", "attack", "nash_conv")
    content["digest"] = json_digest({part: content[part] for part in parts})


FORGED: dict[str, tuple[Callable[[Entry], Any], str]] = {
    "protocol's name": (lambda it: it["protocol"].update(name="mine"), "mine"),
    "games": (lambda it: it["protocol"].update(games=8), "games.* 16"),
    "population": (lambda it: it["protocol"].update(population="0"), "population"),
    "won": (raised, "digest"),
    "won, with a digest": (lambda it: (raised(it), digested(it)), "figures do not match"),
    "figures": (lambda it: it["figures"]["mean"].update(mean=0.9), "figures do not match"),
    "too much": (
        lambda it: (it["won"]["heuristic"].__setitem__(3, "5"), digested(it)),
        "1 integers from 0",
    ),
    "an opponent less": (lambda it: (it["won"].popitem(), digested(it)), "opponents"),
    "a part missing": (lambda it: it.pop("agent"), "entry of"),
}


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_entry_is_refused(results: Entry, case: str) -> None:
    content = copy.deepcopy(results)
    forge, message = FORGED[case]
    forge(content)
    with pytest.raises(ValueError, match=message):
        verify(content)


@pytest.mark.parametrize("nash_conv", [True, "0.5", float("nan"), -1, 3, [0]])
def test_nash_conv_is_a_number_that_can_be(results: Entry, nash_conv: object) -> None:
    content = {**copy.deepcopy(results), "nash_conv": nash_conv}
    digested(content)
    with pytest.raises(ValueError, match="nash_conv"):
        verify(content)


def test_a_whole_run_has_the_attack_as_well() -> None:
    table = Benchmark("kododo-2p", "kododo", 2)
    whole = entry(table, run(table, table.chunks()))
    verify(json.loads(json.dumps(whole)))
    share = sum(map(int, whole["attack"])) / (protocol.PARTS * 4)
    assert whole["figures"]["attack"]["mean"] == round(share, 4)
    assert whole["agent"]["file"]["bytes"] == (POLICIES / "kododo-2p.onnx").stat().st_size


def test_only_a_policy_is_attacked_and_not_in_a_hurry() -> None:
    assert Benchmark("kododo-2p", "kododo", 2).named()[-1] == "search:kododo-2p:4"
    assert Benchmark("kododo-2p", "kododo", 2, quick=True).named()[-1] == "heuristic"
    assert Benchmark("heuristic", "kododo", 2).named()[-1] == "heuristic"


def test_an_agent_has_its_own_name_and_a_file_that_without_its_folder() -> None:
    for bot in ("package.module:act", "exec:node my/bot.mjs", "search:bot.py:Bot:8"):
        assert Benchmark(bot, "kododo", 4).about_agent() == {"name": bot, "file": None}
    in_a_folder = Benchmark("search:my/bot.py:Bot:8", "kododo", 4).about_agent()
    assert in_a_folder == {"name": "search:bot.py:Bot:8", "file": None}
    names = ("held-out:kododo-4p", "search:held-out:kododo-4p-1:8", "kododo-4p")
    agents = [Benchmark(name, "kododo", 4).about_agent() for name in names]
    assert tuple(agent["name"] for agent in agents) == names
    copied = str(POLICIES / "kododo-4p.onnx")
    assert Benchmark(f"search:{copied}:8", "kododo", 4).about_agent() == {
        "name": "search:kododo-4p:8", "file": agents[2]["file"],
    }  # fmt: skip


def test_a_level_is_measured_as_the_policy_that_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """But not the strongest level, which is a search with a time limit."""
    path = tmp_path / "level.json"
    line = "--players", "2", "--quick", "--workers", "1", "--json", str(path)
    code, _, error = kododo(monkeypatch, capsys, "benchmark", "level-1", *line)
    assert code == 0, error
    verify(content := json.loads(path.read_text()))
    assert (content["agent"]["name"], content["nash_conv"]) == ("level-1", None)
    code, _, error = kododo(monkeypatch, capsys, "benchmark", "level-5", *line)
    assert code == 2
    assert "benchmark" in error


def test_a_benchmark_goes_on_where_it_was_stopped_and_is_checked(
    results: Entry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "greedy.json"
    line = ["greedy", "--players", "2", "--quick", "--workers", "1", "--json", str(path)]
    with monkeypatch.context() as stopped:
        stopped.setattr(command, "run", stopping_after(5))
        code, _, error = kododo(monkeypatch, capsys, "benchmark", *line)
    assert (code, path.exists()) == (130, False), error
    code, _, error = kododo(monkeypatch, capsys, "benchmark", *line, "--resume")
    assert code == 0, error
    content = json.loads(path.read_text())
    assert [file.name for file in tmp_path.iterdir()] == ["greedy.json"]
    assert content["digest"] == results["digest"]
    monkeypatch.setattr(command, "HUNDREDTH", 1)  # all of it
    check = ("--check", str(path), "--workers", "1")
    code, output, _ = kododo(monkeypatch, capsys, "benchmark", "greedy", *check)
    assert code == 0
    assert "greedy.json was reproduced: parts 0, 1, 2, 3, " in output
    raised(content)
    digested(content)
    path.write_text(json.dumps({**content, "figures": protocol.figures(content)}))
    code, _, error = kododo(monkeypatch, capsys, "benchmark", "greedy", *check)
    assert (code, len(error.splitlines())) == (2, 1)
    assert "1 of 1 deals" in error
    code, _, error = kododo(monkeypatch, capsys, "benchmark", "random", *check)
    assert "{'name': 'greedy'" in error


def test_a_benchmark_does_not_go_on_with_another_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = tmp_path / "bot.py"
    path = tmp_path / "bot.json"
    text = (
        "class Bot:\n    def act(self, view, rng): return view.legal_action_mask.argmax(axis=1)\n"
    )
    bot.write_text(text)
    line = [f"{bot}:Bot", "--players", "2", "--quick", "--workers", "1", "--json", str(path)]
    with monkeypatch.context() as stopped:
        stopped.setattr(command, "run", stopping_after(2))
        kododo(monkeypatch, capsys, "benchmark", *line)
    bot.write_text(text + "# better\n")
    code, _, error = kododo(monkeypatch, capsys, "benchmark", *line, "--resume")
    assert (code, len(error.splitlines())) == (2, 1)
    assert "another tournament: files" in error
