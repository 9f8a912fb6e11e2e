"""Checks of what ``reset`` and ``step`` of a ParallelEnv return, and of what ``step`` rejects."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator, Sequence
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from kododo_env.testing.differences import check_same
from kododo_env.testing.envs.episodes import Actions, Make, Reset, RunningEpisode, in_words
from kododo_env.testing.report import Fault, SkippedCheck


def env_spaces(make_env: Make, resets: Sequence[Reset]) -> str:
    """Check that observations are in their spaces, and that agents are removed when they end."""
    steps = 0
    for reset in resets:
        run = RunningEpisode(make_env(), reset)
        _observed(run, list(run.env.agents), "after reset")
        for actions in run.turns():
            acting = list(run.env.agents)
            run.step(actions)
            steps += 1
            _observed(run, acting, f"after step {len(run.returns) - 1}")
            _ended(run, acting, f"after step {len(run.returns) - 1}")
    return f"{steps} steps"


def _observed(run: RunningEpisode, names: list[Any], when: str) -> None:
    env = run.env
    observations = run.returns[-1][0]
    for name in names:
        for space in (env.observation_space, env.action_space):
            if space(name) is not space(name):
                raise Fault(f"{space.__name__}({name!r}) is another object at each call")
        if name not in observations or not env.observation_space(name).contains(observations[name]):
            raise Fault(f"{when} the observation of {name} is not in its space")


def _ended(run: RunningEpisode, acting: list[Any], when: str) -> None:
    """Check that all acting agents are in the returns, and that ended agents are removed."""
    _, rewards, terminations, truncations, infos = run.returns[-1]
    for label, mapping in (
        ("rewards", rewards), ("terminations", terminations),
        ("truncations", truncations), ("infos", infos),
    ):  # fmt: skip
        missing = [str(name) for name in acting if name not in mapping]
        if missing:
            raise Fault(f"{when} {label} lacks {', '.join(missing)}")
    for name in acting:
        over = bool(terminations[name] or truncations[name])
        if over and name in run.env.agents:
            raise Fault(f"{when} {name} has ended but is still in agents")
        if not over and name not in run.env.agents:
            raise Fault(f"{when} {name} has not ended but is not in agents")


def env_masks(make_env: Make, resets: Sequence[Reset]) -> str:
    """Check that masks are valid, and that illegal actions raise an error and change nothing.

    Two equal environments are compared in the first episode; before each step, ``step`` of one of
    them is called with each illegal action. The masks of truncated agents are checked too, since
    learners estimate the value of the last position.
    """
    tried = 0
    masks = 0
    for index, reset in enumerate(resets):
        run = RunningEpisode(make_env(), reset)
        twin = RunningEpisode(make_env(), reset)
        for actions in run.turns():
            when = f"after step {len(run.returns) - 1}"
            for name in list(run.env.agents):
                mask = _mask(run, name, when)
                if mask is None:
                    continue
                masks += 1
                if index == 0:
                    tried += _check_illegal(run.env, actions, name, mask, when)
            run.step(actions)
            twin.step(actions)
            prefix = f"{when} rejected illegal actions have changed something:"
            check_same(run.returns[-1], twin.returns[-1], "the return of step()", prefix)
            for name in run.truncated():
                if _mask(run, name, f"after step {len(run.returns) - 1}") is not None:
                    masks += 1
    if masks == 0:
        raise SkippedCheck("there are no masks")
    return f"{masks} masks, {tried} illegal actions"


def _mask(run: RunningEpisode, name: Any, when: str) -> Any:
    """Return the mask of one agent after checking it, or None if it has none."""
    masks = run.masks(name)
    for mask in masks:
        array = np.asarray(mask)
        if array.dtype != np.int8 or array.shape != (run.env.action_space(name).n,):
            raise Fault(
                f"{when} expected the mask of {name} as int8 (A,), got {array.dtype} {array.shape}"
            )
        if set(array.tolist()) - {0, 1} or not array.any():
            raise Fault(
                f"{when} the mask of {name} allows no action, or has other numbers than 0 and 1"
            )
    if len(masks) > 1 and not np.array_equal(*masks):
        raise Fault(f"{when} the masks of {name} in info and observation differ")
    return masks[0] if masks else None


def _check_illegal(env: Any, actions: Actions, name: Any, mask: Any, when: str) -> int:
    """Check that illegal actions and numbers out of range raise, and return how many."""
    illegal = [*np.flatnonzero(np.asarray(mask) == 0).tolist(), -1, len(mask)]
    for action in illegal:
        try:
            env.step({**actions, name: action})
        except Exception:
            continue
        raise Fault(f"{when} step() accepts the illegal action {action} of {name}")
    return len(illegal)


def env_rewards(make_env: Make, resets: Sequence[Reset]) -> str:
    """Check that rewards are finite numbers, and that terminations and truncations are bools."""
    steps = 0
    for reset in resets:
        run = RunningEpisode(make_env(), reset)
        run.play()
        for step, (_, rewards, *ends, _) in enumerate(run.returns[1:], start=1):
            for name, reward in rewards.items():
                number = isinstance(reward, Real) and not isinstance(reward, bool)
                if not number or not isfinite(reward):
                    raise Fault(f"after step {step} the reward of {name} is {reward!r}")
            for flags in ends:
                for name, flag in flags.items():
                    if not isinstance(flag, bool | np.bool_):
                        raise Fault(
                            f"after step {step} the end of {name} must be a bool, got {flag!r}"
                        )
            steps += 1
    return f"{steps} steps"


def env_buffers(make_env: Make, resets: Sequence[Reset]) -> str:
    """Check that returned arrays do not change later, and that writing to them has no effect."""
    run = RunningEpisode(make_env(), resets[0])
    twin = RunningEpisode(make_env(), resets[0])
    copies = copy.deepcopy(run.returns)
    for actions in run.turns():
        for array in _arrays(twin.returns[-1]):
            if array.flags.writeable:
                array[...] = 0
        step = len(copies)
        run.step(actions)
        context = f"after writing to returned arrays, in step {step}"
        twin.step(actions, context)
        check_same(twin.returns[-1], run.returns[-1], "the return", context)
        prefix = f"step {step} changes earlier returns:"
        check_same(run.returns[:step], copies, "the returns", prefix)
        copies.append(copy.deepcopy(run.returns[-1]))
    return f"{len(copies) - 1} steps"


def _arrays(container: Any) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(container, np.ndarray):
        yield container
    elif isinstance(container, dict | list | tuple):
        for element in container.values() if isinstance(container, dict) else container:
            yield from _arrays(element)


def env_infos(make_env: Make, resets: Sequence[Reset]) -> str:
    """Check that an agent's info depends only on the agent's own observations and actions."""
    earlier: dict[Any, tuple[Any, str]] = {}
    compared = 0
    for reset in resets:
        run = RunningEpisode(make_env(), reset)
        history: dict[Any, tuple[bytes, ...]] = {}
        actions: dict[Any, Any] = {}
        for actions_now in run.turns():
            observations = run.returns[-1][0]
            infos = run.returns[-1][-1]
            for name in run.env.agents:
                event = pickle.dumps((observations[name], actions.get(name)))
                history[name] = (*history.get(name, ()), event)
                key = (name, history[name])
                info, episode = earlier.setdefault(key, (infos[name], in_words(reset)))
                if info is not infos[name]:
                    compared += 1
                when = f"after step {len(run.returns) - 1} of {in_words(reset)}"
                prefix = f"{when}, which {name} cannot tell from {episode},"
                check_same(infos[name], info, f"the info of {name}", prefix)
            actions = actions_now
            run.step(actions)
    return f"{compared} infos in episodes that looked the same so far"
