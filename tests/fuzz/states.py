"""States with invalid entries, passed to ``load_state``."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.odd_values import STRANGE, WHOLE, value_of
from tests.fuzz.promises import ACCEPTED, REFUSED, FaultFound, refuses
from tests.fuzz.random_play import play_out, position, random_position
from tests.helpers import differences

NUMBERS = ("0", "1", "-1", "2", "5", "99", "127", "200", "254", "255", "-128", "30000", "-32768")
DTYPES = "float64 float32 int64 int8 uint8 bool object S4 U4 m8[s] f2"
# Expressions of replacements of an entry ``a``, by its type.
OF_ARRAYS = (
    "put(a, {share}, {number})", "put(a, {share}, {number})", "put(a, {share}, {number})",
    "near(a, {share}, 1)", "near(a, {share}, 2)", "swapped(a, {share})", "swapped(a, {share})",
    "{odd}", "{whole}", "np.roll(a, 1, 0)", "a.astype('{dtype}')",
    "np.full_like(a, np.array({number}).astype(a.dtype))",
    "a[:-1]", "a[..., :-1]", "a[None]", "a.T", "a.ravel()", "a[..., :1]", "np.repeat(a, 2, 0)",
    "np.asfortranarray(a)", "a[::-1]", "a[..., :0]", "np.broadcast_to(a[..., :1], a.shape)",
    "np.ma.array(a)",
)  # fmt: skip
OF_GENERATORS = (
    "{odd}", "{**a, 'bit_generator': {odd}}", "{**a, 'has_uint32': {whole}}",
    "{**a, 'state': {odd}}", "{**a, 'state': {**a['state'], 'inc': {whole}}}",
    "{**a, 'state': {**a['state'], 'state': {odd}}}",
)  # fmt: skip
OF_NUMBERS = ("{odd}", "{whole}", "{number}", "a + 1", "a - 1")


def generate(rng: Random) -> dict[str, Any]:
    """Return two positions, and the changes of the state that the second one loads."""
    case = random_position(rng)
    state = position(case, num_envs=1, steps=0).state()
    names = [rng.choice([*state, "rng"]) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    edits = [[name, _expression(rng, state[name])] for name in names]
    return {**case, "into": rng.choice((0, 1, 4, 12)), "edits": edits}


def _expression(rng: Random, entry: Any) -> str:
    kinds = {np.ndarray: OF_ARRAYS, dict: OF_GENERATORS}
    text = rng.choice(kinds.get(type(entry), OF_NUMBERS))
    for name, values in {"odd": STRANGE, "whole": WHOLE, "number": NUMBERS}.items():
        text = text.replace(f"{{{name}}}", f"({rng.choice(values)})")
    return text.replace("{dtype}", rng.choice(DTYPES.split())).replace("{share}", f"{rng.random()}")


def replace_number(entry: Any, share: float, number: int) -> Any:
    """Return an array with one number replaced."""
    entry = entry.copy()
    entry.flat[int(share * entry.size)] = np.array(number).astype(entry.dtype)
    return entry


def near(entry: Any, share: float, number: int) -> Any:
    """Return an array with one number increased."""
    return replace_number(entry, share, int(entry.flat[int(share * entry.size)]) + number)


def swapped(entry: Any, share: float) -> Any:
    """Return an array with two numbers swapped."""
    entry = entry.copy()
    places = [int(share * entry.size), int((share * 97) % 1 * entry.size)]
    entry.flat[places] = entry.flat[places[::-1]]
    return entry


def edited(state: dict[str, Any], edits: list[Any]) -> dict[str, Any]:
    """Apply changes to a state."""
    state = dict(state)
    for name, text in edits:
        state[name] = value_of(text, a=state[name], put=replace_number, near=near, swapped=swapped)
    return state


def check(case: dict[str, Any], base: Path) -> str:
    """Check that a state is rejected without a change, or is a valid game."""
    try:
        state = edited(position(case).state(), case["edits"])
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return "no case"  # such a change cannot be made
    game = position(case, steps=case["into"])
    before = game.state()
    if refuses(lambda: game.load_state(state)):
        if differences(before, game.state()):
            raise FaultFound("a state was refused, but changed something")
        return REFUSED
    after = game.state()
    for name, entry in before.items():
        same_type = type(after[name]) is type(entry)
        if not same_type or getattr(after[name], "dtype", 0) != getattr(entry, "dtype", 0):
            raise FaultFound("a state has another type after loading", name)
    play_out(game, case["seed"])
    return ACCEPTED
