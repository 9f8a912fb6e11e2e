"""Every check of a ParallelEnv finds its planted fault; others' environments can be checked too."""

from __future__ import annotations

import re
from itertools import count
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.classic import rps_v2
from pettingzoo.test import parallel_seed_test

from kododo_env.testing import CheckFailed, Report, check_parallel_env

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


class NoiseLater(Guessing):
    """From the second turn on numbers come from elsewhere, which one step does not show."""

    _elsewhere = count()

    def step(self, actions: dict[str, int]) -> Any:
        told = super().step(actions)
        if self.turn > 1:
            told[0]["left"]["observation"][1] = next(self._elsewhere) % 10
        return told


class ResetHalf(Guessing):
    """Left in the middle of an episode, the next one begins at that turn."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        turn = self.turn if self.agents else 0
        told = super().reset(seed, options)
        self.turn = turn
        return (self.look(), told[1]) if turn else told


class GlobalNumpy(Guessing):
    """Numbers are drawn by numpy's global generator, seeded at reset."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        np.random.seed(seed)  # noqa: NPY002
        return super().reset(seed, options)

    def step(self, actions: dict[str, int]) -> Any:
        self.rng = np.random.default_rng(np.random.randint(1 << 30))  # noqa: NPY002
        return super().step(actions)


class OutOfSpace(Guessing):
    """A number is larger than the space says."""

    def look(self) -> dict[str, Any]:
        seen = super().look()
        seen["right"]["observation"][0] = 10 if self.turn == 3 else 0
        return seen


class NewSpaces(Guessing):
    """A space is a new object each time one asks."""

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(TURNS)


class NeverLeaves(Guessing):
    """Agents whose episode has ended stay in the list, and are played with."""

    def step(self, actions: dict[str, int]) -> Any:
        told = super().step(actions)
        self.agents = list(NAMES) if self.turn < 2 * TURNS else []
        return told


class EmptyMask(Guessing):
    """In the last turn nothing is allowed."""

    def infos(self) -> dict[str, Any]:
        return {name: {"action_mask": self.free[name] * (self.turn < TURNS - 1)} for name in NAMES}

    def look(self) -> dict[str, Any]:
        return {name: seen["observation"] for name, seen in super().look().items()}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]["observation"]


class BoolMask(Guessing):
    """The mask is of truth values, which no space can sample with."""

    def infos(self) -> dict[str, Any]:
        return {name: {"action_mask": self.free[name] > 0} for name in NAMES}


class OtherMask(Guessing):
    """The info allows what the observation forbids."""

    def infos(self) -> dict[str, Any]:
        return {name: {"action_mask": np.ones(TURNS, np.int8)} for name in NAMES}


class PlaysAnything(Guessing):
    """Whatever is said counts."""

    def check(self, name: str, action: int) -> None:
        self.free[name][action % TURNS] = 1


class RefusalCounts(Guessing):
    """A refused number is shown to everybody."""

    def check(self, name: str, action: int) -> None:
        try:
            super().check(name, action)
        except ValueError:
            self.rng.random()
            raise


class BadReward(Guessing):
    """Who is wrong gets no number at all."""

    def reward(self, action: int) -> float:
        return super().reward(action) or float("nan")


class OneBuffer(Guessing):
    """All observations are written into the same array."""

    def look(self) -> dict[str, Any]:
        if not hasattr(self, "kept"):
            self.kept = super().look()
        for name, seen in super().look().items():
            for key, array in seen.items():
                self.kept[name][key][...] = array
        return {name: dict(seen) for name, seen in self.kept.items()}


class OwnMask(Guessing):
    """The mask in the info is the environment's own array."""

    def infos(self) -> dict[str, Any]:
        return {name: {"action_mask": mask} for name, mask in self.free.items()}


class StartsAnew(Guessing):
    """A copy is an environment that has not begun, as with gymnasium's EzPickle."""

    def __reduce__(self) -> Any:
        return type(self), ()


class TellingInfo(Guessing):
    """The info has the secret, which the observation has not."""

    def infos(self) -> dict[str, Any]:
        return {name: {**told, "hint": self.secret} for name, told in super().infos().items()}


PLANTED = [
    ("determinism", NoiseLater, r"reset\(seed=0\) in a new environment .* after step 2, what is"),
    ("determinism", ResetHalf, r"in the middle of another episode .* after step 0, what is"),
    ("determinism", GlobalNumpy, r"reset\(seed=0\) in a new environment .* after step 1, what is"),
    ("spaces", OutOfSpace, "after step 3 the observation of right is not in its space"),
    ("spaces", NewSpaces, r"action_space\('left'\) is another object at each call"),
    ("spaces", NeverLeaves, "after step 5 left has ended; agents say otherwise"),
    ("masks", EmptyMask, "after step 4 the mask of left allows nothing"),
    ("masks", BoolMask, r"after step 0 the mask of left is bool \(5,\), not int8"),
    ("masks", OtherMask, "after step 1 the mask of left in the info is not that in the obs"),
    ("masks", PlaysAnything, r"action -?\d of left is illegal, and is played"),
    ("masks", RefusalCounts, "refused, but not without a trace: what is returned"),
    ("rewards", BadReward, "the reward of left is nan"),
    ("buffers", OneBuffer, "what had been returned was written into|changes what was returned"),
    ("buffers", OwnMask, "what had been returned was written into|changes what was returned"),
    ("copies", StartsAnew, "pickle after step 0 legal actions are refused: AttributeError"),
    ("infos", TellingInfo, r"the info of left\['hint'\] is \d, not \d"),
]


def only(check: str, make_env: Any) -> Report:
    secrets = [{"seed": 0, "options": {"secret": secret}} for secret in range(3)]
    return check_parallel_env(make_env, only=[check], resets=secrets if check == "infos" else SEEDS)


SEEDS: list[dict[str, Any]] = [{"seed": 0}, {"seed": 1}]


def test_a_sound_environment_passes_every_check() -> None:
    report = check_parallel_env(Guessing)
    assert [found.check for found in report.findings] == list(CHECKS)
    assert not any(found.fault or found.left_out for found in report.findings)
    only("infos", Guessing)


@pytest.mark.parametrize(
    ("check", "kind", "said"), PLANTED, ids=[kind.__name__ for _, kind, _ in PLANTED]
)
def test_a_planted_fault_is_found_and_named(check: str, kind: type[Guessing], said: str) -> None:
    with pytest.raises(CheckFailed) as caught:
        only(check, kind)
    faults = caught.value.report.faults
    assert list(faults) == [check]
    assert re.search(said, faults[check]), faults[check]


def test_every_check_has_a_planted_fault() -> None:
    assert {check for check, _, _ in PLANTED} == set(CHECKS)


def test_pettingzoos_seed_test_sees_one_step_and_this_one_all() -> None:
    """PettingZoo's compares what the first step returns; the noise begins with the second."""
    parallel_seed_test(lambda: NoMask(NoiseLater()))
    with pytest.raises(CheckFailed, match="give another episode"):
        check_parallel_env(NoiseLater)


class NoMask(ParallelEnv):  # type: ignore[misc]
    """Replaces what cannot be said, for PettingZoo's test, which samples without masks."""

    def __init__(self, env: Guessing) -> None:
        self.env, self.possible_agents = env, env.possible_agents
        self.observation_space, self.action_space = env.observation_space, env.action_space

    @property
    def agents(self) -> list[str]:
        return self.env.agents

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        return self.env.reset(seed)

    def step(self, actions: dict[str, int]) -> Any:
        return self.env.step({name: int(self.env.free[name].argmax()) for name in actions})


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
