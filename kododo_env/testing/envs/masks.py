"""The check of a ParallelEnv's masks and its rejection of illegal actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kododo_env.testing.differences import check_same
from kododo_env.testing.envs.episodes import Actions, Make, Reset, RunningEpisode
from kododo_env.testing.report import Fault, SkippedCheck


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
