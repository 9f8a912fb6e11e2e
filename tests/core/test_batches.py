"""Guarantees of every batch that the kit does not check."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.games.kododo import KododoGame, Rules
from kododo_env.registry import picture_of
from tests.game_tables import GAMES
from tests.helpers import play_random, random_actions

for_every_game = pytest.mark.parametrize("game", GAMES)


class Wide(KododoGame):
    """Returns a mask with all players and games in place of one row for all."""

    def _mask(self) -> np.ndarray:
        shape = (self.num_players, self.num_actions, self.num_envs)
        return np.broadcast_to(super()._mask()[:, None], shape).copy()


def test_a_game_may_give_its_mask_once_for_all() -> None:
    wide, narrow = (kind(3, Rules(num_players=2), seed=0) for kind in (Wide, KododoGame))
    for steps in range(40):
        mask = narrow.legal_action_mask()
        assert mask.shape == (3, 2, 15)
        assert np.array_equal(mask, wide.legal_action_mask())
        for game in (wide, narrow):
            play_random(game, np.random.default_rng(steps), 1)
    assert wide.terminated.all()


@for_every_game
def test_a_mask_is_of_its_turn_and_nobodys_to_change(game: str) -> None:
    """The mask is computed once per turn and used by ``step``."""
    played, fresh = (registry.batch_game(game, 2, 0, num_players=4) for _ in range(2))
    start = played.state()
    first = played.legal_action_mask()
    assert played.legal_action_mask() is first
    with pytest.raises(ValueError, match="WRITEABLE"):
        first.flags.writeable = True
    for turn in range(3):
        play_random(played, np.random.default_rng(turn), 1)
        assert np.array_equal(played.legal_action_mask(), played.clone().legal_action_mask())
    for change in (lambda: played.load_state(start), lambda: played.reset(0)):
        change()
        assert np.array_equal(played.legal_action_mask(), fresh.legal_action_mask())
        play_random(played, np.random.default_rng(3), 2)
        played.legal_action_mask()


@for_every_game
def test_the_first_game_is_drawn_if_nothing_else_is_said(game: str) -> None:
    played = registry.batch_game(game, 2, 0, num_players=4)
    play_random(played, np.random.default_rng(0), 3)
    assert picture_of(played).text() == picture_of(played).text(0) != picture_of(played).text(1)
    assert picture_of(played).svg() == picture_of(played).svg(0) != picture_of(played).svg(1)


@for_every_game
def test_copies_of_the_same_state_are_the_same_bytes_whatever_went_before(game: str) -> None:
    played = registry.batch_game(game, 3, 0, num_players=4)
    straight = played.clone()
    played.step(random_actions(played, np.random.default_rng(0)))
    played.load_state(straight.state())
    for way in (pickle.dumps, lambda batch: pickle.dumps(batch.clone())):
        assert way(played) == way(straight)


@for_every_game
def test_steps_are_counted_while_a_game_is_going_on(game: str) -> None:
    played = registry.batch_game(game, 2, 0, num_players=4)
    steps = len(play_random(played, np.random.default_rng(0)))
    for _ in range(2):
        assert played.steps_played == steps
        played.step(np.full((2, 4), played.no_op))


@for_every_game
def test_a_view_of_before_does_not_come_back_with_a_state_or_a_new_deal(game: str) -> None:
    played = registry.batch_game(game, 3, 0, num_players=4)
    state = played.state()
    views = [played.view(0)]
    for deal_again in (lambda: played.load_state(state), played.reset) * 3:
        played.step(random_actions(played, np.random.default_rng(0)))
        deal_again()
        for view in views:
            for late in ("observation", "pieces"):
                with pytest.raises(RuntimeError, match="earlier turn"):
                    getattr(view, late)
        views.append(played.view(0))
        assert np.array_equal(views[-1].observation, played.observe()[:, 0])
        assert views[-1].pieces


def test_an_action_is_not_taken_for_another_that_is_the_same_in_a_byte() -> None:
    board: dict[str, Any] = {"deck": (((1, 1),) * 10,) * 9, "num_rows": 7, "num_columns": 7}
    played = registry.batch_game("kado", 1, 0, num_players=2, discards=0, **board)
    while True:
        mask = played.legal_action_mask()
        last = mask.shape[2] - 1 - mask[:, :, ::-1].argmax(axis=2)
        if ((last >= 256) & (last < played.no_op)).all():  # a cell near the end of the board
            break
        played.step(last)
    with pytest.raises(ValueError, match="illegal action in kado: "):
        played.step((last - 256).astype(np.uint8))
    played.step(last)
