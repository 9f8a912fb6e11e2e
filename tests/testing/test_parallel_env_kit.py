"""Every check of a ParallelEnv finds its planted fault; others' environments can be checked too."""

from __future__ import annotations

import copy
from itertools import count
from typing import Any

import numpy as np
import pytest
from pettingzoo.classic import rps_v2
from pettingzoo.test import parallel_seed_test

from kododo_env.testing import CheckFailed, Report, check_parallel_env
from kododo_env.wrappers import ParallelGame
from tests.testing.plants import Plants, assert_found, assert_sound
from tests.toy_game.high_card.game import make

CHECKS = ("determinism", "spaces", "masks", "rewards", "buffers", "copies", "infos")


class HighCards(ParallelGame):
    """The small game as an environment, which is sound."""

    def __init__(self, **options: Any) -> None:
        super().__init__(make(1), **options)


PLANTS = Plants(HighCards)
after, instead, kind = PLANTS.after, PLANTS.instead, PLANTS.kind
ELSEWHERE = count()


@instead("step", "determinism", r"reset\(seed=0\) in a new environment .* after step 2, what is")
def noise_later(env: Any, actions: dict[str, int]) -> Any:
    """From the second turn on numbers come from elsewhere, which one step does not show."""
    told = ParallelGame.step(env, actions)
    if env.game.turn > 1:
        told[0]["player_0"]["observation"][-1] = next(ELSEWHERE) % 5
    return told


@instead("reset", "determinism", r"in the middle of another episode .* after step 0, what is")
def reset_half(env: Any, seed: int | None = None, options: Any = None) -> Any:
    """Left in the middle of an episode, the next one begins at that turn."""
    turn = env.game.turn if env.agents else 0
    told = ParallelGame.reset(env, seed, options)
    told[0]["player_0"]["observation"][-1] = turn
    return told


@kind("determinism", r"reset\(seed=0\) in a new environment .* after step 1, what is")
class GlobalNumpy(HighCards):
    """Numbers are drawn by numpy's global generator, seeded at reset."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        np.random.seed(seed)  # noqa: NPY002
        return super().reset(seed, options)

    def step(self, actions: dict[str, int]) -> Any:
        told = super().step(actions)
        told[1]["player_0"] += np.random.rand()  # noqa: NPY002
        return told


@instead("_see", "spaces", "after step 3 the observation of player_1 is not in its space")
def out_of_space(env: Any) -> Any:
    """A number is larger than the space says."""
    told = ParallelGame._see(env)
    told[0]["player_1"]["observation"][0] = 10 if env.game.turn == 3 else 0
    return told


@instead("action_space", "spaces", r"action_space\('player_0'\) is another object at each call")
def new_spaces(env: Any, agent: str) -> Any:
    """A space is a new object each time one asks."""
    return copy.deepcopy(env.action_spaces[agent])


@after("step", "spaces", "after step 4 player_0 has ended; agents say otherwise")
def never_leaves(env: Any, actions: dict[str, int]) -> None:
    """Agents whose episode has ended stay in the list."""
    env.agents = list(env.possible_agents)


@instead("_see", "masks", "after step 3 the mask of player_0 allows nothing")
def empty_mask(env: Any) -> Any:
    """In the last turn nothing is allowed."""
    told = ParallelGame._see(env)
    for info in told[1].values():
        info["action_mask"] *= env.game.turn != 3
    return told


@kind("masks", "after step 2 the mask of player_1 allows nothing")
class EmptyMaskAtTheCut(HighCards):
    """The step that truncates an episode gives a mask of zeros, as if the game were over."""

    def __init__(self) -> None:
        super().__init__(max_cycles=2)

    def step(self, actions: dict[str, int]) -> Any:
        told = super().step(actions)
        if told[3]["player_1"]:
            told[0]["player_1"]["action_mask"][:] = 0
        return told


@instead("_see", "masks", r"after step 0 the mask of player_0 is bool \(2,\), not int8")
def bool_mask(env: Any) -> Any:
    """The mask is of truth values, which no space can sample with."""
    seen, infos = ParallelGame._see(env)
    return seen, {name: {"action_mask": info["action_mask"] > 0} for name, info in infos.items()}


@instead("_see", "masks", "after step 3 the mask of player_0 in the info is not that in the obs")
def other_mask(env: Any) -> Any:
    """The info allows what the observation forbids."""
    seen, infos = ParallelGame._see(env)
    return seen, {name: {"action_mask": np.ones(2, np.int8)} for name in infos}


@instead("step", "masks", r"action -?\d of player_0 is illegal, and is played")
def plays_anything(env: Any, actions: dict[str, int]) -> Any:
    """Any number that is said counts."""
    return ParallelGame.step(env, {name: action % 2 for name, action in actions.items()})


@instead("step", "masks", "refused, but not without a trace: what is returned")
def refusal_counts(env: Any, actions: dict[str, int]) -> Any:
    """A refused number is shown to everybody."""
    try:
        return ParallelGame.step(env, actions)
    except ValueError:
        env.game._state.scores[0] += 2
        raise


@instead("step", "rewards", r"the reward of player_\d is nan")
def bad_reward(env: Any, actions: dict[str, int]) -> Any:
    """An agent that wins nothing gets no number at all."""
    seen, rewards, *told = ParallelGame.step(env, actions)
    return seen, {name: reward or float("nan") for name, reward in rewards.items()}, *told


WRITTEN = "what had been returned was written into|changes what was returned"


def write_again(env: Any, told: dict[str, Any], name: str) -> None:
    """Give each agent the array of the first time, written into."""
    kept = env.__dict__.setdefault("kept", told)
    for agent, own in told.items():
        kept[agent][name][...] = own[name]
        own[name] = kept[agent][name]


@instead("_see", "buffers", WRITTEN)
def one_buffer(env: Any) -> Any:
    """All observations are written into the same array."""
    seen, infos = ParallelGame._see(env)
    write_again(env, seen, "observation")
    return seen, infos


@instead("_see", "buffers", WRITTEN)
def own_mask(env: Any) -> Any:
    """The mask in the info is the environment's own array."""
    seen, infos = ParallelGame._see(env)
    write_again(env, infos, "action_mask")
    return seen, infos


