"""Run all checks of a PettingZoo ParallelEnv."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from kododo_env.testing.envs.determinism import env_copies, env_determinism
from kododo_env.testing.envs.episodes import Make, Reset
from kododo_env.testing.envs.returns import (
    env_buffers,
    env_infos,
    env_masks,
    env_rewards,
    env_spaces,
)
from kododo_env.testing.report import Report, run_checks

CHECKS = {
    "determinism": env_determinism,
    "spaces": env_spaces,
    "masks": env_masks,
    "rewards": env_rewards,
    "buffers": env_buffers,
    "copies": env_copies,
    "infos": env_infos,
}


def check_parallel_env(
    make_env: Make,
    *,
    resets: Sequence[Reset] = ({"seed": 0}, {"seed": 1}, {"seed": 2}),
    only: Collection[str] = (),
    skip: Collection[str] = (),
) -> Report:
    """Check a PettingZoo ParallelEnv by playing whole episodes at random.

    Args:
        make_env: A function that returns a new environment at each call.
        resets: A dictionary of keyword arguments of ``reset`` for each episode. If ``reset`` takes
            decks, include decks that differ only in cards that an agent cannot see: the agent's
            infos are checked to be the same.
        only: The names of the checks to run; empty for all.
        skip: The names of checks to skip.

    Returns:
        A report of all checks, which can be printed.

    Raises:
        CheckFailed: A check found a fault. This is an AssertionError whose message is the report.
        ValueError: The name of a check is unknown, or ``resets`` is empty.
    """
    if not resets:
        raise ValueError("resets must contain at least one episode")
    checks = {name: partial(check, make_env, resets) for name, check in CHECKS.items()}
    return run_checks(str(make_env()), checks, only, skip)
