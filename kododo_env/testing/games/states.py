"""The check that ``load_state`` rejects invalid states without changing the game."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.differences import check_same, difference
from kododo_env.testing.games.subject import Subject, play, rejection, turns
from kododo_env.testing.report import Fault

GAMES = 2


def states(subject: Subject) -> str:
    """Load invalid states in the middle of a game: with missing, wrong or misshapen entries."""
    game = subject.game(GAMES)
    play(game, subject.rng(), max(subject.stops(GAMES)) // 2)
    before = copy.deepcopy(game.state())
    tried = 0
    for label, wrong in _invalid_states(game, subject):
        rejection(partial(game.load_state, wrong), f"load_state with {label}")
        prefix = f"load_state rejects {label} but changes the game:"
        check_same(game.state(), before, "state()", prefix)
        tried += 1
    for name, array in before.items():
        if isinstance(array, np.ndarray):
            tried += _check_extremes(game, before, name)
    return f"{tried} wrong states"


def _check_extremes(game: BatchGame, state: dict[str, Any], name: str) -> int:
    """Load arrays full of extreme numbers, which must be rejected or playable."""
    dtype = state[name].dtype
    bounds = (0, 1) if dtype == np.bool_ else (-1e30, 1e30)
    if dtype.kind in "iu":
        bounds = (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for bound in bounds:
        changed = game.clone()
        label = f"{name} full of {bound}"
        try:
            changed.load_state({**state, name: np.full_like(state[name], bound)})
        except ValueError:
            if difference(changed.state(), state, "state()"):
                raise Fault(f"load_state rejects {label} but changes the game") from None
            continue
        try:
            changed.observe()
            for actions in turns(changed, np.random.default_rng(0)):
                changed.step(actions)
                changed.observe()
        except Exception as error:
            raise Fault(
                f"load_state accepts {label}, but then the game fails: "
                f"{type(error).__name__}: {error}"
            ) from error
    return len(bounds)


def _invalid_states(game: BatchGame, subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    state = game.state()
    yield "an empty state", {}
    yield "a state with one more name", {**state, "more": 0}
    yield "a state of another number of games", subject.game(GAMES + 1).state()
    for name, entry in state.items():
        yield f"a state without {name}", {key: state[key] for key in state if key != name}
        if isinstance(entry, np.ndarray):
            substitutes = _invalid_arrays(entry)
        elif name == "rng":
            substitutes = _invalid_generators(entry)
        else:
            substitutes = _invalid_numbers(bounded=name != "steps_played")
        for label, substitute in substitutes:
            yield f"{name} {label}", {**state, name: substitute}


def _invalid_arrays(array: np.ndarray[Any, Any]) -> Iterator[tuple[str, Any]]:
    if array.dtype == np.float32:
        yield "as integers", array.astype(np.int64)
    else:
        yield "as floats", array.astype(np.float64)
    yield "as strings", array.astype(str)
    yield "as a list", array.tolist()
    yield "with one axis more", array[None]
    yield "of one game less", array[..., :-1]
    if array.dtype.kind == "f":
        yield "full of NaN", np.full_like(array, np.nan)


def _invalid_numbers(bounded: bool) -> Iterator[tuple[str, Any]]:
    """Yield invalid substitutes for a number of steps, which may have an upper bound."""
    too_large = [10**6, 10**30] if bounded else []
    for substitute in (-1, 0.5, float("nan"), True, "0", None, [0], *too_large):
        yield f"= {substitute!r}", substitute


def _invalid_generators(state: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "as an empty dictionary", {}
    yield "as a number", 0
    yield "of another kind", {**state, "bit_generator": "MT19937"}
    yield "without its inner state", {name: state[name] for name in state if name != "state"}
