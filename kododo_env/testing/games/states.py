"""Things that are no state of a batch are refused by load_state, and nothing is changed."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.everything import check_same, difference
from kododo_env.testing.games.playing import Subject, turns
from kododo_env.testing.report import Fault

GAMES = 2


def states(subject: Subject) -> str:
    """In the middle of a game: each part of a state lacking, of another kind, or out of place."""
    game = subject.game(GAMES)
    middle = len(list(_played(subject.game(GAMES), subject))) // 2
    for actions, _ in zip(turns(game, subject.rng()), range(middle), strict=False):
        game.step(actions)
    before, tried = copy.deepcopy(game.state()), 0
    for what, wrong in _no_states(game, subject):
        try:
            game.load_state(wrong)
        except ValueError as error:
            if "\n" in str(error):
                raise Fault(f"the message on {what} is not one line: {error}") from error
        except Exception as error:
            raise Fault(
                f"{what} is a {type(error).__name__} in load_state, not a ValueError: {error}"
            ) from error
        else:
            raise Fault(f"load_state takes {what}")
        complaint = f"load_state refuses {what}, but not without a change:"
        check_same(game.state(), before, "state()", complaint)
        tried += 1
    for name, value in before.items():
        if isinstance(value, np.ndarray):
            tried += _harmless(game, before, name)
    return f"{tried} wrong states"


def _harmless(game: BatchGame, state: dict[str, Any], name: str) -> int:
    """An array full of its dtype's largest or smallest number: refused, or played with."""
    kind = state[name].dtype
    bounds = (0, 1) if kind == np.bool_ else (-1e30, 1e30)
    if kind.kind in "iu":
        bounds = (np.iinfo(kind).min, np.iinfo(kind).max)
    for bound in bounds:
        other = game.clone()
        what = f"{name} full of {bound}"
        try:
            other.load_state({**state, name: np.full_like(state[name], bound)})
        except ValueError:
            if difference(other.state(), state, "state()"):
                raise Fault(f"load_state refuses {what}, but not without a change") from None
            continue
        try:
            other.observe()
            for actions in turns(other, np.random.default_rng(0)):
                other.step(actions)
                other.observe()
        except Exception as error:
            raise Fault(
                f"load_state takes {what}, with which the game cannot go on: "
                f"{type(error).__name__}: {error}"
            ) from error
    return len(bounds)


def _played(game: BatchGame, subject: Subject) -> Iterator[None]:
    for actions in turns(game, subject.rng()):
        game.step(actions)
        yield


def _no_states(game: BatchGame, subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    state = game.state()
    yield "nothing", {}
    yield "a state with one more name", {**state, "more": 0}
    yield "a state of another number of games", subject.game(GAMES + 1).state()
    for name, value in state.items():
        yield f"a state without {name}", {n: v for n, v in state.items() if n != name}
        if isinstance(value, np.ndarray):
            others = _no_arrays(value)
        elif name == "rng":
            others = _no_generators(value)
        else:
            others = _no_numbers(beyond=name != "steps_played")
        for what, other in others:
            yield f"{name} {what}", {**state, name: other}


def _no_arrays(array: np.ndarray[Any, Any]) -> Iterator[tuple[str, Any]]:
    yield (
        "as floats" if array.dtype != np.float32 else "as whole numbers",
        array.astype(np.float64 if array.dtype != np.float32 else np.int64),
    )
    yield "as words", array.astype(str)
    yield "as a list", array.tolist()
    yield "with one axis more", array[None]
    yield "of one game less", array[..., :-1]
    if array.dtype.kind == "f":
        yield "full of NaN", np.full_like(array, np.nan)


def _no_numbers(beyond: bool) -> Iterator[tuple[str, Any]]:
    """For a number that says where in the game the batch stands, beyond its end perhaps."""
    for other in (-1, 0.5, float("nan"), True, "0", None, [0], *[10**6, 10**30] * beyond):
        yield f"= {other!r}", other


def _no_generators(state: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "of nothing", {}
    yield "as a number", 0
    yield "of another kind", {**state, "bit_generator": "MT19937"}
    yield "without its inside", {name: state[name] for name in state if name != "state"}
