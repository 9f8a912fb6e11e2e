"""Opponents in one order, where it does not matter which of them sits where."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import torch

from agents.export import onnx_export as export
from agents.networks.network import GameNetwork
from agents.networks.opponent_order import OpponentOrder
from agents.training.training_config import default_config, task_of
from kododo_env import kododo_v0, registry
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.observation import ObservationLayout, Piece
from tests.helpers import rearranged


def reseated(game: BatchGame, observation: np.ndarray, seats: tuple[int, ...]) -> np.ndarray:
    """The observations as they were if seat k had whom seat ``seats[k]`` has."""
    return rearranged(game, observation, ("seat",), seats)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_who_sits_where_does_not_matter(players: int) -> None:
    game = kododo_v0.batch_game(1, num_players=players)
    observation, _ = export.positions(game, 2000)
    order = OpponentOrder(game.layout)
    found = order(torch.from_numpy(observation).float())
    keys = found[:, order.deciding].double() @ order.key
    told_apart = (keys[:, 1:] != keys[:, :-1]).all(dim=1)
    assert told_apart.float().mean() > 0.6  # at a game's start all are alike
    for others in permutations(range(1, players)):
        twin = reseated(game, observation, (0, *others))
        again = order(torch.from_numpy(twin).float())
        assert torch.equal(again[told_apart], found[told_apart])


def test_the_sorted_observation_is_one_of_the_seatings() -> None:
    game = kododo_v0.batch_game(1, num_players=4)
    observation, _ = export.positions(game, 500)
    found = OpponentOrder(game.layout)(torch.from_numpy(observation).float()).numpy()
    is_seating = np.zeros(len(observation), np.bool_)
    for others in permutations(range(1, 4)):
        is_seating |= (reseated(game, observation, (0, *others)) == found).all(axis=1)
    assert is_seating.all()


def test_who_has_more_points_comes_first_and_one_stays_first_oneself() -> None:
    game = kododo_v0.batch_game(1, num_players=5)
    observation, _ = export.positions(game, 2000)
    before = game.layout.views(observation)
    sorted_ = OpponentOrder(game.layout)(torch.from_numpy(observation).float()).numpy()
    after = game.layout.views(sorted_)
    assert (np.diff(after["scores"][:, 1:], axis=1) <= 0).all()
    for name in ("scores", "table_cards", "table_points", "table_kododos", "pile_sizes"):
        assert np.array_equal(after[name][:, 0], before[name][:, 0])


def test_a_network_that_sorts_answers_alike_and_one_that_does_not_differs() -> None:
    game = kododo_v0.batch_game(1, num_players=4)
    observation, _ = export.positions(game, 1000)
    twin = reseated(game, observation, (0, 3, 1, 2))
    for sorts in (True, False):
        torch.manual_seed(0)
        network = GameNetwork(game.layout, game.actions, width=32, depth=2, sort_opponents=sorts)
        with torch.no_grad():
            _, one = network(torch.from_numpy(observation))
            _, other = network(torch.from_numpy(twin))
        same = torch.isclose(one, other, atol=1e-5).float().mean()
        assert same > 0.8 if sorts else same < 0.5


def test_where_it_may_matter_who_sits_where_nobody_is_sorted() -> None:
    game = registry.batch_game("kado", 1, num_players=3)
    with pytest.raises(ValueError, match="does not declare by what"):
        GameNetwork(game.layout, game.actions, width=8, depth=1, sort_opponents=True)
    config = default_config("kado", sort_opponents=True)
    with pytest.raises(ValueError, match="--sort-opponents: kado does not declare by what"):
        task_of(config)


def test_keys_that_cannot_be_added_exactly_are_refused() -> None:
    pieces = tuple(Piece(name, (3,), 1 << 20, "", ("seat",)) for name in ("a", "b", "c"))
    with pytest.raises(ValueError, match="too large to be added exactly"):
        OpponentOrder(ObservationLayout(pieces, opponent_keys=("a", "b", "c")))
