"""Masks of legal actions, and checks of actions against them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Bool, Int64, Intp
from kododo_env.arrays.rows import all_true, blocks, column, numbers
from kododo_env.checks.numbers import whole_numbers


class IllegalAction(ValueError):
    """Raised when an action is not legal now."""


def shared_row(mask: Bool) -> Bool | None:
    """Return the row (A,) that a broadcast mask (..., A) repeats; None if it has several rows."""
    return None if any(mask.strides[:-1]) or not mask.size else mask[(0,) * (mask.ndim - 1)]


def same_for_all(row: Bool, shape: tuple[int, ...]) -> Bool:
    """Broadcast a row (A,) to a mask (..., A), read-only if the row is.

    Faster than numpy's ``broadcast_to``.
    """
    return np.ndarray(shape, np.bool_, row, 0, (*[0] * (len(shape) - 1), 1))


def first_legal(mask: Bool) -> Int64:
    """Return the lowest legal action in each row of a mask (..., A).

    Faster than ``argmax`` where games come last in memory.
    """
    if (row := shared_row(mask)) is not None:
        return np.full(mask.shape[:-1], row.argmax())
    actions = mask.shape[-1]
    places = np.arange(actions, 0, -1, dtype=np.min_scalar_type(actions))
    return actions - (mask.view(np.uint8) * places).max(axis=-1).astype(np.int64)


def legal_actions(
    actions: npt.ArrayLike, mask: Bool, name: str, describe: Callable[[int], str]
) -> Intp:
    """Check the actions of all players and return them with games last, (P, N).

    Args:
        actions: Action numbers, (N, P).
        mask: True = legal, (N, P, A).
        name: The name of the game, for messages.
        describe: Returns the description of an action.

    Raises:
        ValueError: ``actions`` has the wrong shape or dtype.
        IllegalAction: An action is not legal.
    """
    numbers_by_game = whole_numbers(actions, f"actions of {name}")
    if numbers_by_game.shape != mask.shape[:2]:
        raise ValueError(
            f"actions of {name} must have shape {mask.shape[:2]}, not {numbers_by_game.shape}"
        )
    chosen = np.ascontiguousarray(numbers_by_game.T, np.intp)
    if len(mask) == 1 and legal_in_one(chosen[:, 0].tolist(), mask):
        return chosen
    for games in blocks(len(mask)):
        if not all_true(legal := _legal(chosen[:, games], mask[games])):
            env, player = np.argwhere(~legal.T)[0].tolist()
            raise _illegal(chosen, mask, games.start + env, player, name, describe)
    return chosen


def legal_in_one(chosen: list[int], mask: Bool) -> bool:
    """Return whether all actions are legal by the mask (..., P, A) of one game; a fast path."""
    legal = mask.tobytes()
    size = mask.shape[-1]
    for player, action in enumerate(chosen):
        if not 0 <= action < size or not legal[player * size + action]:
            return False
    return True


def _legal(chosen: Intp, mask: Bool) -> Bool:
    """Whether actions (P, N), which may be any integers, are legal; (P, N)."""
    exists = chosen.view(np.uintp) < mask.shape[2]  # negative numbers are very large as unsigned
    if (row := shared_row(mask)) is not None:
        legal: Bool = row.take(chosen, mode="clip")
    else:
        clipped = np.where(exists, chosen, 0)
        legal = mask[numbers(len(mask)), column(len(chosen), np.intp), clipped]
    legal &= exists
    return legal


def _illegal(
    chosen: Intp, mask: Bool, env: int, player: int, name: str, describe: Callable[[int], str]
) -> IllegalAction:
    action = int(chosen[player, env])
    legal = np.flatnonzero(mask[env, player])
    meaning = describe(action) if 0 <= action < mask.shape[2] else "no such action"
    return IllegalAction(
        f"illegal action in {name}: game {env}, player {player}, action {action} "
        f"({meaning}); legal now: {', '.join(map(str, legal))}"
    )
