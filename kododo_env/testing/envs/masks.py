"""Masks of a ParallelEnv allow something; actions they forbid are refused without a trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kododo_env.testing.envs.episodes import Actions, Make, Reset, Run
from kododo_env.testing.everything import check_same
from kododo_env.testing.report import Fault, LeftOut


def env_masks(make_env: Make, resets: Sequence[Reset]) -> str:
    """Of twins one is given all that is forbidden before each step, the other is not.

    Masks are looked at in every episode, also that of an agent whose episode was truncated: a
    learner estimates the value of that position. Forbidden actions are tried in the first one.
    """
    tried, masks = 0, 0
    for index, reset in enumerate(resets):
        run, twin = Run(make_env(), reset), Run(make_env(), reset)
        for actions in run.turns():
            when = f"after step {len(run.seen) - 1}"
            for name in list(run.env.agents):
                mask = _mask(run, name, when)
                masks += mask is not None
                if mask is not None and index == 0:
                    tried += _refused(run.env, actions, name, mask, when)
            run.step(actions)
            twin.step(actions)
            wrong = f"{when} illegal actions were refused, but not without a trace:"
            check_same(run.seen[-1], twin.seen[-1], "what is returned", wrong)
            for name in run.truncated():
                masks += _mask(run, name, f"after step {len(run.seen) - 1}") is not None
    if not masks:
        raise LeftOut("there are no masks")
    return f"{masks} masks, {tried} illegal actions"


def _mask(run: Run, name: Any, when: str) -> Any:
    """The mask of one agent, the same wherever it is told; None if there is none."""
    masks = run.masks(name)
    for mask in masks:
        told = np.asarray(mask)
        if told.dtype != np.int8 or told.shape != (run.env.action_space(name).n,):
            raise Fault(f"{when} the mask of {name} is {told.dtype} {told.shape}, not int8 (A,)")
        if set(told.tolist()) - {0, 1} or not told.any():
            raise Fault(f"{when} the mask of {name} allows nothing, or holds more than 0 and 1")
    if len(masks) > 1 and not np.array_equal(*masks):
        raise Fault(f"{when} the mask of {name} in the info is not that in the observation")
    return masks[0] if masks else None


def _refused(env: Any, actions: Actions, name: Any, mask: Any, when: str) -> int:
    """Every action that is not legal raises, and so does every number that is no action."""
    wrong = [*np.flatnonzero(np.asarray(mask) == 0).tolist(), -1, len(mask)]
    for action in wrong:
        try:
            env.step({**actions, name: action})
        except Exception:
            continue
        raise Fault(f"{when} action {action} of {name} is illegal, and is played")
    return len(wrong)
