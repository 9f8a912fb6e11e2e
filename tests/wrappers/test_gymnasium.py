"""Gymnasium environments of every game: Gymnasium's checker, registration and rendering."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from kododo_env import registry
from kododo_env.core.rewards import REWARDS
from kododo_env.core.view import View
from kododo_env.wrappers import SingleSeatEnv
from kododo_env.wrappers.argument_checks import _warn_of_option, own_generator
from tests.game_tables import TABLES
from tests.wrappers.interfaces import earned, printed


def make(game: str, players: int, **options: Any) -> SingleSeatEnv:
    module = registry.environment_module(game)
    env = gymnasium.make(f"kododo_env:{module.GYMNASIUM_ID}", num_players=players, **options)
    assert isinstance(env.unwrapped, SingleSeatEnv)
    return env.unwrapped


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_check_env(game: str, players: int) -> None:
    check_env(make(game, players), skip_render_check=players != 4)
    check_env(make(game, players, action_mask="info", normalize=True), skip_render_check=True)


def test_gymnasium_collects_pictures_if_it_is_asked_to() -> None:
    """Regression: Gymnasium's own modes, such as ``rgb_array_list``, were rejected."""
    env = gymnasium.make(PREFIXED, render_mode="ansi_list")
    env.reset(seed=0)
    env.step(0)
    first, second = env.render()
    assert "turn 1" in first
    assert "turn 2" in second


def test_a_seed_is_for_reset() -> None:
    """Regression: it only seeded the cards, so that games were not reproducible."""
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(TypeError, match=r"seed.*reset"):
            make(PREFIXED, seed=1)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_an_episode_is_truncated_after_max_episode_steps(
    game: str, players: int, reward: Any
) -> None:
    """Steps are the learner's decisions. Rewards up to the truncation have been paid."""
    id = f"kododo_env:{registry.environment_module(game).GYMNASIUM_ID}"
    env = gymnasium.make(id, num_players=players, reward=reward, max_episode_steps=4)
    _, info = env.reset(seed=0)
    paid = 0.0
    for step in range(1, 5):
        observation, gained, *ended, info = env.step(info["action_mask"].argmax())
        paid += float(gained)
        assert ended == [False, step == 4]
    assert observation["action_mask"].sum() > 1
    assert np.array_equal(observation["action_mask"], info["action_mask"])
    scores = env.unwrapped.game.scores[0].astype(float)
    assert paid == pytest.approx(earned(reward, scores)[0], abs=1e-4)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
@pytest.mark.parametrize(
    ("options", "unknown"), [({"foo": 1}, "foo"), ({"reset_mask": None, "bar": 2}, "bar")]
)
def test_an_unknown_option_of_reset_is_warned_of_once(
    make: Any, options: dict[str, Any], unknown: str
) -> None:
    """Regression: it was silently ignored. PettingZoo's own tests pass one to its environments."""
    if make is gymnasium.make:
        options.pop("reset_mask", None)
    _warn_of_option.cache_clear()
    env = make(PREFIXED)
    with pytest.warns(UserWarning, match=f"reset ignores the option '{unknown}'; it takes 'deck'"):
        env.reset(seed=0, options=options)
    make(PREFIXED).reset(seed=0, options=options)  # a second warning would be an error
    for kind in ("parallel_env", "env"):
        getattr(registry.environment_module("kado"), kind)().reset(seed=0, options={"options": 1})


def test_an_option_that_a_vector_alone_has_is_none_of_one_game() -> None:
    _warn_of_option.cache_clear()
    with pytest.warns(UserWarning, match="ignores the option 'reset_mask'"):
        gymnasium.make(PREFIXED).reset(options={"reset_mask": np.ones(1, np.bool_)})


def test_an_opponents_illegal_action_is_no_fault_of_ones_library() -> None:
    """The learner's own actions are replaced here, so the hint would not help."""

    class Illegal:
        name = "illegal"

        def act(self, view: View, rng: np.random.Generator) -> Any:
            return (~view.legal_action_mask).argmax(axis=1)

    env = gymnasium.make(PREFIXED, opponents=Illegal())
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"illegal action in kododo: game 0, player 1") as error:
        env.step(0)
    assert "illegal_action=" not in str(error.value)


PLAIN = "kododo/Kododo-v0"
PREFIXED = "kododo_env:kododo/Kododo-v0"
IN_ANY_ORDER = {
    "gymnasium first": ("import gymnasium", "import kododo_env", PLAIN),
    "kododo_env first": ("import kododo_env", "import gymnasium", PLAIN),
    "an environment module first": ("from kododo_env import kado_v0", "import gymnasium", PLAIN),
    "wrappers first": ("import kododo_env.wrappers", "import gymnasium", PLAIN),
    "a part of gymnasium": ("import kododo_env", "import gymnasium.envs.registration", PLAIN),
    "gymnasium, by prefix": ("import gymnasium", "pass", PREFIXED),
    "kododo_env first, by prefix": ("import kododo_env", "import gymnasium", PREFIXED),
}


@pytest.mark.parametrize("lines", IN_ANY_ORDER.values(), ids=IN_ANY_ORDER)
def test_registered_in_any_order(lines: tuple[str, str, str]) -> None:
    """kododo_env does not import Gymnasium, but registers its ids whichever is imported first."""
    first, second, id = lines
    make = f"import gymnasium as g; print(g.make({id!r}).spec.id, len(g.make_vec({id!r}).reset()))"
    assert printed(f"{first}\n{second}\n{make}") == f"{PLAIN} 2"


def test_importing_needs_no_library() -> None:
    heavy = "numpy gymnasium pettingzoo scipy filelock torch onnxruntime matplotlib agents"
    code = f"import kododo_env, sys; print([m for m in {heavy.split()} if m in sys.modules])"
    assert printed(code) == "[]"


def test_parts_that_were_attributes_still_are() -> None:
    """The environment modules and other parts can be used without importing them by name."""
    show = "print(k.kado_v0.env(), k.registry.ENVIRONMENT_MODULES['kado'], hasattr(k, 'x'))"
    assert printed(f"import kododo_env as k; {show}") == "kado_v0 kododo_env.kado_v0 False"


def test_a_wrapper_draws_what_it_always_drew_from_a_seed() -> None:
    """Opponents and replaced actions follow from the seed, in every version."""
    assert own_generator(5).integers(1000, size=4).tolist() == [132, 774, 778, 470]
    assert own_generator(6).integers(1000, size=4).tolist() != [132, 774, 778, 470]
