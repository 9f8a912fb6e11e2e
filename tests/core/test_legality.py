"""Masks: the lowest legal actions, and masks of one shared row."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.legality import first_legal, same_for_all, shared_row


@pytest.mark.parametrize("actions", [1, 15, 255, 256, 700])
@pytest.mark.parametrize("games_last", [False, True])
def test_the_first_legal_action_is_that_of_the_lowest_number(
    actions: int, games_last: bool
) -> None:
    mask = np.random.default_rng(actions).random((50, 3, actions)) < 2 / actions
    mask[..., -1] |= ~mask.any(axis=-1)
    laid_out_mask = (
        np.ascontiguousarray(mask.transpose(1, 2, 0)).transpose(2, 0, 1) if games_last else mask
    )
    assert np.array_equal(first_legal(laid_out_mask), mask.argmax(axis=-1))
    assert first_legal(laid_out_mask).dtype == np.int64


def test_a_row_that_all_share_stands_for_a_mask_of_equal_rows() -> None:
    row = np.array([False, True, False, True, True])
    shared = same_for_all(row, (1000, 3, 5))
    written = shared.copy()
    assert shared_row(written) is None
    assert np.array_equal(shared_row(shared), row)
    assert np.array_equal(first_legal(shared), np.ones((1000, 3)))
    from_shared, from_written = (
        random_legal_actions(mask, np.random.default_rng(5)) for mask in (shared, written)
    )
    assert np.array_equal(from_shared, from_written)


def test_nobody_decides_where_all_have_one_legal_action() -> None:
    rules = {"num_players": 2, "hand_size": 2, "plays": (2,), "num_colours": 2, "copies": (1, 1, 2)}
    game = registry.batch_game("kododo", 3, 0, removed_cards=0, **rules)
    assert shared_row(game.legal_action_mask()) is not None
    assert not game.deciding().any()


def test_a_view_keeps_a_row_that_all_share_once() -> None:
    """The view has its own copy, through which the game cannot be modified."""
    game = registry.batch_game("kododo", 100, 0)
    mask = game.view(1).legal_action_mask
    assert shared_row(mask) is not None
    assert not mask.flags.writeable
    assert not np.shares_memory(mask, game.legal_action_mask())
    assert game.deciding().all()
    assert game.deciding().shape == (100, 4)