@instead("__reduce__", "copies", "pickle after step 0 legal actions are refused: RuntimeError")
def begins_again(env: Any) -> Any:
    """A copy is an environment that has not begun, as with gymnasium's EzPickle."""
    return type(env), ()


@instead("_see", "infos", r"the info of player_0\['hint'\] is \d+, not \d+")
def telling_info(env: Any) -> Any:
    """The info has a card that nobody draws, which the observation has not."""
    seen, infos = ParallelGame._see(env)
    hint = {"hint": int(env.game._state.deck[-1, 0])}
    return seen, {name: info | hint for name, info in infos.items()}


def only(check: str, make_env: Any) -> Report:
    resets: list[dict[str, Any]] = [{"seed": 0}, {"seed": 1}]
    if check == "infos":
        decks = [[*range(12), *last] for last in ([12, 13, 14], [13, 14, 12], [14, 13, 12])]
        resets = [{"seed": 0, "options": {"deck": deck}} for deck in decks]
    return check_parallel_env(make_env, only=[check], resets=resets)


def test_a_sound_environment_passes_every_check() -> None:
    assert_sound(check_parallel_env(HighCards), PLANTS, CHECKS)
    only("infos", HighCards)


def test_a_sound_environment_that_truncates_passes_every_check() -> None:
    report = check_parallel_env(lambda: HighCards(max_cycles=2))
    assert not any(found.left_out for found in report.findings)


@PLANTS.each()
def test_a_planted_fault_is_found_and_named(check: str, kind: type[HighCards], said: str) -> None:
    assert_found(lambda: only(check, kind), check, said)


def test_pettingzoos_seed_test_sees_one_step_and_this_one_all() -> None:
    """PettingZoo's compares what the first step returns; the noise begins with the second."""
    parallel_seed_test(lambda: noise_later(illegal_action="random"))
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
        check_parallel_env(HighCards, skip=["colours"])
