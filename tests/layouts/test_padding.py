"""Padding of observations and actions to the common layouts of all tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.all_tables import all_tables, further_rules, padding_of
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.layouts.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.layouts.observation import ObservationLayout, Piece, Symmetry
from kododo_env.layouts.padding import Layouts, Padding, common_layouts
from tests.game_tables import TABLES


def batch(game: str, players: int, num_envs: int = 3) -> BatchGame:
    return registry.batch_game(game, num_envs, 0, num_players=players)


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_every_number_keeps_its_place_in_its_piece(game: str, players: int) -> None:
    """Seats that do not exist hold nothing, and actions that do not exist are illegal."""
    played = batch(game, players)
    rng = np.random.default_rng(0)
    padding = padding_of(played)
    while not played.terminated.all():
        observations = padding.observations(played.observe())
        assert observations.dtype == padding.layout.dtype
        assert (observations <= padding.layout.maxima).all()
        views = played.layout.views(played.observe())
        padded = padding.layout.views(observations)
        for name, piece in padded.items():
            padding_numbers = piece.copy()
            if name in views:
                corner = tuple(slice(length) for length in views[name].shape)
                assert np.array_equal(piece[corner], views[name])
                padding_numbers[corner] = 0
            assert not padding_numbers.any()
        masks = padding.masks(played.legal_action_mask())
        assert masks.sum() == played.legal_action_mask().sum()
        chosen = random_legal_actions(masks, rng)
        actions = padding.own_actions(chosen)
        played.step(actions)  # or it raises


@pytest.mark.parametrize("game", registry.ENVIRONMENT_MODULES)
def test_all_tables_have_the_same_layouts_in_common(game: str) -> None:
    tables = all_tables(batch(game, max(registry.environment_module(game).PLAYERS)))
    assert tuple(tables) == registry.environment_module(game).PLAYERS
    paddings = [padding_of(table) for table in tables.values()]
    assert len({padding.layout.fingerprint() for padding in paddings}) == 1
    assert len({padding.actions for padding in paddings}) == 1
    largest = max(table.layout.size for table in tables.values())
    assert paddings[0].layout.size == largest
    assert paddings[0].layout.symmetry is not None


def test_further_rules_hold_at_all_tables() -> None:
    long = registry.batch_game("kododo", 1, num_players=4, variant="long", target_score=30)
    assert further_rules(long) == {"variant": "long", "target_score": 30}
    assert {table.rules.target_score for table in all_tables(long).values()} == {30}
    two_players = registry.batch_game("kododo", 1, num_players=2, removed_cards=2)
    assert tuple(all_tables(two_players)) == (2,)


def test_an_action_of_another_table_is_none_here() -> None:
    """KADO's dealer gives the card to one of the players."""
    padding = padding_of(batch("kado", 2))
    place = padding.actions.where("give")
    assert padding.own_actions(np.array([place.start])).tolist() == [0]
    with pytest.raises(ValueError, match=f"action {place.start + 2}"):
        padding.own_actions(np.array([place.start + 2]))
    with pytest.raises(ValueError, match="0 to 66"):
        padding.own_actions(np.array([67]))


SEATS = Piece("cards", (2, 3), 4, "", ("seat", "colour"))
TABLE = Layouts(
    ObservationLayout((SEATS,), Symmetry(("colour",), "permutations", ("cards",))),
    ActionLayout((SlotPiece("lay", "cards", 2, 2), ActionPiece("pass"))),
)


def test_blocks_that_play_from_slots_have_a_place_for_each_choice() -> None:
    larger = TABLE._replace(actions=ActionLayout((SlotPiece("lay", "cards", 3, 2),)))
    common = common_layouts([TABLE, larger])
    assert Padding(TABLE, common).numbers.tolist() == [0, 3]
    assert Padding(larger, common).numbers.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("piece", "message"),
    [
        (replace(SEATS, name="gifts", axes=("seat", "gift")), "same symmetry"),
        (replace(SEATS, shape=(2, 4)), "length"),
        (replace(SEATS, shape=(3, 2), axes=("colour", "seat")), "axes"),
    ],
)
def test_tables_without_common_layouts_are_refused(piece: Piece, message: str) -> None:
    symmetry = Symmetry(("colour",), "permutations", ("cards",))
    if "colour" not in piece.axes:
        symmetry = Symmetry(("gift",), "permutations", ("gifts",))
    layouts = TABLE._replace(observation=ObservationLayout((piece,), symmetry))
    with pytest.raises(ValueError, match=message):
        common_layouts([TABLE, layouts])


def test_blocks_of_actions_that_differ_between_tables_are_refused() -> None:
    blocks = TABLE._replace(actions=ActionLayout((ActionPiece("lay"),)))
    with pytest.raises(ValueError, match="'lay'"):
        common_layouts([TABLE, blocks])
