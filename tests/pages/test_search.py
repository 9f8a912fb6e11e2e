"""The benchmark of search deals true hands correctly, resumes, and makes a table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core.agent import RandomAgent
from tests.helpers import play_random
from tests.pages.scripts import script

ceilings = script("search_ceilings", "benchmarks")
update_tables = script("update_tables")


@pytest.mark.parametrize(("game", "players"), [("kododo", 3), ("kado", 3), ("combi_combo", 4)])
@pytest.mark.parametrize("steps", [0, 1, 4, 5])
def test_true_hands_are_true_and_what_nobody_knows_is_not(
    game: str, players: int, steps: int
) -> None:
    batch = registry.batch_game(game, 3, 1, num_players=players)
    play_random(batch, np.random.default_rng(0), steps=steps)
    worlds = ceilings.true_hands(RandomAgent(), batch.view(1), np.random.default_rng(2), 4)
    for player in range(players):
        expected = batch.view(player).observation.repeat(4, axis=0)
        assert np.array_equal(worlds.view(player).observation, expected)
    for must, holds in worlds._invariants():
        assert np.all(holds), must
    lie = worlds._state.deck
    before = batch._state.deck.repeat(4, axis=1)
    assert np.array_equal(np.sort(lie, axis=0), np.sort(before, axis=0))
    assert (lie != before).any(axis=1).sum() > 5
    play_random(worlds, np.random.default_rng(0))  # to the end


def test_cells_are_played_once_and_make_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "search.json"
    config = ceilings.CeilingsConfig(
        policies=("combi_combo-4p",), worlds=("4",), dealt=("likely", "true"), games=8, json=path
    )
    ceilings.ceilings(config)
    likely, true = json.loads(path.read_text())
    assert (likely["cell"]["dealt"], true["cell"]["dealt"]) == ("likely", "true")
    before = path.read_bytes()
    monkeypatch.setattr(ceilings, "played", lambda _: pytest.fail("played once more"))
    ceilings.ceilings(replace(config, dealt=("likely", "true", "even")))  # as likely in this game
    assert path.read_bytes() == before
    monkeypatch.setattr(update_tables, "DOCS", tmp_path)
    assert "| true hands " in update_tables.search_gains()
