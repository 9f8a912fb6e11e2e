"""The command ``kododo`` of the wheel."""

from __future__ import annotations

import sys

import pytest

import kododo_env
from kododo_env.commands import bench, console
from kododo_env.commands.bench import BenchConfig


def kododo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: str
) -> tuple[int, str, str]:
    """Its exit status and what it prints, on stdout and on stderr."""
    monkeypatch.setattr(sys, "argv", ["kododo", *args])
    monkeypatch.setattr(console, "end_at_once_on_stop", lambda: None)  # this process goes on
    with pytest.raises(SystemExit) as leave:
        console.main()
    said = capsys.readouterr()
    return int(leave.value.code or 0), said.out, said.err


@pytest.mark.parametrize(("args", "status"), [((), 2), (("--help",), 0), (("-h",), 0)])
def test_it_lists_its_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], args: tuple[str, ...],
    status: int,
) -> None:  # fmt: skip
    found, out, _ = kododo(monkeypatch, capsys, *args)
    assert found == status
    assert all(f"  {command}" in out for command in console.COMMANDS)


def test_its_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said = 0, f"kododo-env {kododo_env.__version__}\n", ""
    assert kododo(monkeypatch, capsys, "--version") == said


def test_a_tournament(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    games = ("--games", "40", "--workers", "1")
    found, out, _ = kododo(monkeypatch, capsys, "evaluate", "--agents", "random", "greedy", *games)
    assert found == 0
    assert "kododo, 4 players: 40 games, 10 decks from every seat, seed 0" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("dance",), "kododo: error: unknown command 'dance'; choose one of evaluate, "),
        (("--agents",), "kododo: error: unknown command '--agents'; choose one of"),
        (("evaluate",), "kododo evaluate: error: name two agents at least with --agents"),
        (("evaluate", "--agents", "random", "x"), "kododo evaluate: error: unknown agent 'x'"),
        (("evaluate", "--minutes", "5"), "kododo evaluate: error: "),
        (("bench", "--players", "9"), "kododo bench: error: no game is played with 9 players"),
        (("bench", "--rounds", "0"), "kododo bench: error: --rounds must be 1 to 1000, not 0"),
    ],
)
def test_a_wrong_command_line_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], args: tuple[str, ...],
    message: str,
) -> None:  # fmt: skip
    status, out, err = kododo(monkeypatch, capsys, *args)
    assert (status, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_the_benchmark_compares_all_games_with_rps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ("--seconds", "0.01", "--rounds", "1", "--num-envs", "8")
    status, out, _ = kododo(monkeypatch, capsys, "bench", *sizes)
    assert status == 0
    lines = out.splitlines()
    assert [line.split(",")[0] for line in lines[1:-1:2]] == ["kododo", "combi_combo", "kado"]
    assert lines[-1].startswith("PettingZoo's rps_v2")
    assert lines[-1].endswith(" 1.0")


def test_the_benchmark_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "find_spec", lambda name: None)
    bench.bench(BenchConfig(seconds=0.01, rounds=1, num_envs=8))
    out = capsys.readouterr().out
    assert "PettingZoo's rps_v2 is not here: pip install 'pettingzoo[classic]'" in out
