"""evaluate.py as users run it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kododo_env.arena.match import ChunkResult
from kododo_env.commands import tournament as evaluation
from tests.command_line import cli, stopping_after
from tests.policy.policy_files import changed, write_policy

ROOT = Path(__file__).parents[2]
SOME = ("--agents", "random", "greedy", "--games", "40", "--workers", "1")


# --- what it is for ---------------------------------------------------------------------------


def test_it_prints_a_table_and_writes_json_and_plot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    plot = tmp_path / "out.png"
    code, output, err = cli(capsys, *SOME, "--json", str(out), "--plot", str(plot))
    assert (code, err) == (0, "")
    lines = output.splitlines()
    assert lines[0].startswith("kododo, 4 players: 40 games, 10 decks from every seat, seed 0")
    assert {line.split()[0] for line in lines[3:5]} == {"random", "greedy"}
    content = json.loads(out.read_text())
    assert [content[key] for key in ("game", "players", "games", "deals")] == ["kododo", 4, 40, 10]
    assert sum(standing["share"]["mean"] for standing in content["standings"]) == pytest.approx(0.5)
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "out.png"]


def test_it_compares_two_agents_on_the_same_deals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    code, output, err = cli(capsys, *SOME, "--compare", "--among", "first", "--json", str(out))
    assert (code, err) == (0, "")
    lines = output.splitlines()
    assert "40 games of each agent among copies of first" in lines[0]
    assert [line.split()[0] for line in lines[2:6]] == ["agent", "random", "greedy", "difference"]
    content = json.loads(out.read_text())
    shares = [result["share"]["mean"] for result in content["results"]]
    assert content["difference"]["mean"] == pytest.approx(shares[0] - shares[1])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json"]
    several = cli(capsys, *SOME[:-1], "2", "--compare", "--among", "first")[1]
    assert several == output


def test_other_rules_are_played(capsys: pytest.CaptureFixture[str]) -> None:
    args = ("--agents", "random", "greedy", "--games", "8", "--workers", "1", "--players", "2")
    short = cli(capsys, *args)[1]
    long = cli(capsys, *args, "--rules", "variant=long")[1]
    assert "kododo, 2 players, variant=long:" in long
    assert short != long


def test_in_a_pipe_there_is_no_bar_and_torch_is_not_imported() -> None:
    script = (
        "import runpy, sys; sys.argv[0] = 'evaluate.py'\n"
        "try: runpy.run_path('evaluate.py', run_name='__main__')\n"
        "except SystemExit as left: assert left.code == 0\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *SOME], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "False"


# --- stopped and resumed ----------------------------------------------------------------------


def test_a_resumed_tournament_equals_an_unbroken_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    unbroken = tmp_path / "unbroken.json"
    broken = tmp_path / "broken.json"
    assert cli(capsys, *SOME, "--json", str(unbroken))[0] == 0
    run = evaluation.run
    monkeypatch.setattr(evaluation, "run", stopping_after(5))
    records = tmp_path / "records"
    args = (*SOME, "--json", str(broken), "--record", str(records))
    code, _, err = cli(capsys, *args)
    assert code == 130
    assert "--resume" in err
    assert not broken.exists()
    assert 0 < len([*records.iterdir()]) < 40
    assert "already contains records" in cli(capsys, *args)[2]
    no_record = args[:-2]
    more_games = (*args, "--record-games", "7")
    new_folder = (*args[:-1], str(tmp_path / "new"))
    for changed_args in (no_record, more_games, new_folder):
        assert "another tournament: record " in cli(capsys, *changed_args, "--resume")[2]
    with evaluation.log_of(broken).open("ab") as log:
        log.write(b'{"chunk": 5, "shar')  # killed while it wrote
    played: list[int] = []

    def counting(tournament: Any, chunks: Any, workers: int) -> Iterator[ChunkResult]:
        played.extend(chunk.index for chunk in chunks)
        return run(tournament, chunks, workers)

    monkeypatch.setattr(evaluation, "run", counting)
    assert cli(capsys, *args, "--resume")[0] == 0
    assert min(played) == 5
    assert broken.read_bytes() == unbroken.read_bytes()
    assert not evaluation.log_of(broken).exists()
    assert len([*records.iterdir()]) == 40


@pytest.mark.parametrize("agent", ["{}", "search:{}:1"])
def test_a_changed_policy_is_not_mixed_with_what_was_played(
    agent: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy = write_policy(tmp_path / "p.onnx", "kododo", 2)
    out = tmp_path / "out.json"
    agents = ("--agents", "random", agent.format(policy))
    args = (*agents, "--players", "2", "--games", "20", "--workers", "1")
    monkeypatch.setattr(evaluation, "run", stopping_after(3))
    assert cli(capsys, *args, "--json", str(out))[0] == 130
    changed(policy, policy, lambda model: setattr(model, "doc_string", "another one"))
    code, _, err = cli(capsys, *args, "--json", str(out), "--resume")
    assert code == 2
    assert "another tournament: files" in err
