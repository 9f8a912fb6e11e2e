"""Checks that the same ``reset`` repeats an episode, and that copies of a ParallelEnv are exact."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from kododo_env.testing.differences import check_same
from kododo_env.testing.envs.episodes import Actions, Make, Reset, RunningEpisode, in_words
from kododo_env.testing.games.subject import stir
from kododo_env.testing.report import Fault


def env_determinism(make_env: Make, resets: Sequence[Reset]) -> str:
    """Repeat each episode in a new environment and in one that is in the middle of an episode."""
    steps = 0
    for index, reset in enumerate(resets):
        first = RunningEpisode(make_env(), reset)
        played = first.play()
        stir(1_000)
        _compare(
            first,
            RunningEpisode(make_env(), reset),
            played,
            f"{in_words(reset)} in a new environment",
        )
        used = RunningEpisode(make_env(), resets[index - 1], seed=1)
        for actions, _ in zip(used.turns(), range(2), strict=False):
            used.step(actions)
        episode = f"{in_words(reset)} in the middle of another episode"
        _compare(first, RunningEpisode(used.env, reset), played, episode)
        steps += len(played)
    return f"{len(resets)} episodes of {steps} steps in all, three times each"


def _compare(
    first: RunningEpisode, run: RunningEpisode, played: list[Actions], episode: str
) -> None:
    """Play the same actions in another run and compare all returns exactly."""
    for step, expected in enumerate(first.returns):
        prefix = f"{episode} does not repeat the episode: after step {step},"
        check_same(run.returns[step], expected, "the return", prefix)
        if step < len(played):
            stir(2_000 + step)
            run.step(played[step])


def env_copies(make_env: Make, resets: Sequence[Reset]) -> str:
    """Check that copies made during an episode continue exactly like the environment."""
    length = len(RunningEpisode(make_env(), resets[0]).play())
    ways: dict[str, Callable[[Any], Any]] = {
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),
        "copy.deepcopy()": copy.deepcopy,
    }
    stops = sorted({0, length // 3, 2 * length // 3, max(length - 1, 0)})
    for way, make in ways.items():
        for stop in stops:
            _check_copy(
                RunningEpisode(make_env(), resets[0]), make, stop, f"{way} after step {stop}"
            )
    return f"{' and '.join(ways)} after steps {', '.join(map(str, stops))}"


def _check_copy(run: RunningEpisode, make: Callable[[Any], Any], stop: int, label: str) -> None:
    for actions, _ in zip(run.turns(), range(stop), strict=False):
        run.step(actions)
    try:
        twin = copy.copy(run)
        twin.env = make(run.env)
        twin.returns = []
    except Exception as error:
        raise Fault(f"{label} cannot make a copy: {type(error).__name__}: {error}") from error
    for actions in run.turns():
        run.step(actions)
        twin.step(actions, label)
        prefix = f"{label} continues differently:"
        check_same(twin.returns[-1], run.returns[-1], "the return of step()", prefix)
