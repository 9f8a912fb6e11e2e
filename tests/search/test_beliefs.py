"""Sampling of likely worlds: it depends only on the other players' visible choices."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env import kododo_v0
from kododo_env.agent_registry import load
from kododo_env.baselines.kododo import GreedyAgent
from kododo_env.core import Agent, View
from kododo_env.core.agent import joint_action
from kododo_env.games.kododo import KododoGame
from kododo_env.search import beliefs
from kododo_env.search.beliefs import likely_worlds
from kododo_env.search.exact import UniformAgent
from kododo_env.search.search import SearchAgent, SearchBudget
from tests.helpers import play_random


class KnownGreedy(GreedyAgent):
    """Greedy play with known probabilities."""

    def probabilities(self, view: View) -> npt.NDArray[np.float64]:
        values = np.where(view.legal_action_mask, self.action_values(view).T, -1)
        best = values == values.max(axis=1, keepdims=True)
        probabilities: npt.NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
        return probabilities


@cache
def after_greedy_play(steps: int) -> KododoGame:
    game = kododo_v0.batch_game(300, num_players=3, seed=1)
    rng = np.random.default_rng(1)
    while game.steps_played < steps:
        game.step(joint_action([GreedyAgent()] * game.num_players, game, rng))
    return game


LAST_ROUND = 18  # with three players, after six rounds


def holding_more_than_laid(policy: Agent, steps: int) -> float:
    """Count the worlds in which the next player holds a card above one laid this round."""
    game = after_greedy_play(steps)
    worlds = likely_worlds(policy, game.view(0), np.random.default_rng(2), 8)
    values = game.rules.num_values
    held = worlds.hands[:, 1]
    table = worlds.table[:, 1]
    most_held = np.where(held >= 0, held % values, -1).max(axis=1)
    least_laid = np.where(table >= 0, table % values, values).min(axis=1)
    return float((most_held > least_laid).mean())


@pytest.mark.parametrize("steps", [LAST_ROUND + 1, LAST_ROUND + 2])
def test_a_player_who_lays_their_highest_cards_holds_no_higher_ones(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: search dealt hands with which the others would have played differently."""
    evenly, likely = (
        holding_more_than_laid(policy, steps) for policy in (GreedyAgent(), KnownGreedy())
    )
    assert evenly > 0.7
    assert likely < evenly - 0.05
    monkeypatch.setattr(beliefs, "DEALT", 100)
    assert holding_more_than_laid(KnownGreedy(), steps) < 0.45


@pytest.mark.parametrize("steps", [1, 2, LAST_ROUND + 1, LAST_ROUND + 2])
def test_random_play_tells_nothing_of_what_is_held(steps: int) -> None:
    """Regression: copies of the card just laid were overestimated, as more slots can lay it."""
    dealt = after_greedy_play(steps).view(0).determinize(np.random.default_rng(2), 8)
    likelihoods = beliefs._log_likelihood(UniformAgent(), dealt, 0, np.random.default_rng(3))
    assert np.allclose(likelihoods, likelihoods[0])


@pytest.mark.parametrize("steps", [0, 1, 2, LAST_ROUND + 1])
def test_likely_worlds_look_the_same_to_the_player(steps: int) -> None:
    game = after_greedy_play(steps)
    worlds = likely_worlds(KnownGreedy(), game.view(2), np.random.default_rng(4), 4)
    observations = game.view(2).observation.repeat(4, axis=0)
    assert np.array_equal(worlds.view(2).observation, observations)


def test_search_by_a_learned_policy_cannot_see_hidden_cards() -> None:
    """Its inferences follow from its own knowledge, not from the cards that others hold."""
    game = kododo_v0.batch_game(20, num_players=4, seed=1)
    play_random(game, np.random.default_rng(1), steps=5)
    agent = SearchAgent(load("kododo-4p"), SearchBudget(worlds=4))
    other_world = game.determinize(0, np.random.default_rng(2), 1)
    assert not np.array_equal(other_world.hands, game.hands)
    choice, other_choice = (
        agent.act(g.view(0), np.random.default_rng(3)) for g in (game, other_world)
    )
    assert np.array_equal(choice, other_choice)
