"""The check of observations: they match the layout, and later steps do not change them."""

from __future__ import annotations

from functools import partial

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.games.subject import Subject, rejection, turns
from kododo_env.testing.report import Fault

GAMES = 3


def observations(subject: Subject) -> str:
    """Check shape, dtype and maxima after each step, and that steps do not change old arrays."""
    game = subject.game(GAMES)
    observed = _well_formed(game, "after the deal")
    for actions in turns(game, subject.rng()):
        before = observed.copy()
        game.step(actions)
        after = _well_formed(game, f"after step {game.steps_played}")
        if not np.array_equal(observed, before):
            raise Fault(f"step {game.steps_played} changes an earlier observation")
        observed = after
    return f"{game.steps_played + 1} observations of {game.layout.size} numbers for each player"


def _well_formed(game: BatchGame, when: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    shape = (game.num_envs, game.num_players, game.layout.size)
    observed = game.observe()
    if (observed.shape, observed.dtype) != (shape, game.layout.dtype):
        expected = f"{game.layout.dtype} {shape}"
        raise Fault(f"{when} observe() is {observed.dtype} {observed.shape}, not {expected}")
    over = np.argwhere(observed > game.layout.maxima)
    if len(over):
        env, player, place = (int(coordinate) for coordinate in over[0])
        raise Fault(
            f"{when} the observation has {observed[env, player, place]} as {piece_at(game, place)}"
        )
    rows = np.full(shape, 99, np.float32)
    if game.observe(out=rows) is not rows or not np.array_equal(rows, observed):
        raise Fault(f"{when} observe(out=) does not fill the array")
    misshapen = np.empty(shape[:2], np.float32)
    rejection(partial(game.observe, out=misshapen), f"{when} observe(out=) of another shape")
    last = [game.num_players - 1]
    if not np.array_equal(game.observe(seats=last), observed[:, last]):
        raise Fault(f"{when} observe(seats={last}) differs from that player's row of observe()")
    return observed


def piece_at(game: BatchGame, place: int) -> str:
    """Return the place of a number of the observation in its piece, and the piece's maximum."""
    piece = next(
        piece for piece in game.layout.pieces if place < game.layout.where(piece.name).stop
    )
    number = place - game.layout.where(piece.name).start
    return f"number {number} of {piece.name!r}, whose maximum is {piece.maximum}"
