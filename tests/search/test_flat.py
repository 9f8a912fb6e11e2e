"""Flat Monte Carlo: all actions are evaluated in all worlds, and certain wins are found."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env.core.agent import RandomAgent
from kododo_env.core.view import View
from kododo_env.games.kododo import KododoGame, Rules
from kododo_env.search import search
from kododo_env.search.flat import FlatMonteCarlo
from kododo_env.search.search import SearchBudget
from tests.helpers import play_random


class _Counting(RandomAgent):
    """Random play that counts the games in its calls."""

    num_games = 0

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        self.num_games += view.num_envs
        return super().act(view, rng)


def last_turn(games: int, seed: int = 0) -> KododoGame:
    """Return games before the second-to-last card: only the opponent's hand is hidden."""
    game = KododoGame(games, Rules(2), seed=seed)
    play_random(game, np.random.default_rng(seed), steps=game.rules.num_rounds * 3 - 1)
    return game


def test_every_action_has_all_the_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the last turn nothing is played out; the opponent is called once per world."""
    policy = _Counting()
    game = last_turn(3)
    assert (game.legal_action_mask()[:, 0].sum(axis=1) == 2).all()
    FlatMonteCarlo(policy, SearchBudget(worlds=10)).act(game.view(0), np.random.default_rng(0))
    assert policy.num_games == 3 * 10
    monkeypatch.setattr(search, "BATCH", 24)  # 4 worlds at a time
    policy.num_games = 0
    FlatMonteCarlo(policy, SearchBudget(worlds=10)).act(game.view(0), np.random.default_rng(0))
    assert policy.num_games == 3 * 10


def test_an_action_that_surely_wins_is_played() -> None:
    """One action wins against every opponent's card, and the other does not."""
    game = last_turn(400)
    shares = np.empty((400, 2, 2))
    for action in (0, 1):
        for reply in (0, 1):
            after = game.clone()
            after.step(np.tile([action, reply], (400, 1)))
            shares[:, action, reply] = after.outcome()[:, 0]
    # The opponent's card is hidden, so a certain win must be a win in many worlds.
    chosen = FlatMonteCarlo(RandomAgent(), SearchBudget(worlds=30)).act(
        game.view(0), np.random.default_rng(0)
    )
    mean = shares.mean(axis=2)
    sure = np.abs(mean[:, 0] - mean[:, 1]) == 1
    assert sure.sum() > 3
    assert (chosen == mean.argmax(axis=1))[sure].mean() > 0.8


def test_a_player_who_has_nothing_to_decide_is_not_searched() -> None:
    game = last_turn(2)
    play_random(game, np.random.default_rng(0))
    policy = _Counting()
    chosen = FlatMonteCarlo(policy).act(game.view(0), np.random.default_rng(0))
    assert (chosen == game.no_op).all()
    assert policy.num_games == 0
