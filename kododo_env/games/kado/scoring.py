"""KADO's tableau: where a card may go and its points; pure functions, the game axis last.

Rulebook, "Score" and "Organisation du tableau". A tableau lies on a board so large that it
fits whichever way it grows; where its final frame lies shows only as cards go down. Scoring
needs three sums of it: by row and gift the values, by column and ribbon the
number of cards, and by column the highest value. All functions take any number of trailing
axes.
"""

from __future__ import annotations

import numpy as np

from kododo_env.core.arrays import Array, Bool, Int16
from kododo_env.games.kado.rules import Rules


def open_cells(filled: Bool) -> Bool:
    """Where the next card may go: next to a card, within a frame that holds all cards.

    Both are shaped (P, 2R - 1, 2C - 1, ...) for a frame of R x C. The first card lies in the
    middle, so that in an empty tableau it may go there alone.
    """
    near = np.zeros_like(filled)
    near[:, 1:] = filled[:, :-1]
    near[:, :-1] |= filled[:, 1:]
    near[:, :, 1:] |= filled[:, :, :-1]
    near[:, :, :-1] |= filled[:, :, 1:]
    near[:, near.shape[1] // 2, near.shape[2] // 2] = True
    near &= ~filled
    # A frame is rows times columns, so that each can be looked at alone.
    near &= _within_reach(np.logical_or.reduce(filled, axis=2))[:, :, None]
    near &= _within_reach(np.logical_or.reduce(filled, axis=1))[:, None]
    return near


def within_frame(filled: Bool) -> Bool:
    """Whether all cards lie within some frame around the middle of the board: (P, ...)."""
    fits = np.ones((len(filled), *filled.shape[3:]), np.bool_)
    for axis in (1, 2):
        used = np.logical_or.reduce(filled, axis=3 - axis)
        fits &= ~(used & ~_within_reach(used)).any(axis=1)
    return fits


def _within_reach(used: Bool) -> Bool:
    """Which rows some frame holds besides all used ones: (P, 2R - 1, ...), or columns.

    The used rows follow each other and include the middle one, so a row above the middle
    is out of reach just if the row R below it is used.
    """
    size = used.shape[1] // 2 + 1
    reach = np.ones_like(used)
    reach[:, : size - 1] = ~used[:, size:]
    reach[:, size:] = ~used[:, : size - 1]
    return reach


def parted(sums: Array, rules: Rules) -> tuple[Array, Array, Array]:
    """The sums of tableaus, (P, ``num_sums``, ...), by kind; views of them.

    Returns:
        By row and gift the values (P, rows, G, ...), by column and ribbon the number of cards
        (P, columns, B, ...), and by column the highest value (P, columns, ...).
    """
    rows = rules.board_rows
    columns = rules.board_columns
    players = len(sums)
    num = sums.shape[2:]
    points = rows * rules.num_gifts
    best = rules.num_sums - columns
    return (
        sums[:, :points].reshape(players, rows, rules.num_gifts, *num),
        sums[:, points:best].reshape(players, columns, rules.num_ribbons, *num),
        sums[:, best:],
    )


def on_board(cells: Array, rules: Rules) -> Array:
    """Cells, (P, cells, ...), by row and column of the board; a view of them."""
    return cells.reshape(len(cells), rules.board_rows, rules.board_columns, *cells.shape[2:])


def score(sums: Array, rules: Rules) -> Int16:
    """The points of tableaus, (P, ...), for rows and columns; their sums are as for ``parted``."""
    row_points, column_ribbons, column_best = parted(sums, rules)
    return score_rows(row_points) + score_columns(column_ribbons, column_best, rules.num_rows)


def score_rows(row_points: Array) -> Int16:
    """The points of rows, (P, ...): of each the gift whose values, (P, rows, G, ...), are most."""
    best = np.maximum.reduce(row_points, axis=2)
    points: Int16 = np.add.reduce(best, axis=1, dtype=np.int16)
    return points


def score_columns(column_ribbons: Array, column_best: Array, num_rows: int) -> Int16:
    """The points of columns, (P, ...): of a full one with a single ribbon its highest value.

    Cards are counted in (P, columns, B, ...), highest values are (P, columns, ...), and a full
    column has ``num_rows`` cards.
    """
    single_ribbon = np.logical_or.reduce(column_ribbons == num_rows, axis=2)
    points: Int16 = np.add.reduce(column_best * single_ribbon, axis=1, dtype=np.int16)
    return points
