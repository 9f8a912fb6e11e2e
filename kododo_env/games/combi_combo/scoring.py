"""Combi-Combo's score: pure functions of arrays of hands.

See the rulebook, "Fin du jeu". A hand is an array of counts by colour and value, shape (C, 4, ...),
with any number of trailing axes, so that one call can score many actual or possible hands. A card
may count in several lines.
"""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Int16, Uint8
from kododo_env.games.combi_combo.rules import VALUES, Rules

ONE, TWO, THREE, FOUR = range(4)
LINES = ("ones", "sequences", "twos", "threes", "fours")
"""The lines of the score, in order."""


def by_colour(hands: Uint8, rules: Rules) -> Uint8:
    """Reshape hands by type, (P, C * 4, N), to colours and values, (C, 4, P, N)."""
    return hands.reshape(len(hands), rules.num_colours, VALUES, -1).transpose(1, 2, 0, 3)


def held(hand: Array, value: int) -> Int16:
    """Count the cards of a value (0 for the 1s) in hand: (...) from (C, 4, ...)."""
    return hand[:, value].sum(axis=0, dtype=np.int16)


def most_ones(num_ones: Array) -> Bool:
    """Return a mask of the player who has more 1s than every other player.

    Args:
        num_ones: The number of 1s in each player's hand, shape (P, ...).

    Returns:
        Shape (P, ...), True for at most one player; False for all if several have the most.
    """
    leads = num_ones == num_ones.max(axis=0)
    return leads & (leads.sum(axis=0, dtype=np.int16) == 1)


def sequence_points(hand: Array, rules: Rules) -> Int16:
    """Return the points for colours held in all four values: (...) from (C, 4, ...)."""
    complete: Int16 = (hand > 0).all(axis=1).sum(axis=0, dtype=np.int16)
    return complete * np.int16(rules.sequence_points)


def twos_points(hand: Array, rules: Rules) -> Int16:
    """Return the points for series of 2s, of any colours: (...) from (C, 4, ...)."""
    return held(hand, TWO) // np.int16(rules.twos_in_series) * np.int16(rules.twos_points)


def threes_points(hand: Array, rules: Rules) -> Int16:
    """Return the points for 3s, their number minus ``threes_par``: (...) from (C, 4, ...)."""
    return held(hand, THREE) - np.int16(rules.threes_par)


def fours_points(hand: Array, rules: Rules) -> Int16:
    """Return the points for 4s of different colours: (...) from (C, 4, ...)."""
    different = (hand[:, FOUR] > 0).sum(axis=0, dtype=np.int16)
    return np.array(rules.fours_points, np.int16)[different]


def own_points(hand: Array, rules: Rules) -> Int16:
    """Return the points of a hand without the 1s, which depend on other hands: (...)."""
    return (
        sequence_points(hand, rules)
        + twos_points(hand, rules)
        + threes_points(hand, rules)
        + fours_points(hand, rules)
    )


def score_lines(hands: Array, rules: Rules) -> Int16:
    """Return all lines of the scores of all players.

    Args:
        hands: Shape (C, 4, P, ...).
        rules: The points.

    Returns:
        Shape (5, P, ...), in the order of ``LINES``.
    """
    ones_points = most_ones(held(hands, ONE)) * np.int16(rules.ones_points)
    return np.stack(
        [
            ones_points,
            sequence_points(hands, rules),
            twos_points(hands, rules),
            threes_points(hands, rules),
            fours_points(hands, rules),
        ]
    )


def score_hands(hands: Array, rules: Rules) -> Int16:
    """Return the scores of all players: (P, ...) from (C, 4, P, ...)."""
    return score_lines(hands, rules).sum(axis=0, dtype=np.int16)
