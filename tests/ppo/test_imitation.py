"""Imitation: an expert's action values, and what a network learns from them."""

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
from kododo_env.arrays.dtypes import Floating
from kododo_env.core import BatchGame
from kododo_env.core.agent import (
    ActionValueAgent,
    Agent,
    ProbabilisticAgent,
    RandomAgent,
    joint_action,
)
from kododo_env.core.view import View
from kododo_env.networks.network import GameNetwork, masked
from tests.game_tables import GAMES, TABLES
from tests.helpers import play_random
from tests.trainings import learner

PLAYERS = [(game, name) for game in GAMES for name in scripted.baselines(game) if name != "random"]


class Indifferent(ActionValueAgent):
    """Values all actions equally, and takes the last legal one."""

    name = "indifferent"

    def action_values(self, view: View) -> Floating:
        return np.zeros((view.num_actions, view.num_envs))

    def choose(self, values: Floating, view: View, rng: np.random.Generator) -> np.ndarray:
        return np.asarray(view.num_actions - 1 - view.legal_action_mask[:, ::-1].argmax(axis=1))


def somewhere(game: str, players: int | None = None, steps: int = 4) -> BatchGame:
    """Return some games after a few random steps."""
    rules = {} if players is None else {"num_players": players}
    batch = registry.batch_game(game, 40, seed=3, **rules)
    play_random(batch, np.random.default_rng(0), steps)
    return batch


# --- action values --------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "name"), PLAYERS)
def test_scripted_players_choose_the_action_with_the_highest_value(game: str, name: str) -> None:
    player = scripted.make_agent(name, game)
    assert isinstance(player, ActionValueAgent)
    for steps in range(6):
        batch = somewhere(game, steps=steps)
        for seat in range(batch.num_players):
            view = batch.view(seat)
            if not batch.deciding()[:, seat].any():
                continue
            action_values = player.action_values(view)
            assert action_values.shape == (batch.num_actions, batch.num_envs)
            mask = view.legal_action_mask.T
            games = np.arange(batch.num_envs)
            actions = player.act(view, np.random.default_rng(1))
            assert mask[actions, games].all()
            best = np.where(mask, action_values, -np.inf).max(axis=0)
            assert (best - action_values[actions, games] < 0.5).all()  # their randomness is small


# --- demonstrations -----------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_the_target_is_the_softmax_of_the_action_values(game: str, players: int) -> None:
    expert = scripted.make_agent("heuristic", game)
    batch = somewhere(game, players)
    _, targets = demonstrate(expert, batch, np.random.default_rng(0), temperature=0.7)
    legal = batch.legal_action_mask()
    deciding = batch.deciding()
    assert deciding.any()
    assert targets.shape == legal.shape
    for seat, env in product(range(players), range(batch.num_envs)):
        target = targets[env, seat]
        if not deciding[env, seat]:
            assert (target == 0).all()
            continue
        assert isinstance(expert, ActionValueAgent)
        action_values = expert.action_values(batch.view(seat))[:, env].astype(np.float64)
        odds = np.exp((action_values - action_values.max()) / 0.7) * legal[env, seat]
        assert np.allclose(target, odds / odds.sum(), atol=1e-6)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_an_expert_plays_as_it_always_does(game: str, temperature: float) -> None:
    expert = scripted.make_agent("heuristic", game)
    batch = somewhere(game)
    actions, _ = demonstrate(expert, batch, np.random.default_rng(5), temperature)
    expected = joint_action([expert] * batch.num_players, batch, np.random.default_rng(5))
    assert (actions == expected).all()


@pytest.mark.parametrize(
    ("expert", "temperature"), [(Indifferent(), 0.0), (RandomAgent(), 0.0), (RandomAgent(), 0.5)]
)
def test_without_action_values_the_target_is_the_choice(expert: Agent, temperature: float) -> None:
    batch = somewhere("kododo")
    actions, targets = demonstrate(expert, batch, np.random.default_rng(0), temperature)
    assert batch.deciding().all()
    assert (targets == np.eye(batch.num_actions)[actions]).all()


# --- learning -----------------------------------------------------------------------------


def pretrained(expert: Agent, temperature: float) -> tuple[GameNetwork, Batch]:
    """Return a small network after some updates of imitation, and the last demonstration."""
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
    network, batch = pretrained(Indifferent(), 0.0)
    assert probability(network, batch).mean() > 1.5 / batch["masks"].sum(dim=1).float().mean()


