"""Flat Monte Carlo: it plays legally, sees no more than its view, and finds what is certain."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env import kododo_v0, registry
from kododo_env.agent_registry import make_agent, search_parts
from kododo_env.arena.match import Match
from kododo_env.core.agent import RandomAgent
from kododo_env.core.view import View
from kododo_env.games.kododo import KododoGame, Rules
from kododo_env.search import flat
from kododo_env.search.flat import FlatMonteCarlo
from kododo_env.search.search import SearchBudget
from tests.doors import EXTREMES
from tests.helpers import play_random


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_it_sees_nothing_hidden_and_plays_legally(name: str, players: int) -> None:
    """The same knowledge and the same generator give the same choice, whatever is hidden."""
    game = registry.batch_game(name, 6, 1, num_players=players)
    agent = FlatMonteCarlo(RandomAgent(), SearchBudget(worlds=2))
    while not game.terminated.all():
        mask = game.legal_action_mask()
        for player in range(players):
            other = game.determinize(player, np.random.default_rng(2), 1)
            one, twin = (agent.act(g.view(player), np.random.default_rng(3)) for g in (game, other))
            assert np.array_equal(one, twin)
            assert mask[np.arange(6), player, one].all()
        play_random(game, np.random.default_rng(4), steps=5)


class _Counting(RandomAgent):
    """Random, and counts the games in which it is asked."""

    asked = 0

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        self.asked += view.num_envs
        return super().act(view, rng)


def last_turn(games: int, seed: int = 0) -> KododoGame:
    """Games before the last card but one is laid: nothing is hidden from two players but a hand."""
    game = KododoGame(games, Rules(2), seed=seed)
    play_random(game, np.random.default_rng(seed), steps=game.rules.num_rounds * 3 - 1)
    return game


def test_every_action_has_all_the_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the last turn there is nothing to play out; each world asks the other player once."""
    policy = _Counting()
    game = last_turn(3)
    assert (game.legal_action_mask()[:, 0].sum(axis=1) == 2).all()
    FlatMonteCarlo(policy, SearchBudget(worlds=10)).act(game.view(0), np.random.default_rng(0))
    assert policy.asked == 3 * 10
    monkeypatch.setattr(flat, "BATCH", 24)  # 4 worlds at a time
    policy.asked = 0
    FlatMonteCarlo(policy, SearchBudget(worlds=10)).act(game.view(0), np.random.default_rng(0))
    assert policy.asked == 3 * 10


def test_what_surely_wins_is_played() -> None:
    """Where an action wins against whatever the other lays, and its rival does not."""
    game = last_turn(400)
    shares = np.empty((400, 2, 2))
    for own in (0, 1):
        for other in (0, 1):
            after = game.clone()
            after.step(np.tile([own, other], (400, 1)))
            shares[:, own, other] = after.outcome()[:, 0]
    # What the other holds is not known, so that a certain win must be one in many worlds as well.
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
    assert policy.asked == 0


def test_it_beats_the_policy_that_plays_out() -> None:
    flat_agent = FlatMonteCarlo(RandomAgent(), SearchBudget(worlds=8))
    assert Match(flat_agent, RandomAgent(), "kododo", 2, games=40, seed=0).play().share.low > 0.7


def test_by_name_and_by_time() -> None:
    agent = make_agent("flat:random:5ms", "kododo")
    game = kododo_v0.batch_game(2, seed=0)
    mask = game.legal_action_mask()[:, 0]
    assert mask[[0, 1], agent.act(game.view(0), np.random.default_rng(0))].all()
    assert make_agent("flat:greedy:8", "kado").name == "flat:greedy:8"
    assert search_parts("flat:a:b:8") == ("flat:", "a:b", ":8")
    assert search_parts("flat") == ("", "flat", "")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("flat:random", "a search is search:AGENT:WORLDS"),
        ("flat:search:random:4:4", "not made over another search"),
        ("search:flat:random:4:4", "not made over another search"),
    ],
)
def test_impossible_ones_are_refused(name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make_agent(name, "kododo")
