"""Kododo's evaluation of a round: pure functions of arrays with the game axis last.

See the rulebook, "Evaluating and scoring a round". All functions accept any number of trailing
axes, so that one call can score many games, or many continuations of a game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Int8

NOBODY = -1
"""The value in place of a colour if no colour scores."""


def scoring_colours(colour_totals: Array, limit: Any) -> Bool:
    """Return the colour that scores by majority, if any, as a mask with at most one True.

    This is clause 2 of the rulebook. Colours at or above the limit do not score. If several colours
    share the highest count that remains, none of them scores, and the next lower count is tried.
    Therefore the scoring colour has the highest count that is below the limit, above 0 and
    different from the counts of all other colours.

    Args:
        colour_totals: Cards on the table by colour, shape (C, ...).
        limit: Counts from this number on do not score.

    Returns:
        Shape (C, ...).
    """
    # Bools as bytes, since numpy multiplies arrays of equal dtype faster.
    count = colour_totals * (colour_totals < limit).view(np.uint8)
    alone = np.add.reduce(count[:, None] == count, axis=1, dtype=np.uint8) == 1
    count *= alone.view(np.uint8)
    return count == np.maximum.reduce(count, axis=0, initial=1)


def scoring_colour(colour_totals: Array, limit: int) -> Int8:
    """Return the colour that ``scoring_colours`` marks, shape (...); -1 if none scores."""
    wins = scoring_colours(colour_totals, limit)
    return np.where(wins.any(axis=0), wins.argmax(axis=0), NOBODY).astype(np.int8)


def kododo_round(kododo_total: Any, kododo_number: Any) -> Any:
    """Return whether clause 1 applies: the Kododo cards on the table are exactly that many."""
    return kododo_total == kododo_number


def score_round(laid: Array, total: Array, kododo_number: Any, limit: Any) -> tuple[Array, Array]:
    """Return the points of each player in a round, and the number of cards for the score pile.

    Args:
        laid: The cards that each player laid, shape (P, 2 * C + 1, ...): cards by colour, Kododo
            cards, and sums of the values by colour.
        total: The cards of all players, shape (C + 1, ...): cards by colour, Kododo cards.
        kododo_number: The number of Kododo cards with which clause 1 applies.
        limit: The limit of clause 2.

    Returns:
        Points and cards, each of shape (P, ...), in the dtype of ``laid``.
    """
    colours = len(total) - 1
    exact = kododo_round(total[colours:], kododo_number)
    wins = scoring_colours(total[:colours], limit) > exact
    # Kododo cards are worth 1 point each, so that their count is also their points.
    gained = laid * np.concatenate((wins, exact, wins)).view(np.uint8)
    points = np.add.reduce(gained[:, colours:], axis=1, dtype=laid.dtype)
    return points, np.add.reduce(gained[:, : colours + 1], axis=1, dtype=laid.dtype)
