"""Teachers: what they hold every action to be worth, and what a learner makes of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from stable_baselines3.common.logger import Logger

from agents.ppo.game_policy import GamePolicy
from agents.ppo.imitation import lesson
from agents.ppo.self_play_ppo import SelfPlayPPO
from kododo_env import agent_registry as scripted
from kododo_env import kododo_v0, registry
from kododo_env.baselines.action_values import WeighingAgent, Worth
from kododo_env.core import BatchGame
from kododo_env.core.agent import RandomAgent, everybodys_choice
from kododo_env.core.view import View
from kododo_env.wrappers.vec import BatchVecEnv
from tests.doors import GAMES, TABLES
from tests.helpers import play_random

PLAYERS = [(game, name) for game in GAMES for name in scripted.baselines(game) if name != "random"]


class Indifferent(WeighingAgent):
    """Holds all actions to be worth the same, and takes the last legal one."""

    name = "indifferent"

    def action_values(self, view: View) -> Worth:
        return np.zeros((view.num_actions, view.num_envs))

    def choose(self, worth: Worth, view: View, rng: np.random.Generator) -> np.ndarray:
        return np.asarray(view.num_actions - 1 - view.legal_action_mask[:, ::-1].argmax(axis=1))


def somewhere(game: str, players: int | None = None, steps: int = 4) -> BatchGame:
    """Some games a few random steps from their start."""
    rules = {} if players is None else {"num_players": players}
    batch = registry.batch_game(game, 40, seed=3, **rules)
    play_random(batch, np.random.default_rng(0), steps)
    return batch


# --- weighing -----------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "name"), PLAYERS)
def test_scripted_players_choose_what_they_hold_to_be_worth_most(game: str, name: str) -> None:
    player = scripted.make_agent(name, game)
    assert isinstance(player, WeighingAgent)
    for steps in range(6):
        batch = somewhere(game, steps=steps)
        for seat in range(batch.num_players):
            view = batch.view(seat)
            if not batch.deciding()[:, seat].any():
                continue
            worth = player.action_values(view)
            assert worth.shape == (batch.num_actions, batch.num_envs)
            mask, games = view.legal_action_mask.T, np.arange(batch.num_envs)
            chosen = player.act(view, np.random.default_rng(1))
            assert mask[chosen, games].all()
            best = np.where(mask, worth, -np.inf).max(axis=0)
            assert (best - worth[chosen, games] < 0.5).all()  # their randomness is small


# --- lessons ------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_a_lesson_is_the_softmax_of_the_worth(game: str, players: int) -> None:
    teacher = scripted.make_agent("heuristic", game)
    batch = somewhere(game, players)
    _, targets = lesson(teacher, batch, np.random.default_rng(0), temperature=0.7)
    legal, deciding = batch.legal_action_mask(), batch.deciding()
    assert deciding.any()
    assert targets.shape == legal.shape
    for seat, env in product(range(players), range(batch.num_envs)):
        here = targets[env, seat]
        if not deciding[env, seat]:
            assert (here == 0).all()
            continue
        assert isinstance(teacher, WeighingAgent)
        worth = teacher.action_values(batch.view(seat))[:, env].astype(np.float64)
        odds = np.array([np.exp((w - worth.max()) / 0.7) for w in worth]) * legal[env, seat]
        assert np.allclose(here, odds / odds.sum(), atol=1e-6)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_a_teacher_plays_as_it_always_does(game: str, temperature: float) -> None:
    teacher = scripted.make_agent("heuristic", game)
    batch = somewhere(game)
    chosen, _ = lesson(teacher, batch, np.random.default_rng(5), temperature)
    assert (chosen == everybodys_choice(teacher, batch, np.random.default_rng(5))).all()


@pytest.mark.parametrize(
    ("teacher", "temperature"), [(Indifferent(), 0.0), (RandomAgent(), 0.0), (RandomAgent(), 0.5)]
)
def test_without_weights_the_choice_is_all_there_is(teacher: object, temperature: float) -> None:
    batch = somewhere("kododo")
    chosen, targets = lesson(teacher, batch, np.random.default_rng(0), temperature)  # type: ignore[arg-type]
    assert batch.deciding().all()
    assert (targets == np.eye(batch.num_actions)[chosen]).all()


# --- learning -----------------------------------------------------------------------------


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_learner_takes_over_how_sure_its_teacher_is(temperature: float) -> None:
    env = BatchVecEnv(kododo_v0.batch_game(32, num_players=2, seed=0), "margin")
    layouts = {"layout": env.game.layout, "actions": env.game.actions, "width": 16}
    model = SelfPlayPPO(
        GamePolicy, env, learning_rate=1e-2, n_steps=33, batch_size=256, n_epochs=2, seed=0,
        policy_kwargs=layouts, device="cpu",
    )  # fmt: skip
    model.set_logger(Logger(None, []))
    model.teacher, model.teacher_share = Indifferent(), 1.0
    model.teacher_temperature = temperature
    model.progress = lambda: 1.0
    for _ in range(15):
        model.learn(1, reset_num_timesteps=False)
    decisions = model.rollout_buffer.packed()
    assert decisions.targets.shape == decisions.masks.shape
    against_even = decisions.log_probs.exp() * decisions.masks.sum(dim=1)  # 1: all alike
    if temperature == 0:
        assert float(against_even.mean()) > 1.3
    else:
        assert float((against_even - 1).abs().mean()) < 0.2
    model.teacher = None
    model.learn(1, reset_num_timesteps=False)
    assert model.rollout_buffer.packed().targets.shape[1] == 0
