"""Observations are as the layout says, and belong to the caller who asked for them."""

from __future__ import annotations

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.games.playing import Subject, turns
from kododo_env.testing.report import Fault

GAMES = 3


def observations(subject: Subject) -> str:
    """Shape, dtype and bounds after every step; one that was handed out stays as it was."""
    game, steps = subject.game(GAMES), 0
    seen = _well_formed(game, "after the deal")
    for actions in turns(game, subject.rng()):
        kept = seen.copy()
        game.step(actions)
        steps += 1
        after = _well_formed(game, f"after step {steps}")
        if not np.array_equal(seen, kept):
            raise Fault(f"step {steps} changes an observation that was handed out before it")
        seen = after
    return f"{steps + 1} observations of {game.layout.size} numbers for each player"


def _well_formed(game: BatchGame, when: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    shape = (game.num_envs, game.num_players, game.layout.size)
    seen = game.observe()
    if (seen.shape, seen.dtype) != (shape, game.layout.dtype):
        wanted = f"{game.layout.dtype} {shape}"
        raise Fault(f"{when} observe() is {seen.dtype} {seen.shape}, not {wanted}")
    over = np.argwhere(seen > game.layout.maxima)
    if len(over):
        env, player, place = (int(k) for k in over[0])
        raise Fault(f"{when} {seen[env, player, place]} is observed in {piece_at(game, place)}")
    rows = np.full(shape, 99, np.float32)
    if game.observe(out=rows) is not rows or not np.array_equal(rows, seen):
        raise Fault(f"{when} observe(out=) does not fill the array that it is given")
    _refused(game, np.empty(shape[:2], np.float32), when)
    last = [game.num_players - 1]
    if not np.array_equal(game.observe(seats=last), seen[:, last]):
        raise Fault(f"{when} observe(seats={last}) is not what that player sees in observe()")
    return seen


def _refused(
    game: BatchGame, out: np.ndarray[tuple[int, ...], np.dtype[np.float32]], when: str
) -> None:
    try:
        game.observe(out=out)
    except ValueError:
        return
    raise Fault(f"{when} observe(out=) takes an array of the shape {out.shape}")


def piece_at(game: BatchGame, place: int) -> str:
    """The piece in which a number of the observation lies, and its maximum, in words."""
    piece = next(p for p in game.layout.pieces if place < game.layout.where(p.name).stop)
    return f"{piece.name!r}, whose maximum is {piece.maximum}"
