"""KADO's tableau: open cells and points, as pure functions with the game axis last.

See the rulebook, "Score" and "Organisation du tableau". The board is large enough for a tableau
that grows in any direction; the position of its final frame results from the cards placed. Scoring
needs three kinds of numbers, called sums: the values by row and gift, the number of cards by column
and ribbon, and the highest value by column. All functions accept any number of trailing axes.
"""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Int16
from kododo_env.games.kado.rules import Rules


def open_cells(filled: Bool) -> Bool:
    """Return the cells for the next card: next to a card, in a frame that includes all cards.

    Input and result have shape (P, 2R - 1, 2C - 1, ...) for a frame of R x C. The first card must
    be placed in the middle.
    """
    near = np.zeros_like(filled)
    near[:, 1:] = filled[:, :-1]
    near[:, :-1] |= filled[:, 1:]
    near[:, :, 1:] |= filled[:, :, :-1]
    near[:, :, :-1] |= filled[:, :, 1:]
    near[:, near.shape[1] // 2, near.shape[2] // 2] = True
    near &= ~filled
    # A frame is a product of rows and columns, which can be checked separately.
    near &= _within_reach(np.logical_or.reduce(filled, axis=2))[:, :, None]
    near &= _within_reach(np.logical_or.reduce(filled, axis=1))[:, None]
    return near


def within_frame(filled: Bool) -> Bool:
    """Return whether some frame includes the middle of the board and all cards, (P, ...)."""
    fits = np.ones((len(filled), *filled.shape[3:]), np.bool_)
    for axis in (1, 2):
        used = np.logical_or.reduce(filled, axis=3 - axis)
        fits &= ~(used & ~_within_reach(used)).any(axis=1)
    return fits


def _within_reach(used: Bool) -> Bool:
    """Which rows (or columns) fit into a frame with all used ones: (P, 2R - 1, ...).

    The used rows are consecutive and include the middle one, so a row above the middle is out of
    reach exactly if the row R below it is used.
    """
    size = used.shape[1] // 2 + 1
    reach = np.ones_like(used)
    reach[:, : size - 1] = ~used[:, size:]
    reach[:, size:] = ~used[:, : size - 1]
    return reach


def parted(sums: Array, rules: Rules) -> tuple[Array, Array, Array]:
    """Split the sums of tableaus, (P, ``num_sums``, ...), by kind, without copying.

    Returns:
        The values by row and gift (P, rows, G, ...), the number of cards by column and ribbon
        (P, columns, B, ...), and the highest value by column (P, columns, ...).
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
    """Reshape cells, (P, cells, ...), to rows and columns of the board, without copying."""
    return cells.reshape(len(cells), rules.board_rows, rules.board_columns, *cells.shape[2:])


def score(sums: Array, rules: Rules) -> Int16:
    """Return the points of tableaus for rows and columns, (P, ...), from their sums."""
    row_points, column_ribbons, column_best = parted(sums, rules)
    return score_rows(row_points) + score_columns(column_ribbons, column_best, rules.num_rows)


def score_rows(row_points: Array) -> Int16:
    """Return the points of rows, (P, ...): the best gift of each row counts, (P, rows, G, ...)."""
    best = np.maximum.reduce(row_points, axis=2)
    return np.add.reduce(best, axis=1, dtype=np.int16)


def score_columns(column_ribbons: Array, column_best: Array, num_rows: int) -> Int16:
    """Return the points of columns, (P, ...): the highest value of full columns of one ribbon.

    Args:
        column_ribbons: The number of cards by column and ribbon, (P, columns, B, ...).
        column_best: The highest value in each column, (P, columns, ...).
        num_rows: The number of cards in a full column.
    """
    single_ribbon = np.logical_or.reduce(column_ribbons == num_rows, axis=2)
    return np.add.reduce(column_best * single_ribbon, axis=1, dtype=np.int16)
