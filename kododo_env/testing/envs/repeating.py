"""Episodes of a ParallelEnv come again: by their seed, and in copies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from kododo_env.testing.envs.episodes import Actions, Make, Reset, Run, in_words
from kododo_env.testing.everything import check_same
from kododo_env.testing.games.playing import stir
from kododo_env.testing.report import Fault


def env_determinism(make_env: Make, resets: Sequence[Reset]) -> str:
    """Whole episodes again: in a new environment, and in one left in the middle of another."""
    steps = 0
    for index, reset in enumerate(resets):
        first = Run(make_env(), reset)
        played = first.play()
        stir(1_000)
        _again(first, Run(make_env(), reset), played, f"{in_words(reset)} in a new environment")
        used = Run(make_env(), resets[index - 1], seed=1)
        for actions, _ in zip(used.turns(), range(2), strict=False):
            used.step(actions)
        what = f"{in_words(reset)} in the middle of another episode"
        _again(first, Run(used.env, reset), played, what)
        steps += len(played)
    return f"{len(resets)} episodes of {steps} steps in all, three times each"


def _again(first: Run, run: Run, played: list[Actions], what: str) -> None:
    """The same actions; all that is returned is compared to the byte."""
    for step, expected in enumerate(first.seen):
        wrong = f"{what} and the same actions give another episode: after step {step},"
        check_same(run.seen[step], expected, "what is returned", wrong)
        if step < len(played):
            stir(2_000 + step)
            run.step(played[step])


def env_copies(make_env: Make, resets: Sequence[Reset]) -> str:
    """Copies made in the middle of an episode go on as the environment does."""
    length = len(Run(make_env(), resets[0]).play())
    ways: dict[str, Callable[[Any], Any]] = {
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),
        "copy.deepcopy()": copy.deepcopy,
    }
    stops = sorted({0, length // 3, 2 * length // 3, max(length - 1, 0)})
    for way, make in ways.items():
        for stop in stops:
            _goes_on(Run(make_env(), resets[0]), make, stop, f"{way} after step {stop}")
    return f"{' and '.join(ways)} after steps {', '.join(map(str, stops))}"


def _goes_on(run: Run, make: Callable[[Any], Any], stop: int, what: str) -> None:
    for actions, _ in zip(run.turns(), range(stop), strict=False):
        run.step(actions)
    try:
        twin = copy.copy(run)
        twin.env, twin.seen = make(run.env), []
    except Exception as error:
        raise Fault(f"{what}: no copy, {type(error).__name__}: {error}") from error
    for actions in run.turns():
        run.step(actions)
        twin.step(actions, what)
        check_same(twin.seen[-1], run.seen[-1], "what is returned", f"{what} goes on otherwise:")
