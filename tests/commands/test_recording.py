"""evaluate.py --record: records of games in a folder, or all decisions in a file."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.commands import recording
from kododo_env.commands import tournament as evaluation
from kododo_env.records import read_record, replay
from kododo_env.records.decision_file import read_decisions
from tests.command_line import cli, stopping_after

AGENTS = ("--agents", "random", "greedy", "--workers", "1")


def records_in(folder: Path) -> dict[str, Any]:
    """Replay all records and return players and outcomes by the names of their files."""
    games = {}
    for path in sorted(folder.iterdir()):
        *_, last = replay(read_record(path))
        games[path.name] = (read_record(path).players, last.outcome()[0].tolist())
    return games


def shares_of(games: Iterable[tuple[list[str], list[float]]]) -> dict[str, float]:
    """Return each agent's mean share, over its seats at a table and then over all games."""
    shares = defaultdict(list)
    for players, outcome in games:
        for agent in set(players):
            seats = [seat for seat, player in enumerate(players) if player == agent]
            shares[agent].append(np.mean([outcome[seat] for seat in seats]))
    return {agent: float(np.mean(won)) for agent, won in shares.items()}


def shares_in(out: Path) -> dict[str, float]:
    """Return each agent's mean share in the table of results."""
    standings = json.loads(out.read_text())["standings"]
    return {standing["agent"]: standing["share"]["mean"] for standing in standings}


@pytest.mark.parametrize("game", list(registry.ENVIRONMENT_MODULES))
def test_a_record_of_each_game(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = ("--agents", "random", "heuristic", "--workers", "1", "--game", game)
    players = max(registry.environment_module(game).PLAYERS)
    games = ("--games", str(2 * players), "--players", str(players))
    folder = tmp_path / "new" / "records"
    out = tmp_path / "out.json"
    code, _, err = cli(capsys, *agents, *games, "--record", str(folder), "--json", str(out))
    assert (code, err) == (0, "")
    records = records_in(folder)
    assert len(records) == 2 * players
    # The records agree with the table of win shares.
    assert shares_of(records.values()) == pytest.approx(shares_in(out))


def test_as_many_games_as_are_asked_for_spread_over_the_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--games", "400", "--record-games", "110", "--record", str(tmp_path / "records"))
    assert cli(capsys, *AGENTS, *options)[0] == 0
    names = [path.name for path in (tmp_path / "records").iterdir()]
    assert len(names) == 110  # each deal from every seat, but for the last
    tables = Counter(name[:10] for name in names)
    assert len(tables) == 24
    assert set(tables.values()) == {4, 6, 8}
    assert "table-0023-deal-000-rotation-3.jsonl" in names


def test_the_record_does_not_depend_on_the_workers_nor_the_results_on_the_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = ("--agents", "random", "greedy", "--games", "40")
    with_one = cli(capsys, *games, "--workers", "1", "--record", str(tmp_path / "one"))
    with_two = cli(capsys, *games, "--workers", "2", "--record", str(tmp_path / "two"))
    assert with_one == with_two == cli(capsys, *games, "--workers", "1")
    assert records_in(tmp_path / "one") == records_in(tmp_path / "two")


@pytest.mark.parametrize("game", list(registry.ENVIRONMENT_MODULES))
def test_all_decisions(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    agents = ("--agents", "random", "heuristic", "--game", game)
    path = tmp_path / "decisions.parquet"
    out = tmp_path / "out.json"
    first: dict[str, Any] = {}
    read: dict[str, Any] = {}
    several = game == next(
        iter(registry.ENVIRONMENT_MODULES)
    )  # once, since processes take long to start
    for workers in ("1", "2") if several else ("1",):
        args = (*agents, "--games", "8", "--workers", workers, "--json", str(out))
        code, _, err = cli(capsys, *args, "--record", str(path))
        assert (code, err) == (0, "")
        read = read_decisions(path)
        if workers == "1":
            first = read
    assert all(np.array_equal(first[name], read[name]) for name in first)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["decisions.parquet", "out.json"]
    assert set(read["game"].tolist()) == set(range(8))
    assert np.take_along_axis(read["mask"], read["action"][:, None].astype(int), axis=1).all()
    seats = {
        (number, seat): (agent, share)
        for number, seat, agent, share in zip(
            read["game"], read["seat"], read["agent"], read["outcome"], strict=True
        )
    }
    players = 1 + int(read["seat"].max())
    games = [[seats[number, seat] for seat in range(players)] for number in range(8)]
    results = [([agent for agent, _ in game], [share for _, share in game]) for game in games]
    assert shares_of(results) == pytest.approx(shares_in(out), abs=1e-6)


def test_records_of_another_tournament_are_not_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a log, ``--resume`` once mixed the records of two tournaments."""
    out = str(tmp_path / "out.json")
    folder = tmp_path / "records"
    options = ("--games", "8", "--json", out, "--record", str(folder), "--resume")
    assert cli(capsys, *AGENTS, *options)[0] == 0
    before = records_in(folder)
    code, _, error = cli(capsys, *AGENTS, *options, "--seed", "5")
    assert code == 2
    assert "already contains records" in error
    assert records_in(folder) == before


def test_a_stopped_tournament_leaves_no_half_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    monkeypatch.setattr(evaluation, "run", stopping_after(0))
    path = tmp_path / "decisions.parquet"
    assert cli(capsys, *AGENTS, "--games", "40", "--record", str(path))[0] == 130
    assert list(tmp_path.iterdir()) == []


def test_no_record_stays_of_a_part_that_is_not_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records of the first part once stayed, and --resume rejected the folder."""
    write_text = recording.write_text
    out = tmp_path / "out.json"
    folder = tmp_path / "records"
    number = count(1)

    def full(path: Path, text: str) -> None:
        if next(number) == 3:
            raise OSError(28, "No space left on device", str(path))
        write_text(path, text)

    args = (*AGENTS, "--games", "240", "--record", str(folder), "--json", str(out))
    with monkeypatch.context() as patch:
        patch.setattr(recording, "write_text", full)
        assert cli(capsys, *args)[0] == 2
    assert [*tmp_path.iterdir()] == []
    assert cli(capsys, *args, "--resume")[0] == 0