def test_a_network_takes_over_how_sure_an_expert_is() -> None:
    network, batch = pretrained(Indifferent(), 1.0)
    times_uniform = probability(network, batch) * batch["masks"].sum(dim=1)
    assert (times_uniform - 1).abs().mean() < 0.2


@torch.no_grad()
def probability(network: GameNetwork, batch: Batch) -> torch.Tensor:
    """Return the probability of the last legal action, which ``Indifferent`` takes."""
    logits, _ = network.from_canonical(batch["canonical"].float(), batch["entries"].long())
    probabilities = torch.softmax(masked(logits, batch["masks"]), dim=1)
    last = batch["masks"].shape[1] - 1 - batch["masks"].flip(1).int().argmax(dim=1)
    return probabilities.gather(1, last[:, None]).squeeze(1)


def test_no_decision_is_left_out_and_forced_moves_are() -> None:
    game = registry.batch_game("kado", 8, seed=0, num_players=2)
    twin = game.clone()
    expert = scripted.make_agent("heuristic", "kado")
    imitation = Imitation(learner(game, threads=2), expert)
    batch, steps = imitation.play(game, np.random.default_rng(3))
    decisions = 0
    rng = np.random.default_rng(3)
    while not twin.terminated.all():
        decisions += int(twin.deciding().sum())
        twin.step(demonstrate(expert, twin, rng, Recipe().imitation_temperature)[0])
    assert {len(column) for column in batch.values()} == {decisions}
    assert (batch["masks"].sum(dim=1) > 1).all()
    assert game.terminated.all()
    assert steps == 8 * 2 * game.steps_played


# --- policies -----------------------------------------------------------------------------------


def test_a_policy_is_imitated_by_its_probabilities() -> None:
    """Once only its choice was learned, which carries much less information."""
    expert = scripted.make_agent("kododo-2p", "kododo")
    assert isinstance(expert, ProbabilisticAgent)
    batch = somewhere("kododo", 2)
    for temperature in (1.0, 0.5):
        actions, targets = demonstrate(expert, batch, np.random.default_rng(0), temperature)
        assert (actions == joint_action([expert] * 2, batch, np.random.default_rng(0))).all()
        for seat in range(2):
            odds = expert.probabilities(batch.view(seat)) ** (1 / temperature)
            expected = odds / odds.sum(axis=1, keepdims=True)
            assert np.allclose(targets[:, seat], expected, atol=1e-5)


class _Sure(RandomAgent):
    """Plays the first legal action with a fixed probability, otherwise the last one."""

    def __init__(self, first: float) -> None:
        self.first = first

    def probabilities(self, view: View) -> Floating:
        probabilities = np.zeros(view.legal_action_mask.shape)
        for game, mask in enumerate(view.legal_action_mask):
            actions = mask.nonzero()[0]
            probabilities[game, actions[0]] = self.first
            probabilities[game, actions[-1]] = 1 - self.first
        return probabilities


def test_the_mean_of_policies_is_that_of_their_logits() -> None:
    batch = somewhere("kododo", 2)
    view = batch.view(0)
    samples = 2000
    mean = MeanPolicy([_Sure(0.9), _Sure(0.2)])
    odds = np.sqrt([0.9 * 0.2, 0.1 * 0.8])
    probabilities = mean.probabilities(view)
    expected = np.sort(odds / odds.sum())
    assert np.allclose(np.sort(probabilities, axis=1)[:, -2:], expected, atol=1e-6)
    assert (probabilities[~view.legal_action_mask] == 0).all()
    repeated = batch.take(np.zeros(samples, np.int64)).view(0)
    counts = np.bincount(mean.act(repeated, np.random.default_rng(0)), minlength=view.num_actions)
    assert np.allclose(counts / samples, probabilities[0], atol=0.05)
    actions = joint_action([mean] * 2, batch, np.random.default_rng(1))
    assert actions.shape == (40, 2)  # both seats at once


def test_a_mean_is_of_policies_for_this_game() -> None:
    policy = scripted.make_agent("kododo-2p", "kododo")
    with pytest.raises(ValueError, match="heuristic"):
        MeanPolicy([policy, scripted.make_agent("heuristic", "kododo")])
    with pytest.raises(ValueError, match=r"2 players.* 3"):
        MeanPolicy([policy, policy]).check(somewhere("kododo", 3))
