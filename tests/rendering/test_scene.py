"""Tests of tables as data: every card has a face, and the sheets of the end add up."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core.batch_game import BatchGame

PLAYERS = [("kododo", 2), ("kododo", 5), ("combi_combo", 4), ("kado", 2), ("kado", 4)]


def finished(name: str, num_players: int) -> tuple[BatchGame, list[list[int]]]:
    """Return a random finished game and its rewards."""
    game = registry.batch_game(name, 1, seed=1, num_players=num_players)
    rng = np.random.default_rng(2)
    rewards = []
    while not game.terminated[0]:
        mask = game.legal_action_mask()[0]
        game.step([[rng.choice(np.flatnonzero(legal)) for legal in mask]])
        rewards.append(game.rewards[0].tolist())
    return game, rewards


def cards_of(scene: dict[str, Any]) -> list[dict[str, Any]]:
    blocks = [*scene["middle"], *(block for seat in scene["seats"] for block in seat["blocks"])]
    rows = [block["cards"] for block in blocks if block["kind"] == "cards"]
    rows += [row for block in blocks if block["kind"] == "grid" for row in block["cells"]]
    return [card for row in rows for card in row if card is not None]


@pytest.mark.parametrize(("name", "num_players"), PLAYERS)
def test_every_card_has_a_face_and_only_the_reader_has_places(name: str, num_players: int) -> None:
    game = registry.batch_game(name, 1, seed=1, num_players=num_players)
    rng = np.random.default_rng(2)
    while not game.terminated[0]:
        scene = registry.picture_of(game.view(1)).scene().to_json()
        assert {card["face"] for card in cards_of(scene)} <= scene["faces"].keys()
        assert json.loads(json.dumps(scene)) == scene
        for seat in scene["seats"]:
            places = [card for card in cards_of({"seats": [seat], "middle": []}) if "at" in card]
            assert seat["you"] or not places
        mask = game.legal_action_mask()[0]
        game.step([[rng.choice(np.flatnonzero(legal)) for legal in mask]])


@pytest.mark.parametrize(("name", "num_players"), PLAYERS)
def test_the_score_sheet_adds_up_and_ranks_the_winners_first(name: str, num_players: int) -> None:
    game, rewards = finished(name, num_players)
    sheet = registry.words_of(game).score_sheet(rewards)
    totals = np.sum([row["numbers"] for row in sheet["rows"]], axis=0)
    assert totals.tolist() == game.scores[0].tolist()
    assert [rank == 1 for rank in sheet["ranks"]] == (game.outcome()[0] > 0).tolist()


def test_the_sums_of_a_finished_tableau_are_the_points_without_perfects() -> None:
    game, _ = finished("kado", 3)
    seats = registry.picture_of(game).scene(player=0).to_json()["seats"]
    perfects = game.perfects[0] * game.rules.perfect_points
    for seat, points in zip(seats, game.scores[0] - perfects, strict=True):
        grid = seat["blocks"][0]
        assert sum(map(int, grid["row_sums"] + grid["column_sums"])) == points
