"""Pairwise win shares and ratings, from games with any number of players.

The model is Luce's: an agent's probability to win a game is its strength divided by the sum of the
strengths of all players (the first stage of Plackett and Luce; with two players, Bradley and
Terry). Of the games that one of two agents wins, the first wins therefore its strength divided by
the sum of both, regardless of the other players. This is why a game can be split into pairs of
players. A win that several players share counts in part for each.
"""

from __future__ import annotations

from itertools import combinations
from math import log, nan

import numpy as np

from kododo_env.arena.intervals import Estimate, share
from kododo_env.arrays.dtypes import Float64

POINTS = 400 / log(10)  # as in Elo's scale: 400 points are odds of ten to one
MOST_ROUNDS = (
    1500  # usually 20 suffice, but not for a long chain of agents who beat all weaker ones
)
REFERENCE = "random"  # the agent whose rating is 0, if it takes part


def pair_shares(won: Float64, seats: Float64) -> list[list[Estimate]]:
    """Return, for each pair of K agents, the first agent's share of the pair's wins.

    Only games in which both agents play count.

    Args:
        won: The win shares of each agent in each deal, summed over its seats, shape (D, K).
        seats: The number of seats of each agent in each deal, shape (D, K).

    Returns:
        K rows of K estimates: the share of the row's agent in its wins and those of the column's
        agent, per seat; nan on the diagonal and for pairs that never met or never won.
    """
    agents = range(won.shape[1])
    return [[_pair_share(won, seats, row, column) for column in agents] for row in agents]


def _pair_share(won: Float64, seats: Float64, row: int, column: int) -> Estimate:
    if row == column:
        return Estimate(nan, nan, nan)
    # Per seat: with copies, each win counts against every seat of the other agent.
    row_won = won[:, row] * seats[:, column]
    column_won = won[:, column] * seats[:, row]
    return share(row_won, row_won + column_won)


def ratings(
    won: Float64, seats: Float64, names: tuple[str, ...], seed: int = 0, samples: int = 400
) -> list[Estimate]:
    """Return ratings by maximum likelihood over all pairs; 400 points mean odds of ten to one.

    Half a win is added to each agent of each pair, so that agents that won or lost everything have
    a finite rating.

    Args:
        won: The win shares of each agent in each deal, summed over its seats, shape (D, K).
        seats: The number of seats of each agent in each deal, shape (D, K).
        names: The agents' names. ``random`` has the rating 0; without it, the mean rating is 0.
        seed: The seed of the bootstrap.
        samples: The number of bootstrap samples, each of whole deals, for the intervals.

    Returns:
        A rating for each of the K agents.
    """
    zero = names.index(REFERENCE) if REFERENCE in names else None
    fitted = _fit(won.T @ seats, zero)
    rng = np.random.default_rng(seed)
    num = len(won)
    drawn = np.empty((samples, len(names)))
    for sample in range(samples):
        times = np.bincount(rng.integers(num, size=num), minlength=num)
        drawn[sample] = _fit((won * times[:, None]).T @ seats, zero)
    # A single deal has no spread between deals, nor have deals with equal results.
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    has_interval = (np.add.reduce(seats > 0, axis=0) > 1) & (np.ptp(drawn, axis=0) > 1e-9)
    if zero is not None:
        has_interval[zero] = num > 1  # by definition
    low[~has_interval] = high[~has_interval] = nan
    return [Estimate(*map(float, numbers)) for numbers in zip(fitted, low, high, strict=True)]


def _fit(beaten: Float64, zero: int | None) -> Float64:
    """Return ratings (K,) from a matrix (K, K) of how often the row's agent beat the column's.

    Newton's method, in which no step moves two agents apart by more than 1: within that distance
    the curvature changes by at most a known factor, so each step improves (F. Bach,
    "Self-concordant analysis for logistic regression", 2010).
    """
    counts = beaten + 0.5
    np.fill_diagonal(counts, 0.0)
    met = counts + counts.T
    strengths = np.zeros(len(counts))  # logarithms; only differences count, so the first stays 0
    for _ in range(MOST_ROUNDS):
        probabilities = np.exp(-np.logaddexp(0, strengths - strengths[:, None]))
        slope = (counts - met * probabilities).sum(axis=1)
        spread = met * probabilities * probabilities.T
        curvature = np.diag(spread.sum(axis=1)) - spread
        step = np.append(0, np.linalg.solve(curvature[1:, 1:], slope[1:]))
        strengths += step / max(1, np.ptp(step))
        if np.ptp(step) < 1e-9:
            break
    points: Float64 = POINTS * strengths
    points -= points.mean() if zero is None else points[zero]
    return points


def intransitive_triples(pairs: list[list[Estimate]]) -> list[tuple[int, int, int]]:
    """Return triples of agents (a, b, c) in which a beats b, b beats c, and c beats a.

    An agent beats another if the interval of its share in ``pairs`` is above one half.
    """
    triples = [
        triple
        for i, j, k in combinations(range(len(pairs)), 3)
        for triple in ((i, j, k), (i, k, j))
    ]
    return [
        (a, b, c)
        for a, b, c in triples
        if all(pairs[winner][loser].low > 0.5 for winner, loser in ((a, b), (b, c), (c, a)))
    ]
