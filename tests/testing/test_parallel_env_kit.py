"""Every check of a ParallelEnv finds its planted fault and passes sound environments."""

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
from tests.testing.fault_cases import FaultCases, assert_found, assert_sound
from tests.toy_game.high_card.game import make

CHECKS = ("determinism", "spaces", "masks", "rewards", "buffers", "copies", "infos")


class HighCards(ParallelGame):
    """The toy game as a sound environment."""

    def __init__(self, **options: Any) -> None:
        super().__init__(make(1), **options)


PLANTS = FaultCases(HighCards)
after = PLANTS.after
instead = PLANTS.instead
kind = PLANTS.kind
COUNTER = count()  # outside the state of the environment


@instead("step", "determinism", r"reset\(seed=0\) in a new environment .* after step 2, the return")
def noise_later(env: Any, actions: dict[str, int]) -> Any:
    """From the second turn on, observations have random numbers; one step does not show it."""
    returned = ParallelGame.step(env, actions)
    if env.game.turn > 1:
        returned[0]["player_0"]["observation"][-1] = next(COUNTER) % 5
    return returned


@instead("reset", "determinism", r"in the middle of another episode .* after step 0, the return")
def reset_half(env: Any, seed: int | None = None, options: Any = None) -> Any:
    """After an unfinished episode, the next one begins at its turn."""
    turn = env.game.turn if env.agents else 0
    returned = ParallelGame.reset(env, seed, options)
    returned[0]["player_0"]["observation"][-1] = turn
    return returned


@kind("determinism", r"reset\(seed=0\) in a new environment .* after step 1, the return")
class GlobalNumpy(HighCards):
    """Rewards use numpy's global generator, which reset seeds."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        np.random.seed(seed)  # noqa: NPY002
        return super().reset(seed, options)

    def step(self, actions: dict[str, int]) -> Any:
        returned = super().step(actions)
        returned[1]["player_0"] += np.random.rand()  # noqa: NPY002
        return returned


@instead("_see", "spaces", "after step 3 the observation of player_1 is not in its space")
def out_of_space(env: Any) -> Any:
    """A number is larger than the space says."""
    returned = ParallelGame._see(env)
    returned[0]["player_1"]["observation"][0] = 10 if env.game.turn == 3 else 0
    return returned


@instead("action_space", "spaces", r"action_space\('player_0'\) is another object at each call")
def new_spaces(env: Any, agent: str) -> Any:
    """A space is a new object each time one asks."""
    return copy.deepcopy(env.action_spaces[agent])


@after("step", "spaces", "after step 4 player_0 has ended but is still in agents")
def never_leaves(env: Any, actions: dict[str, int]) -> None:
    """Ended agents stay in the list."""
    env.agents = list(env.possible_agents)


@instead("_see", "masks", "after step 3 the mask of player_0 allows no action")
def empty_mask(env: Any) -> Any:
    """In the last turn no action is legal."""
    returned = ParallelGame._see(env)
    for info in returned[1].values():
        info["action_mask"] *= env.game.turn != 3
    return returned


@kind("masks", "after step 2 the mask of player_1 allows no action")
class EmptyMaskAtTheCut(HighCards):
    """The step that truncates an episode gives a mask of zeros, as if the game were over."""

    def __init__(self) -> None:
        super().__init__(max_cycles=2)

    def step(self, actions: dict[str, int]) -> Any:
        returned = super().step(actions)
        if returned[3]["player_1"]:
            returned[0]["player_1"]["action_mask"][:] = 0
        return returned


@instead("_see", "masks", r"after step 0 .* mask of player_0 as int8 .*got bool \(2,\)")
def bool_mask(env: Any) -> Any:
    """The mask is bool, which spaces cannot sample with."""
    observations, infos = ParallelGame._see(env)
    return observations, {
        name: {"action_mask": info["action_mask"] > 0} for name, info in infos.items()
    }


@instead("_see", "masks", "after step 3 the masks of player_0 .* differ")
def other_mask(env: Any) -> Any:
    """The mask in the info allows illegal actions."""
    observations, infos = ParallelGame._see(env)
    return observations, {name: {"action_mask": np.ones(2, np.int8)} for name in infos}


@instead("step", "masks", r"accepts the illegal action -?\d of player_0")
def plays_anything(env: Any, actions: dict[str, int]) -> Any:
    """Any number counts as an action."""
    return ParallelGame.step(env, {name: action % 2 for name, action in actions.items()})


@instead("step", "masks", "rejected illegal actions have changed something")
def rejection_counts(env: Any, actions: dict[str, int]) -> Any:
    """A rejected action changes the scores."""
    try:
        return ParallelGame.step(env, actions)
    except ValueError:
        env.game._state.scores[0] += 2
        raise


@instead("step", "rewards", r"the reward of player_\d is nan")
def bad_reward(env: Any, actions: dict[str, int]) -> Any:
    """The reward of an agent that wins nothing is NaN."""
    observations, rewards, *flags = ParallelGame.step(env, actions)
    nan_rewards = {name: reward or float("nan") for name, reward in rewards.items()}
    return observations, nan_rewards, *flags


WRITTEN = "after writing to returned arrays|changes earlier returns"


def write_again(env: Any, mappings: dict[str, Any], name: str) -> None:
    """Replace each agent's array by the first one, with the new numbers."""
    first = env.__dict__.setdefault("first", mappings)
    for agent, mapping in mappings.items():
        first[agent][name][...] = mapping[name]
        mapping[name] = first[agent][name]


