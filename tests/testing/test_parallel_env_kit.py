"""Every check of a ParallelEnv finds its planted fault; others' environments can be checked too."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.classic import rps_v2
from pettingzoo.test import parallel_seed_test

from kododo_env.testing import CheckFailed, Report, check_parallel_env
from tests.testing.plants import Plants, assert_found, assert_sound

CHECKS = ("determinism", "spaces", "masks", "rewards", "buffers", "copies", "infos")
NAMES = ["left", "right"]
TURNS = 5


class Guessing(ParallelEnv):  # type: ignore[misc]
    """A small sound environment: each turn a number is asked for that cannot be said twice."""

    metadata: dict[str, Any] = {"name": "guessing"}  # noqa: RUF012 - PettingZoo's

    def __init__(self) -> None:
        self.possible_agents = NAMES
        numbers, mask = spaces.Box(0, 9, (3,), np.uint8), spaces.Box(0, 1, (TURNS,), np.int8)
        space = spaces.Dict({"observation": numbers, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(NAMES, space)
        self.action_spaces = {name: spaces.Discrete(TURNS) for name in NAMES}
        self.agents: list[str] = []
        self.rng = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.agents, self.turn = list(NAMES), 0
        self.free = {name: np.ones(TURNS, np.int8) for name in NAMES}
        self.secret = int(self.rng.integers(10)) if options is None else options["secret"]
        self.shown = int(self.rng.integers(10))
        return self.look(), self.infos()

    def look(self) -> dict[str, Any]:
        return {
            name: {
                "observation": np.array([self.turn, self.shown, place], np.uint8),
                "action_mask": self.free[name].copy(),
            }
            for place, name in enumerate(NAMES)
        }

    def infos(self) -> dict[str, Any]:
        return {name: {"action_mask": self.free[name].copy()} for name in NAMES}

    def reward(self, action: int) -> float:
        return float(action == self.shown)

    def step(self, actions: dict[str, int]) -> Any:
        for name, action in actions.items():
            self.check(name, action)
        for name, action in actions.items():
            self.free[name][action] = 0
        rewards = {name: self.reward(action) for name, action in actions.items()}
        self.turn += 1
        self.shown = int(self.rng.integers(10))
        over = self.turn == TURNS
        if over:
            self.agents = []
            self.free = {name: np.ones(TURNS, np.int8) for name in NAMES}
        told = dict.fromkeys(NAMES, over), dict.fromkeys(NAMES, False)
        return self.look(), rewards, *told, self.infos()

    def check(self, name: str, action: int) -> None:
        if not 0 <= action < TURNS or not self.free[name][action]:
            raise ValueError(f"{action} cannot be said")


PLANTS = Plants(Guessing)
after, instead, kind = PLANTS.after, PLANTS.instead, PLANTS.kind
ELSEWHERE = count()


@instead("step", "determinism", r"reset\(seed=0\) in a new environment .* after step 2, what is")
def noise_later(env: Any, actions: dict[str, int]) -> Any:
    """From the second turn on numbers come from elsewhere, which one step does not show."""
    told = Guessing.step(env, actions)
    if env.turn > 1:
        told[0]["left"]["observation"][1] = next(ELSEWHERE) % 10
    return told


@instead("reset", "determinism", r"in the middle of another episode .* after step 0, what is")
def reset_half(env: Any, seed: int | None = None, options: Any = None) -> Any:
    """Left in the middle of an episode, the next one begins at that turn."""
    turn = env.turn if env.agents else 0
    told = Guessing.reset(env, seed, options)
    env.turn = turn
    return (env.look(), told[1]) if turn else told


@kind("determinism", r"reset\(seed=0\) in a new environment .* after step 1, what is")
class GlobalNumpy(Guessing):
    """Numbers are drawn by numpy's global generator, seeded at reset."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        np.random.seed(seed)  # noqa: NPY002
        return super().reset(seed, options)

    def step(self, actions: dict[str, int]) -> Any:
        self.rng = np.random.default_rng(np.random.randint(1 << 30))  # noqa: NPY002
        return super().step(actions)


@instead("look", "spaces", "after step 3 the observation of right is not in its space")
def out_of_space(env: Any) -> dict[str, Any]:
    """A number is larger than the space says."""
    seen = Guessing.look(env)
    seen["right"]["observation"][0] = 10 if env.turn == 3 else 0
    return seen


@instead("action_space", "spaces", r"action_space\('left'\) is another object at each call")
def new_spaces(env: Any, agent: str) -> Any:
    """A space is a new object each time one asks."""
    return spaces.Discrete(TURNS)


@after("step", "spaces", "after step 5 left has ended; agents say otherwise")
def never_leaves(env: Any, actions: dict[str, int]) -> None:
    """Agents whose episode has ended stay in the list, and are played with."""
    env.agents = list(NAMES) if env.turn < 2 * TURNS else []


