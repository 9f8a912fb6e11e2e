"""Kododo's evaluation of a round: pure functions over arrays, the game axis last.

Rulebook, "Evaluating and scoring a round". All functions take any number of trailing
axes, so that one call may score many games, or many ways in which one may go on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

NOBODY = -1


def scoring_colour(colour_totals: npt.NDArray[Any], limit: int) -> npt.NDArray[np.int8]:
    """The colour that scores by majority: the highest count below the limit that is alone.

    Clause 2: a colour at or over the limit is out; colours that share the highest
    remaining count are out together, and the next lower count is tried.

    Args:
        colour_totals: Cards on the table by colour, shape (C, ...).
        limit: Counts of so many and more do not score.

    Returns:
        Shape (...): the colour's index, or -1 if none is left.
    """
    count = np.where(colour_totals < limit, colour_totals, 0)
    alone = np.ones(count.shape, np.bool_)
    for first in range(len(count)):
        for second in range(first):
            tied = count[first] == count[second]
            alone[first] &= ~tied
            alone[second] &= ~tied
    count *= alone
    winner = np.where(count.max(axis=0) == 0, NOBODY, count.argmax(axis=0))
    return winner.astype(np.int8)


def kododo_round(kododo_counts: npt.NDArray[Any], kododo_number: int) -> npt.NDArray[np.bool_]:
    """Clause 1: whether exactly the Kododo number of Kododo cards lies on the table.

    Args:
        kododo_counts: Kododo cards each player laid, shape (P, ...).
        kododo_number: The exact number.

    Returns:
        Shape (...).
    """
    exact: npt.NDArray[np.bool_] = kododo_counts.sum(axis=0, dtype=np.int16) == kododo_number
    return exact


def score_round(
    counts: npt.NDArray[Any],
    points: npt.NDArray[Any],
    kododo_counts: npt.NDArray[Any],
    kododo_number: int,
    limit: int,
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """What each player scores in a round, and how many cards go to the score pile.

    Args:
        counts: Cards each player laid by colour, shape (P, C, ...).
        points: Their values added up, shape (P, C, ...).
        kododo_counts: Kododo cards each player laid, shape (P, ...).
        kododo_number: The exact number of clause 1.
        limit: The limit of clause 2.

    Returns:
        Points and cards, each of shape (P, ...).
    """
    colour = scoring_colour(counts.sum(axis=0, dtype=np.int16), limit)
    index = np.broadcast_to(np.maximum(colour, 0), counts[:, :1].shape).astype(np.intp)
    some = colour != NOBODY
    by_points = np.take_along_axis(points, index, axis=1)[:, 0] * some
    by_cards = np.take_along_axis(counts, index, axis=1)[:, 0] * some
    exact = kododo_round(kododo_counts, kododo_number)
    # A Kododo card is worth 1, so points and cards are the same number.
    return (
        np.where(exact, kododo_counts, by_points).astype(np.int16),
        np.where(exact, kododo_counts, by_cards).astype(np.int16),
    )