@instead("_see", "buffers", WRITTEN)
def one_buffer(env: Any) -> Any:
    """All observations are written to the same array."""
    observations, infos = ParallelGame._see(env)
    write_again(env, observations, "observation")
    return observations, infos


@instead("_see", "buffers", WRITTEN)
def shared_mask(env: Any) -> Any:
    """The mask in the info is the environment's own array."""
    observations, infos = ParallelGame._see(env)
    write_again(env, infos, "action_mask")
    return observations, infos


@instead(
    "__reduce__", "copies", r"pickle after step 0 step\(\) rejects legal actions: RuntimeError"
)
def begins_again(env: Any) -> Any:
    """A copy has not begun an episode, as with gymnasium's EzPickle."""
    return type(env), ()


@instead("_see", "infos", r"the info of player_0\['hint'\] is \d+, not \d+")
def telling_info(env: Any) -> Any:
    """The info has a hidden card, which nobody draws."""
    observations, infos = ParallelGame._see(env)
    hint = {"hint": int(env.game._state.deck[-1, 0])}
    return observations, {name: info | hint for name, info in infos.items()}


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
    assert not any(finding.left_out for finding in report.findings)


@PLANTS.parametrize()
def test_a_planted_fault_is_found_and_named(check: str, kind: type[HighCards], words: str) -> None:
    assert_found(lambda: only(check, kind), check, words)


def test_pettingzoos_seed_test_sees_one_step_and_this_one_all() -> None:
    """PettingZoo's test compares the first step; the noise begins in the second."""
    parallel_seed_test(lambda: noise_later(illegal_action="random"))
    with pytest.raises(CheckFailed, match="does not repeat"):
        check_parallel_env(noise_later)


def test_somebody_elses_environment_without_masks() -> None:
    """In PettingZoo's rock, paper, scissors, a copy has not begun an episode."""
    report = check_parallel_env(rps_v2.parallel_env, skip=["copies"])
    left_out = {finding.check: finding.note for finding in report.findings if finding.left_out}
    assert left_out == {"masks": "there are no masks", "copies": "skipped by the caller"}
    with pytest.raises(CheckFailed, match="FAULT copies"):
        check_parallel_env(rps_v2.parallel_env)


def test_a_check_that_is_none_cannot_be_skipped() -> None:
    with pytest.raises(ValueError, match=r"unknown check .colours.*determinism"):
        check_parallel_env(HighCards, skip=["colours"])
