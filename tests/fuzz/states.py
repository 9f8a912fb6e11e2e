"""States of which some entries are wrong, given to ``load_state``."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.expected import ACCEPTED, REFUSED, Wrong, refuses
from tests.fuzz.odd import STRANGE, WHOLE, value_of
from tests.fuzz.playing import play_out, position, random_position
from tests.helpers import differences

DTYPES = (
    "float64",
    "float32",
    "int64",
    "int8",
    "uint8",
    "bool",
    "object",
    "S4",
    "U4",
    "m8[s]",
    "f2",
)
NUMBERS = ("0", "1", "-1", "2", "5", "99", "127", "200", "254", "255", "-128", "30000", "-32768")


def generate(rng: Random) -> dict[str, Any]:
    """Two positions, and what is changed in the state that goes from one to the other."""
    given = random_position(rng)
    names = [*position(given, num_envs=1, steps=0).state()]
    given["into"] = rng.choice((0, 1, 4, 12))
    given["edits"] = some_edits(rng, [*names, "rng", "rng"])
    return given


def some_edits(rng: Random, names: list[str]) -> list[Any]:
    """A few changes of the entries of these names."""
    return [_edit(rng, names) for _ in range(rng.choice((1, 1, 1, 2, 3)))]


def _edit(rng: Random, names: list[str]) -> list[Any]:
    """``[entry, what, where (a share), an expression]``."""
    name = rng.choice(names)
    what = rng.choice((
        "put", "element", "element", "element", "element", "near", "swap", "swap", "dtype",
        "shape", "fill", "roll", "drop", "rename", "inside",
    ))  # fmt: skip
    value = {
        "put": rng.choice((*STRANGE, *WHOLE)), "dtype": repr(rng.choice(DTYPES)),
        "element": rng.choice(NUMBERS), "fill": rng.choice(NUMBERS), "near": rng.choice("12"),
        "shape": rng.choice(("a[:-1]", "a[..., :-1]", "a[None]", "a.T", "a.ravel()", "a[..., :1]",
                             "np.repeat(a, 2, 0)", "np.asfortranarray(a)", "a[::-1]", "a[..., :0]",
                             "np.broadcast_to(a[..., :1], a.shape)", "np.ma.array(a)")),
        "inside": rng.choice((*STRANGE, *WHOLE, "'MT19937'")),
    }.get(what, "0")  # fmt: skip
    return [name, what, rng.random(), value]


def edited(state: dict[str, Any], edits: list[Any]) -> dict[str, Any]:
    """A state after changes."""
    state = dict(state)
    for name, what, share, text in edits:
        if name not in state:
            continue
        if what in ("drop", "rename"):
            old = state.pop(name)
            if what == "rename":
                state[f"{name}_"] = old
        else:
            state[name] = _changed(state[name], what, share, text)
    return state


def _changed(entry: Any, what: str, share: float, text: str) -> Any:
    if isinstance(entry, dict):
        key = list(entry)[int(share * len(entry))]
        if isinstance(entry[key], dict):
            return {**entry, key: _changed(entry[key], what, (share * 97) % 1, text)}
        return {**entry, key: value_of(text, a=entry[key])}
    if what in ("put", "inside"):
        return value_of(text, a=entry)
    if not isinstance(entry, np.ndarray):
        return entry + int(text) if what == "near" else type(entry)(value_of(text, a=entry))
    if what == "dtype":
        return entry.astype(value_of(text))
    if what == "shape":
        return value_of(text, a=entry)
    return _renumbered(entry, what, share, text)


def _renumbered(entry: np.ndarray, what: str, share: float, text: str) -> np.ndarray:
    """An array of the same shape and dtype with other numbers."""
    entry, flat = entry.copy(), entry.size
    if what == "roll":
        return np.roll(entry, 1, axis=0)
    number = np.array(int(text)).astype(entry.dtype)
    place = int(share * flat)
    if what == "fill":
        entry[...] = number
    elif what == "near":
        entry.flat[place] += number
    elif what == "element":
        entry.flat[place] = number
    elif flat:
        other = int((share * 97) % 1 * flat)
        entry.flat[place], entry.flat[other] = entry.flat[other], entry.flat[place]
    return entry


def check(given: dict[str, Any], base: Path) -> str:
    """It is refused and nothing is changed, or what was accepted is a game."""
    try:
        state = edited(position(given).state(), given["edits"])
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return "no case"  # such a change cannot be made
    game = position(given, steps=given["into"])
    before = game.state()
    if refuses(lambda: game.load_state(state)):
        if differences(before, game.state()):
            raise Wrong("a state was refused, but changed something")
        return REFUSED
    after = game.state()
    for name, value in before.items():
        same = type(after[name]) is type(value)
        if not same or getattr(after[name], "dtype", 0) != getattr(value, "dtype", 0):
            raise Wrong("a state has another type after loading", name)
    play_out(game, given["seed"])
    return ACCEPTED
