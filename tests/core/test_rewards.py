"""Reward functions: points, margins and shares of the victory."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core import REWARDS, BatchGame
from kododo_env.core.rewards import MARGIN_WEIGHT, margin_and_win, reward_function
from tests.game_tables import TABLES
from tests.helpers import play_random, random_actions


def uneven_end() -> BatchGame:
    """Return games of the long variant of which some have just ended and others continue."""
    game = registry.batch_game("kododo", 40, 0, num_players=3, variant="long", target_score=18)
    rng = np.random.default_rng(0)
    while not game.just_terminated.any():
        game.step(random_actions(game, rng))
    assert not game.terminated.all()
    return game


@pytest.mark.parametrize("name", REWARDS)
def test_every_reward_is_float32_at_every_step(name: str) -> None:
    game = registry.batch_game("combi_combo", 2, 0)
    rng = np.random.default_rng(0)
    while not game.terminated.all():
        game.step(random_actions(game, rng))
        rewards = REWARDS[name](game)
        assert (rewards.shape, rewards.dtype) == ((2, 4), np.dtype(np.float32))


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_a_margin_is_the_points_above_the_others_mean(game: str, players: int) -> None:
    played = registry.batch_game(game, 3, 0, num_players=players)
    rng = np.random.default_rng(0)
    while not played.rewards.any():
        played.step(random_actions(played, rng))
    margins = REWARDS["margin"](played)
    for points, margin in zip(played.rewards.tolist(), margins.tolist(), strict=True):
        for player, player_points in enumerate(points):
            opponents_points = [
                seat_points for seat, seat_points in enumerate(points) if seat != player
            ]
            assert margin[player] == pytest.approx(
                player_points - sum(opponents_points) / len(opponents_points), abs=1e-5
            )


def test_only_games_that_have_just_ended_give_shares_of_the_victory() -> None:
    game = uneven_end()
    shares = REWARDS["win"](game)
    over = game.just_terminated
    assert shares[over] == pytest.approx(game.outcome()[over] - 1 / 3)
    assert (shares[~over] == 0).all()
    game.step(random_actions(game, np.random.default_rng(0)))
    next_shares = REWARDS["win"](game)
    assert (next_shares[over] == 0).all()


def test_margin_and_win_are_weighed_against_each_other() -> None:
    game = uneven_end()
    margin = REWARDS["margin"](game)
    win = REWARDS["win"](game)
    assert np.allclose(REWARDS["margin+win"](game), MARGIN_WEIGHT * margin + win)
    assert np.allclose(margin_and_win(game, 2), 2 * margin + win)
    assert margin_and_win(game, 0).tolist() == win.tolist()


def test_before_the_end_nobody_has_a_share() -> None:
    game = registry.batch_game("kododo", 2, 0)
    play_random(game, np.random.default_rng(0), 5)
    assert not REWARDS["win"](game).any()


def test_a_reward_is_named_or_the_callers_own() -> None:
    def all_ones(game: BatchGame) -> np.ndarray:
        return np.ones((game.num_envs, game.num_players), np.float32)

    game = registry.batch_game("kododo", 2, 0)
    assert np.array_equal(reward_function(all_ones)(game), all_ones(game))
    assert {name: reward_function(name) for name in REWARDS} == REWARDS
    with pytest.raises(ValueError, match=r"'x'.*score, margin, win, margin\+win"):
        reward_function("x")


def test_an_own_reward_of_whole_numbers_becomes_a_float() -> None:
    """Regression: rewards in PettingZoo were ints."""
    env = registry.environment_module("kododo").parallel_env(
        reward=lambda game: np.ones((1, 4), np.int8)
    )
    _, infos = env.reset(seed=0)
    first = {name: int(env.game.legal_action_mask()[0, 0].argmax()) for name in infos}
    assert {type(reward) for reward in env.step(first)[1].values()} == {float}


@pytest.mark.parametrize("wrong", [np.nan, np.inf, "a", 1j, None])
def test_a_reward_is_a_finite_number(wrong: object) -> None:
    """Regression: NaN reached the learner silently, and text failed in its arithmetic."""
    game = registry.batch_game("kododo", 2, 0)
    with pytest.raises(ValueError, match=r"finite.*array"):
        reward_function(lambda game: np.full((2, 4), wrong))(game)