@kind("masks", "after step 4 the mask of left allows nothing")
class EmptyMask(Guessing):
    """In the last turn nothing is allowed."""

    def infos(self) -> dict[str, Any]:
        return {name: {"action_mask": self.free[name] * (self.turn < TURNS - 1)} for name in NAMES}

    def look(self) -> dict[str, Any]:
        return {name: seen["observation"] for name, seen in super().look().items()}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]["observation"]


@instead("infos", "masks", r"after step 0 the mask of left is bool \(5,\), not int8")
def bool_mask(env: Any) -> dict[str, Any]:
    """The mask is of truth values, which no space can sample with."""
    return {name: {"action_mask": env.free[name] > 0} for name in NAMES}


@instead("infos", "masks", "after step 1 the mask of left in the info is not that in the obs")
def other_mask(env: Any) -> dict[str, Any]:
    """The info allows what the observation forbids."""
    return {name: {"action_mask": np.ones(TURNS, np.int8)} for name in NAMES}


@instead("check", "masks", r"action -?\d of left is illegal, and is played")
def plays_anything(env: Any, name: str, action: int) -> None:
    """Any number that is said counts."""
    env.free[name][action % TURNS] = 1


@instead("check", "masks", "refused, but not without a trace: what is returned")
def refusal_counts(env: Any, name: str, action: int) -> None:
    """A refused number is shown to everybody."""
    try:
        Guessing.check(env, name, action)
    except ValueError:
        env.rng.random()
        raise


@instead("reward", "rewards", "the reward of left is nan")
def bad_reward(env: Any, action: int) -> float:
    """An agent that is wrong gets no number at all."""
    return Guessing.reward(env, action) or float("nan")


WRITTEN = "what had been returned was written into|changes what was returned"


@instead("look", "buffers", WRITTEN)
def one_buffer(env: Any) -> dict[str, Any]:
    """All observations are written into the same array."""
    if not hasattr(env, "kept"):
        env.kept = Guessing.look(env)
    for name, seen in Guessing.look(env).items():
        for key, array in seen.items():
            env.kept[name][key][...] = array
    return {name: dict(seen) for name, seen in env.kept.items()}


@instead("infos", "buffers", WRITTEN)
def own_mask(env: Any) -> dict[str, Any]:
    """The mask in the info is the environment's own array."""
    return {name: {"action_mask": mask} for name, mask in env.free.items()}


@instead("__reduce__", "copies", "pickle after step 0 legal actions are refused: AttributeError")
def begins_again(env: Any) -> Any:
    """A copy is an environment that has not begun, as with gymnasium's EzPickle."""
    return type(env), ()


@instead("infos", "infos", r"the info of left\['hint'\] is \d, not \d")
def telling_info(env: Any) -> dict[str, Any]:
    """The info has the secret, which the observation has not."""
    return {name: {**told, "hint": env.secret} for name, told in Guessing.infos(env).items()}


def only(check: str, make_env: Any) -> Report:
    resets: list[dict[str, Any]] = [{"seed": 0}, {"seed": 1}]
    if check == "infos":
        resets = [{"seed": 0, "options": {"secret": secret}} for secret in range(3)]
    return check_parallel_env(make_env, only=[check], resets=resets)


def test_a_sound_environment_passes_every_check() -> None:
    report = check_parallel_env(Guessing)
    assert_sound(report, PLANTS, CHECKS)
    only("infos", Guessing)


@PLANTS.each()
def test_a_planted_fault_is_found_and_named(check: str, kind: type[Guessing], said: str) -> None:
    assert_found(lambda: only(check, kind), check, said)


class Unmasked(noise_later):  # type: ignore[misc, valid-type]
    """Takes any number, for PettingZoo's test, which samples without masks."""

    def check(self, name: str, action: int) -> None:
        pass


def test_pettingzoos_seed_test_sees_one_step_and_this_one_all() -> None:
    """PettingZoo's compares what the first step returns; the noise begins with the second."""
    parallel_seed_test(Unmasked)
    with pytest.raises(CheckFailed, match="give another episode"):
        check_parallel_env(noise_later)


def test_somebody_elses_environment_without_masks() -> None:
    """PettingZoo's rock, paper, scissors: a copy of it is one that has not begun."""
    report = check_parallel_env(rps_v2.parallel_env, skip=["copies"])
    left_out = {found.check: found.note for found in report.findings if found.left_out}
    assert left_out == {"masks": "there are no masks", "copies": "left out by the caller"}
    with pytest.raises(CheckFailed, match="FAULT copies"):
        check_parallel_env(rps_v2.parallel_env)


def test_a_check_that_is_none_cannot_be_skipped() -> None:
    with pytest.raises(ValueError, match="no check is called 'colours'; there are determinism, "):
        check_parallel_env(Guessing, skip=["colours"])
