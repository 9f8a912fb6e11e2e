"""The returns of reset and step of a ParallelEnv: complete, in its spaces, the caller's own."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator, Sequence
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from kododo_env.testing.envs.episodes import Make, Reset, Run, in_words
from kododo_env.testing.everything import check_same
from kododo_env.testing.report import Fault


def env_spaces(make_env: Make, resets: Sequence[Reset]) -> str:
    """Observations are in their spaces, the same objects each time; an ended agent is gone."""
    steps = 0
    for reset in resets:
        run = Run(make_env(), reset)
        _observed(run, list(run.env.agents), "after reset")
        for actions in run.turns():
            acting = list(run.env.agents)
            run.step(actions)
            steps += 1
            _observed(run, acting, f"after step {len(run.seen) - 1}")
            _ended(run, acting, f"after step {len(run.seen) - 1}")
    return f"{steps} steps"


def _observed(run: Run, names: list[Any], when: str) -> None:
    env, observations = run.env, run.seen[-1][0]
    for name in names:
        for space in (env.observation_space, env.action_space):
            if space(name) is not space(name):
                raise Fault(f"{space.__name__}({name!r}) is another object at each call")
        if name not in observations or not env.observation_space(name).contains(observations[name]):
            raise Fault(f"{when} the observation of {name} is not in its space")


def _ended(run: Run, acting: list[Any], when: str) -> None:
    """Everything is told of all who acted; an agent whose episode has ended acts no more."""
    _, rewards, terminations, truncations, infos = run.seen[-1]
    for what, told in (
        ("rewards", rewards), ("terminations", terminations),
        ("truncations", truncations), ("infos", infos),
    ):  # fmt: skip
        missing = [str(name) for name in acting if name not in told]
        if missing:
            raise Fault(f"{when} {what} has nothing of {', '.join(missing)}")
    for name in acting:
        over = bool(terminations[name] or truncations[name])
        if over == (name in run.env.agents):
            raise Fault(f"{when} {name} has{'' if over else ' not'} ended; agents say otherwise")


def env_rewards(make_env: Make, resets: Sequence[Reset]) -> str:
    """Rewards are finite numbers, and ends are told as truth values."""
    steps = 0
    for reset in resets:
        run = Run(make_env(), reset)
        run.play()
        for step, (_, rewards, *ends, _) in enumerate(run.seen[1:], start=1):
            for name, reward in rewards.items():
                number = isinstance(reward, Real) and not isinstance(reward, bool)
                if not number or not isfinite(reward):
                    raise Fault(f"after step {step} the reward of {name} is {reward!r}")
            for told in ends:
                for name, over in told.items():
                    if not isinstance(over, bool | np.bool_):
                        raise Fault(f"after step {step} {over!r} says whether {name} has ended")
            steps += 1
    return f"{steps} steps"


def env_buffers(make_env: Make, resets: Sequence[Reset]) -> str:
    """Things that were returned do not change later, and to write into it changes nothing."""
    run, twin = Run(make_env(), resets[0]), Run(make_env(), resets[0])
    kept = copy.deepcopy(run.seen)
    for actions in run.turns():
        for array in _arrays(twin.seen[-1]):
            if array.flags.writeable:
                array[...] = 0
        step = len(kept)
        run.step(actions)
        written = f"what had been returned was written into; in step {step}"
        twin.step(actions, written)
        check_same(twin.seen[-1], run.seen[-1], "what is returned", written)
        wrong = f"step {step} changes what was returned before:"
        check_same(run.seen[:step], kept, "what was returned", wrong)
        kept.append(copy.deepcopy(run.seen[-1]))
    return f"{len(kept) - 1} steps"


def _arrays(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _arrays(part)


def env_infos(make_env: Make, resets: Sequence[Reset]) -> str:
    """An agent's info follows from all that the agent has seen and done so far."""
    known: dict[Any, tuple[Any, str]] = {}
    told = 0
    for reset in resets:
        run = Run(make_env(), reset)
        history: dict[Any, tuple[bytes, ...]] = {}
        actions: dict[Any, Any] = {}
        for actions_now in run.turns():
            observations, infos = run.seen[-1][0], run.seen[-1][-1]
            for name in run.env.agents:
                seen = pickle.dumps((observations[name], actions.get(name)))
                history[name] = (*history.get(name, ()), seen)
                before = known.setdefault((name, history[name]), (infos[name], in_words(reset)))
                told += before[0] is not infos[name]
                when = f"after step {len(run.seen) - 1} of {in_words(reset)}, which has been"
                wrong = f"{when} for {name} what {before[1]} was,"
                check_same(infos[name], before[0], f"the info of {name}", wrong)
            actions = actions_now
            run.step(actions)
    return f"{told} infos in episodes that had looked the same so far"
