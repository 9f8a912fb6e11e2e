"""The report of the results of a tournament."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from kododo_env.arena.match import ChunkResult
from kododo_env.arena.report import build_report
from kododo_env.arena.tournament import Tournament
from kododo_env.system.text_table import table
from tests.arena.players import GAME, report_of, tournament


def triple_of(names: tuple[str, ...], edge: float, deals: int) -> tuple[Tournament, Any]:
    """A two-player tournament in which each agent beats the next, by so much."""
    tournament = Tournament(GAME, names, 2, 2 * deals)
    rng = np.random.default_rng(0)
    results = []
    for chunk in tournament.chunks():
        ahead = (chunk.lineup[1] - chunk.lineup[0]) % 3 == 1
        probability = 0.5 + edge * (1 if ahead else -1)
        first = (rng.random((chunk.deals, 2)) < probability).mean(axis=1)
        shares = np.stack([first, 1 - first], axis=1)
        results.append(ChunkResult(chunk, shares, 10 * shares))
    return tournament, results


def test_rock_paper_scissors_is_named() -> None:
    tournament, results = triple_of(("rock", "scissors", "paper"), 0.3, 300)
    report = build_report(tournament, results)
    assert report.intransitive_triples == [("rock", "scissors", "paper")]
    assert "Intransitive: rock beats scissors beats paper beats rock" in report.to_text()
    assert all(abs(standing.rating.mean) < 50 for standing in report.standings)


def test_a_triple_within_the_noise_is_not_named() -> None:
    tournament, results = triple_of(("rock", "scissors", "paper"), 0.02, 60)
    report = build_report(tournament, results)
    assert report.intransitive_triples == []
    assert "No three agents beat each other in a circle." in report.to_text()


def test_shares_of_a_tournament_sum_to_one_for_the_seats_of_a_table() -> None:
    report = report_of(tournament(players=3, games=300))
    assert sum(standing.share.mean for standing in report.standings) == pytest.approx(1)
    assert sum(standing.margin.mean for standing in report.standings) == pytest.approx(0, abs=1e-9)
    assert report.deals == 100
    assert {standing.games for standing in report.standings} == {300}
    points = {standing.agent: standing.points.mean for standing in report.standings}
    for standing in report.standings:
        opponents = (sum(points.values()) - points[standing.agent]) / 2
        assert standing.margin.mean == pytest.approx(points[standing.agent] - opponents)


@pytest.mark.parametrize("edge", [0.3, -0.3])
def test_the_best_stand_first(edge: float) -> None:
    played = Tournament(GAME, ("one", "other"), 2, 200)
    shares = {chunk.index: np.full((chunk.deals, 2), 0.5) for chunk in played.chunks()}
    results = []
    for chunk in played.chunks():
        shares[chunk.index][:, chunk.lineup.index(0)] += edge
        shares[chunk.index][:, chunk.lineup.index(1)] -= edge
        results.append(ChunkResult(chunk, shares[chunk.index], 10 * shares[chunk.index]))
    standings = build_report(played, results).standings
    assert [standing.agent for standing in standings] == (
        ["one", "other"] if edge > 0 else ["other", "one"]
    )
    assert standings[0].share.mean == pytest.approx(0.8)


def test_pairs_are_seen_from_both_sides() -> None:
    pairs = report_of(tournament()).pairs
    for first, second in combinations(range(3), 2):
        assert pairs[first][second].mean + pairs[second][first].mean == pytest.approx(1)
        assert pairs[first][second].low + pairs[second][first].high == pytest.approx(1)


def test_a_report_is_readable_and_its_json_has_no_nan() -> None:
    report = report_of(tournament(games=4, players=4))
    text = report.to_text()
    assert text.startswith("kododo, 4 players: 4 games, 1 deck from every seat, ")
    assert "unknown" in text
    assert max(map(len, text.splitlines())) <= 120
    json.dumps(report.to_json(), allow_nan=False)


def test_columns_are_aligned_and_numbers_left_as_they_are_written() -> None:
    rows = [("agent", "share", "95 %"), ("random", "*0.100", "unknown"), ("a", "1.500", "0 to 1")]
    assert table(rows).splitlines() == [
        "agent      share     95 %",
        "random    *0.100  unknown",
        "a          1.500   0 to 1",
    ]
