"""Means and shares with 95 % intervals, where one deal is one observation.

The games of a deal (the same deck once for each rotation of the seats) are correlated, so their
mean is one observation, and the variance between deals determines the interval. Duplicate deals
reduce this variance.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import exp, isfinite, lgamma, nan, pi, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Float64, Int64
from kododo_env.checks.numbers import finite_number

RESAMPLES = 1000
LEAST_WIDTH = 1e-6  # the minimum width of a requested interval
MOST_FREEDOM = 10_000  # degrees of freedom above which the normal distribution replaces Student's t


@dataclass(frozen=True)
class Estimate:
    """A mean and the ends of its 95 % interval; an unknown end is nan."""

    mean: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        """Return a dictionary for JSON, with None for nan."""
        numbers = asdict(self).items()
        return {name: number if isfinite(number) else None for name, number in numbers}

    @staticmethod
    def from_json(content: Mapping[str, float | None]) -> Estimate:
        """Return the estimate that ``to_json`` has converted to ``content``."""
        numbers = {name: nan if number is None else number for name, number in content.items()}
        return Estimate(**numbers)

    def texts(self, form: str) -> tuple[str, str]:
        """Return the mean and the interval as text, with a format such as ``".3f"``."""
        low = format(self.low, form)
        high = format(self.high, form)
        is_known = isfinite(self.low)
        return format(self.mean, form), f"{low} to {high}" if is_known else "unknown"


def mean(values: npt.ArrayLike, strata: npt.ArrayLike | None = None) -> Estimate:
    """Return the mean of independent observations, with Student's interval.

    Args:
        values: The observations, shape (D,), D at least 1.
        strata: The stratum of each observation, such as the kind of table, integers, shape (D,).
            The number of observations in each stratum is fixed, so only the variance within strata
            counts. None for one stratum.
    """
    observations = np.asarray(values, np.float64)
    centre = float(observations.mean())
    variance, freedom = _variance(observations - centre, strata)
    half = _student(freedom) * sqrt(variance) / len(observations)
    return Estimate(centre, centre - half, centre + half)


def observations_for(values: npt.ArrayLike, width: float) -> int:
    """Estimate how many observations are needed for an interval of their ``mean``.

    Args:
        values: Observations with the same variance, shape (D,).
        width: The width of the interval from end to end.

    Returns:
        The smallest sufficient number, at least 2.

    Raises:
        ValueError: ``width`` is not between ``LEAST_WIDTH`` and 2, or there is only one
            observation.
    """
    finite_number(width, "width", LEAST_WIDTH, 2)
    observations = np.asarray(values, np.float64)
    if len(observations) < 2:
        raise ValueError("expected at least two deals, got one")
    deviation = float(observations.std(ddof=1))

    def is_enough(number: int) -> bool:
        freedom = min(number - 1, MOST_FREEDOM)
        return 2 * _student(freedom) * deviation <= width * sqrt(number)

    upper = 2
    while not is_enough(upper):
        upper *= 2
    return 2 + bisect_left(range(2, upper), True, key=is_enough)


def share(
    part: npt.ArrayLike, whole: npt.ArrayLike = 1.0, strata: npt.ArrayLike | None = None
) -> Estimate:
    """Return the share sum(part) / sum(whole) over independent observations.

    The interval is Wilson's, for the effective number of independent trials: those that would have
    the variance of these observations. It stays between 0 and 1 and is reliable close to these
    (N. Dean and M. Pagano, "Evaluating confidence interval methods for binomial
    proportions in clustered surveys", 2015).

    Args:
        part: The part that was won in each observation, shape (D,).
        whole: The whole that could be won in each observation, shape (D,), or one number for all;
            observations with 0 are ignored.
        strata: See ``mean``.

    Returns:
        The estimate; mean and ends are nan if sum(whole) is 0.
    """
    won, stake = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    total = float(stake.sum())
    if total == 0:
        return Estimate(nan, nan, nan)
    counts = stake > 0
    centre = float(won[counts].sum()) / total
    kinds = None if strata is None else np.asarray(strata)[counts]
    variance, freedom = _variance((won - centre * stake)[counts], kinds)
    variance /= total**2
    if freedom == 0:
        return Estimate(centre, nan, nan)
    inside = centre * (1 - centre)
    if variance <= 1e-18 and inside > 0:  # all deals have equal results, as with identical agents
        # An upper bound over all deals (Clopper and Pearson).
        half_width = 1 - 0.025 ** (1 / int(counts.sum()))
        return Estimate(centre, centre * (1 - half_width), centre + (1 - centre) * half_width)
    trials = inside / variance if variance > 0 and inside > 0 else int(counts.sum())
    return Estimate(centre, *_wilson(centre, trials, _student(freedom)))


def resampled(deals: Sequence[Int64], whole: int, digits: int) -> dict[str, float]:
    """Return the mean win share over opponents, with an interval by resampling deals.

    All sums are of integers, so that the result is the same on every machine.

    Args:
        deals: For each opponent an array (D,): the agent's part in each deal, integers.
        whole: The whole that can be won in a deal.
        digits: The number of decimal places of the result.

    Returns:
        ``mean``, and the ends ``low`` and ``high`` of an interval with 95 % of the resamples.
    """
    rng = np.random.default_rng(0)
    number = len(deals) * len(deals[0]) * whole
    sums = np.zeros(RESAMPLES, np.int64)
    for opponent_deals in map(np.sort, deals):
        sums += opponent_deals[
            rng.integers(len(opponent_deals), size=(RESAMPLES, len(opponent_deals)))
        ].sum(axis=1)
    in_order = np.sort(sums)
    ends = {
        "mean": sum(map(np.sum, deals)),
        "low": in_order[RESAMPLES // 40],
        "high": in_order[-RESAMPLES // 40 - 1],
    }
    return {name: round(int(end) / number, digits) for name, end in ends.items()}


def _variance(residuals: Float64, strata: npt.ArrayLike | None) -> tuple[float, int]:
    """Return the variance of the sum of residuals (D,), and its degrees of freedom."""
    num = len(residuals)
    kinds = 1
    if strata is not None:
        _, kind, size = np.unique(strata, return_inverse=True, return_counts=True)
        if 2 * len(size) <= num:  # otherwise the strata have too few deals for their means
            kinds = len(size)
            residuals = residuals - (np.bincount(kind, residuals) / size)[kind]
    freedom = num - kinds
    spread = float((residuals**2).sum())
    return (spread * num / freedom, freedom) if freedom > 0 else (nan, 0)


def _wilson(centre: float, trials: float, z: float) -> tuple[float, float]:
    """Return Wilson's interval of a share in a number of independent trials."""
    shrink = 1 + z * z / trials
    middle = (centre + z * z / (2 * trials)) / shrink
    half = z / shrink * sqrt(centre * (1 - centre) / trials + (z / (2 * trials)) ** 2)
    low = max(0.0, middle - half)
    high = min(1.0, middle + half)
    return min(low, centre), max(high, centre)  # rounding may put an end on the wrong side of 1


@cache
def _student(freedom: int) -> float:
    """Return the standard errors of a 95 % interval: Student's t has .475 between it and 0.

    It is found by Newton's method, which converges from below, since the density falls.
    """
    if freedom < 1:
        return nan
    places, weights = np.polynomial.legendre.leggauss(50)
    top = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(pi * freedom)
    end = 1.9  # below the result for any freedom
    for _ in range(12):
        inside = np.append(end * (1 + places) / 2, end)
        density = top * np.exp(-(freedom + 1) / 2 * np.log1p(inside**2 / freedom))
        end += (0.475 - float(weights @ density[:-1]) * end / 2) / float(density[-1])
    return end
