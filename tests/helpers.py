"""Helpers for the tests of every game, independent of games."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kododo_env.arrays.dtypes import Int64
from kododo_env.core import BatchGame

if TYPE_CHECKING:
    import pytest
    from hypothesis import settings


def made_once(
    tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]
) -> Path:
    """A file or folder that is slow to make; all processes of a run share it, for reading only."""
    from filelock import FileLock  # see ``few``

    folder = tmp_path_factory.getbasetemp()
    path = (folder.parent if folder.name.startswith("popen") else folder) / name
    with FileLock(f"{path}.lock"):
        if not path.exists():
            make(path)
    return path


def enough(number: int) -> int:
    """This many games or examples; a third of them for each mutant of ``make mutants``."""
    return max(2, number // 3) if "MUTANT_UNDER_TEST" in os.environ else number


def hypothesis_settings(max_examples: int) -> settings:
    """Hypothesis settings that try the same few examples on every machine."""
    from hypothesis import settings  # imported here, so that other tests run without it

    return settings(
        max_examples=enough(max_examples), derandomize=True, deadline=None, database=None
    )


def nested(depth: int) -> Any:
    """Nested lists of this depth."""
    nested_list: Any = 1
    for _ in range(depth):
        nested_list = [nested_list]
    return nested_list


def random_actions(game: BatchGame, rng: np.random.Generator) -> Int64:
    """A legal action for every player of every game, all with the same probability; (N, P)."""
    mask = game.legal_action_mask()
    return np.where(mask, rng.random(mask.shape), -1).argmax(axis=2)


def play_random(game: BatchGame, rng: np.random.Generator, steps: int | None = None) -> list[Int64]:
    """Play at random until all games are over, or for some steps; returns the actions."""
    played: list[Int64] = []
    while len(played) != steps and not game.terminated.all():
        played.append(random_actions(game, rng))
        game.step(played[-1])
        assert len(played) < 10_000, "this game does not end"
    return played


def differences(first: Any, second: Any, path: str = "state") -> list[str]:
    """Where two states (nested dicts of arrays and plain values) differ; empty if nowhere."""
    if isinstance(first, dict) and isinstance(second, dict):
        lines = [f"{path}: {key!r} in one only" for key in first.keys() ^ second.keys()]
        for key in first.keys() & second.keys():
            lines += differences(first[key], second[key], f"{path}[{key!r}]")
        return lines
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        if first.shape != second.shape or first.dtype != second.dtype:
            return [f"{path}: {first.dtype}{first.shape}, {second.dtype}{second.shape}"]
        return [] if np.array_equal(first, second) else [f"{path}: other numbers"]
    if type(first) is type(second) and first == second:
        return []
    return [f"{path}: {first!r}, {second!r}"]


def assert_same_state(first: BatchGame, second: BatchGame) -> None:
    """Everything that changes is the same in two batches, to the bit."""
    assert differences(first.state(), second.state()) == []


def rearranged(
    game: BatchGame, observation: np.ndarray, axes: Sequence[str], order: Sequence[int] | np.ndarray
) -> np.ndarray:
    """The observations (N, F) with entry ``order[k]`` of each of those axes in place k."""
    twin = observation.copy()
    before = game.layout.views(observation)
    after = game.layout.views(twin)
    for piece in game.layout.pieces:
        numbers = before[piece.name]
        for position, axis in enumerate(piece.axes, start=1):
            if axis in axes:
                numbers = np.take(numbers, order, axis=position)
        after[piece.name][...] = numbers
    return twin


class InProcessExecutor(Executor):
    """A pool of workers that works in this process."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(function(*args))
        except Exception as error:
            done.set_exception(error)
        return done
