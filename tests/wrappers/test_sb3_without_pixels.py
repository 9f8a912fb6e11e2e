"""First steps with stable-baselines3, without the libraries that draw pixels.

stable-baselines3 creates environments with ``render_mode="rgb_array"`` by itself.
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from kododo_env import registry
from kododo_env.rendering.pixels import RenderingUnavailable
from tests.game_tables import GAMES

sb3 = pytest.importorskip("stable_baselines3")

from sb3_contrib import MaskablePPO  # noqa: E402
from stable_baselines3.common import env_checker  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402

all_games = pytest.mark.parametrize("game", GAMES)


@pytest.fixture(autouse=True)
def _without_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)


def id_of(game: str) -> str:
    return f"kododo_env:{registry.environment_module(game).GYMNASIUM_ID}"


@all_games
@pytest.mark.parametrize(
    ("learner", "options"),
    [
        (sb3.PPO, {"n_steps": 8, "batch_size": 8, "n_epochs": 1}),
        (sb3.A2C, {}),
        (sb3.DQN, {"buffer_size": 20, "learning_starts": 4}),
        (MaskablePPO, {"n_steps": 8, "batch_size": 8, "n_epochs": 1}),
    ],
)
def test_a_learner_takes_an_id(game: str, learner: Any, options: dict[str, Any]) -> None:
    """Regression: it raised RenderingUnavailable."""
    model = learner("MultiInputPolicy", id_of(game), **options)
    assert model.get_env().render_mode is None
    assert model.learn(10).num_timesteps >= 10


@all_games
def test_make_vec_env_takes_an_id(game: str) -> None:
    envs = make_vec_env(id_of(game), n_envs=8, env_kwargs={"num_players": 4})
    observations = envs.reset()
    assert isinstance(observations, dict)
    assert observations["observation"].shape == (
        8,
        registry.batch_game(game, 1, num_players=4).layout.size,
    )


@all_games
def test_both_checks_pass(game: str) -> None:
    env_checker.check_env(gymnasium.make(id_of(game)))
    check_env(gymnasium.make(id_of(game)).unwrapped)


def test_who_asks_for_pixels_is_told_how_to_get_them() -> None:
    with pytest.raises(RenderingUnavailable, match=r"pip install 'kododo-env\[render\]'"):
        gymnasium.make(id_of("kododo"), render_mode="rgb_array")
