"""Imitation: what an expert holds every action to be values, and what a network makes of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from agents.ppo.imitation import Imitation, demonstrate
from agents.ppo.mean_policy import MeanPolicy
from agents.ppo.ppo import Batch
from agents.recipes.recipe import Recipe
from kododo_env import agent_registry as scripted
from kododo_env import kododo_v0, registry
from kododo_env.core import BatchGame
from kododo_env.core.agent import (
    ActionValueAgent,
    Agent,
    ProbabilisticAgent,
    RandomAgent,
    joint_action,
)
from kododo_env.core.arrays import Floating
from kododo_env.core.view import View
from kododo_env.networks.network import GameNetwork, masked
from tests.doors import GAMES, TABLES
from tests.helpers import play_random
from tests.trainings import learner

PLAYERS = [(game, name) for game in GAMES for name in scripted.baselines(game) if name != "random"]


class Indifferent(ActionValueAgent):
    """Holds all actions to be values the same, and takes the last legal one."""

    name = "indifferent"

    def action_values(self, view: View) -> Floating:
        return np.zeros((view.num_actions, view.num_envs))

    def choose(self, values: Floating, view: View, rng: np.random.Generator) -> np.ndarray:
        return np.asarray(view.num_actions - 1 - view.legal_action_mask[:, ::-1].argmax(axis=1))


def somewhere(game: str, players: int | None = None, steps: int = 4) -> BatchGame:
    """Some games a few random steps from their start."""
    rules = {} if players is None else {"num_players": players}
    batch = registry.batch_game(game, 40, seed=3, **rules)
    play_random(batch, np.random.default_rng(0), steps)
    return batch


# --- weighing -----------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "name"), PLAYERS)
def test_scripted_players_choose_what_they_hold_to_be_values_most(game: str, name: str) -> None:
    player = scripted.make_agent(name, game)
    assert isinstance(player, ActionValueAgent)
    for steps in range(6):
        batch = somewhere(game, steps=steps)
        for seat in range(batch.num_players):
            view = batch.view(seat)
            if not batch.deciding()[:, seat].any():
                continue
            values = player.action_values(view)
            assert values.shape == (batch.num_actions, batch.num_envs)
            mask, games = view.legal_action_mask.T, np.arange(batch.num_envs)
            chosen = player.act(view, np.random.default_rng(1))
            assert mask[chosen, games].all()
            best = np.where(mask, values, -np.inf).max(axis=0)
            assert (best - values[chosen, games] < 0.5).all()  # their randomness is small


# --- what is shown ------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_the_target_is_the_softmax_of_the_action_values(game: str, players: int) -> None:
    expert = scripted.make_agent("heuristic", game)
    batch = somewhere(game, players)
    _, targets = demonstrate(expert, batch, np.random.default_rng(0), temperature=0.7)
    legal, deciding = batch.legal_action_mask(), batch.deciding()
    assert deciding.any()
    assert targets.shape == legal.shape
    for seat, env in product(range(players), range(batch.num_envs)):
        here = targets[env, seat]
        if not deciding[env, seat]:
            assert (here == 0).all()
            continue
        assert isinstance(expert, ActionValueAgent)
        values = expert.action_values(batch.view(seat))[:, env].astype(np.float64)
        odds = np.array([np.exp((w - values.max()) / 0.7) for w in values]) * legal[env, seat]
        assert np.allclose(here, odds / odds.sum(), atol=1e-6)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_an_expert_plays_as_it_always_does(game: str, temperature: float) -> None:
    expert = scripted.make_agent("heuristic", game)
    batch = somewhere(game)
    chosen, _ = demonstrate(expert, batch, np.random.default_rng(5), temperature)
    assert (
        chosen == joint_action([expert] * batch.num_players, batch, np.random.default_rng(5))
    ).all()


@pytest.mark.parametrize(
    ("expert", "temperature"), [(Indifferent(), 0.0), (RandomAgent(), 0.0), (RandomAgent(), 0.5)]
)
def test_without_weights_the_choice_is_all_there_is(expert: Agent, temperature: float) -> None:
    batch = somewhere("kododo")
    chosen, targets = demonstrate(expert, batch, np.random.default_rng(0), temperature)
    assert batch.deciding().all()
    assert (targets == np.eye(batch.num_actions)[chosen]).all()


# --- learning -----------------------------------------------------------------------------


def pretrained(expert: Agent, temperature: float) -> tuple[GameNetwork, Batch]:
    """A small network after some updates of imitation, and what the expert did at last."""
    game = kododo_v0.batch_game(32, num_players=2, seed=0)
    model = learner(
        game, batch_size=256, n_epochs=3, imitation_learning_rate=1e-2,
        imitation_temperature=temperature,
    )  # fmt: skip
    imitation = Imitation(model, expert)
    rng = np.random.default_rng(0)
    for update in range(15):
        game.reset(update)
        imitation.learn(imitation.play(game, rng).decisions, 1 - update / 15)
    game.reset(99)
    return model.network, imitation.play(game, rng).decisions


def test_a_network_takes_over_what_an_expert_does() -> None:
    network, shown = pretrained(Indifferent(), 0.0)
    assert probability(network, shown).mean() > 1.5 / shown["masks"].sum(dim=1).float().mean()


def test_a_network_takes_over_how_sure_an_expert_is() -> None:
    network, shown = pretrained(Indifferent(), 1.0)
    against_even = probability(network, shown) * shown["masks"].sum(dim=1)  # 1: all alike
    assert (against_even - 1).abs().mean() < 0.2


@torch.no_grad()
def probability(network: GameNetwork, shown: Batch) -> torch.Tensor:
    """Of the last legal action in each position, which is what ``Indifferent`` takes."""
    logits, _ = network.from_canonical(shown["canonical"].float(), shown["entries"].long())
    probabilities = torch.softmax(masked(logits, shown["masks"]), dim=1)
    last = shown["masks"].shape[1] - 1 - shown["masks"].flip(1).int().argmax(dim=1)
    return probabilities.gather(1, last[:, None]).squeeze(1)


def test_no_decision_is_left_out_and_forced_moves_are() -> None:
    game = registry.batch_game("kado", 8, seed=0, num_players=2)
    twin = game.clone()
    expert = scripted.make_agent("heuristic", "kado")
    imitation = Imitation(learner(game, threads=2), expert)
    shown, steps = imitation.play(game, np.random.default_rng(3))
    decisions, rng = 0, np.random.default_rng(3)
    while not twin.terminated.all():
        decisions += int(twin.deciding().sum())
        twin.step(demonstrate(expert, twin, rng, Recipe().imitation_temperature)[0])
    assert {len(column) for column in shown.values()} == {decisions}
    assert (shown["masks"].sum(dim=1) > 1).all()
    assert game.terminated.all()
    assert steps == 8 * 2 * game.steps_played


# --- policies -----------------------------------------------------------------------------------


def test_a_policy_is_imitated_by_its_chances() -> None:
    """Its choice alone was learned, which tells much less."""
    expert = scripted.make_agent("kododo-2p", "kododo")
    assert isinstance(expert, ProbabilisticAgent)
    batch = somewhere("kododo", 2)
    for temperature in (1.0, 0.5):
        chosen, targets = demonstrate(expert, batch, np.random.default_rng(0), temperature)
        assert (chosen == joint_action([expert] * 2, batch, np.random.default_rng(0))).all()
        for seat in range(2):
            chances = expert.probabilities(batch.view(seat)) ** (1 / temperature)
            wanted = chances / chances.sum(axis=1, keepdims=True)
            assert np.allclose(targets[:, seat], wanted, atol=1e-5)


class _Sure(RandomAgent):
    """Plays the first or the last legal action with a chance."""

    def __init__(self, first: float) -> None:
        self.first = first

    def probabilities(self, view: View) -> Floating:
        chances = np.zeros(view.legal_action_mask.shape)
        legal = [row.nonzero()[0] for row in view.legal_action_mask]
        for game, actions in enumerate(legal):
            chances[game, actions[0]], chances[game, actions[-1]] = self.first, 1 - self.first
        return chances


def test_the_mean_of_policies_is_that_of_their_logits() -> None:
    batch = somewhere("kododo", 2)
    view, few = batch.view(0), 2000
    mean = MeanPolicy([_Sure(0.9), _Sure(0.2)])
    odds = np.sqrt([0.9 * 0.2, 0.1 * 0.8])
    chances = mean.probabilities(view)
    assert np.allclose(np.sort(chances, axis=1)[:, -2:], np.sort(odds / odds.sum()), atol=1e-6)
    assert (chances[~view.legal_action_mask] == 0).all()
    alike = batch.take(np.zeros(few, np.int64)).view(0)
    played = np.bincount(mean.act(alike, np.random.default_rng(0)), minlength=view.num_actions)
    assert np.allclose(played / few, chances[0], atol=0.05)
    twice = joint_action([mean] * 2, batch, np.random.default_rng(1))
    assert twice.shape == (40, 2)  # of both seats at once


def test_a_mean_is_of_policies_for_this_game() -> None:
    policy = scripted.make_agent("kododo-2p", "kododo")
    with pytest.raises(ValueError, match="no mean of 'heuristic': name policies alone"):
        MeanPolicy([policy, scripted.make_agent("heuristic", "kododo")])
    with pytest.raises(ValueError, match="it is for 2 players, not 3"):
        MeanPolicy([policy, policy]).check(somewhere("kododo", 3))
