"""The benchmark of specialists selects opponents by a rule, resumes, and makes a table."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from agents.training import response_training
from kododo_env.agent_registry import TEST, load, make_agent, policy_tables, population
from kododo_env.arena.head_to_head import Match
from tests.pages.scripts import script

specialists = script("specialists", "benchmarks")
update_tables = script("update_tables")
CONFIG = specialists.SpecialistsConfig


def test_the_first_opponent_of_each_table_comes_before_the_second() -> None:
    cells = list(specialists.cells(CONFIG(opponents=2)))
    assert [cell.policy for cell in cells] == [*policy_tables()] * 2


@pytest.mark.parametrize("policy", policy_tables())
def test_all_of_the_test_half_but_searches_are_met(policy: str) -> None:
    half = population(*policy_tables()[policy], TEST)
    cells = specialists.of_table(policy, CONFIG())
    met = {cell.against for cell in cells if cell.is_test_opponent}
    assert met == {name for name, about in half.items() if about["kind"] != "flat"}
    assert len({cell.against for cell in cells}) == len(cells)


def test_both_play_the_deals_of_a_match() -> None:
    agents = load("kododo-3p"), make_agent("drawn:1", "kododo")
    shares = specialists.won(*agents, "kododo", 3, 60)
    match = Match(*agents, "kododo", 3, 60, specialists.DEALS)
    assert shares.shape == (20,)
    assert shares.mean() == pytest.approx(match.play().share.mean)


def test_the_interval_of_a_ratio_holds_it_nineteen_times_of_twenty() -> None:
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        could = rng.normal(0.2, 0.5, 500)
        estimate = specialists.ratio(could / 2 + rng.normal(0.04, 0.3, 500), could)
        if estimate.low < 0.7 < estimate.high:
            held += 1
    assert 0.92 < held / 400 < 0.98


def test_nothing_is_known_of_a_ratio_to_nothing() -> None:
    estimate = specialists.ratio(np.array([0.1, 0.2]), np.array([-0.3, 0.4]))
    assert set(estimate.to_json().values()) == {None}


def test_specialists_are_trained_once_and_make_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_training, "SELECTION_GAMES", 8)
    path = tmp_path / "specialists.json"
    config = CONFIG(("combi_combo-4p",), opponents=1, steps=1, games=40, json=path)
    specialists.specialists(config)
    (row,) = json.loads(path.read_text())
    assert row["cell"]["against"] == "drawn:1"
    before = path.read_bytes()
    measured = specialists.measured
    monkeypatch.setattr(specialists, "measured", lambda _: pytest.fail("trained once more"))
    specialists.specialists(config)
    assert path.read_bytes() == before
    monkeypatch.setattr(specialists, "measured", measured)
    monkeypatch.setattr(specialists, "file_of", lambda _: "another")
    specialists.specialists(config)
    (repeated,) = json.loads(path.read_text())
    assert repeated["cell"] == row["cell"] | {"file": "another"}
    assert repeated["ours"] == row["ours"]


def test_the_mean_is_over_the_held_out_policies_of_whom_a_ratio_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    means = (0.6, True), (0.8, True), (0.1, False), (None, True)
    rows = []
    for number, (mean, is_test_opponent) in enumerate(means):
        share, ratio = ({"mean": centre, "low": centre, "high": centre} for centre in (0.5, mean))
        cell = specialists.SpecialistCell(
            "kododo-2p", "", f"other-{number}", is_test_opponent, 1000, 0, 20
        )
        rows.append({"cell": asdict(cell), "ours": share, "specialist": share, "ratio": ratio})
    (tmp_path / "specialists.json").write_text(json.dumps(rows))
    monkeypatch.setattr(update_tables, "DOCS", tmp_path)
    summary, table = update_tables.specialists().split("\n\n")
    (row,) = summary.splitlines()[2:]
    assert row.split() == ["|", "kododo-2p", "|", "2", "|", "0.70", "(0.70", "to", "0.70)", "|"]
    assert ["unknown" in line for line in table.splitlines()[2:]] == [False, False, False, True]
