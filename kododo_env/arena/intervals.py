"""Means and shares with 95 % intervals, where one deal is one observation.

The games of a deal (the same deck once for each rotation of the seats) go together, so
what is averaged over them is taken as one observation, and the spread between deals
gives the interval. That is how duplicates narrow it.
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

from kododo_env.core.arrays import Float64, Int64
from kododo_env.core.numbers import finite_number

RESAMPLES = 1000
LEAST_WIDTH = 1e-6  # of an interval that somebody asks for
MOST_FREEDOM = 10_000  # above that, Student's interval is the normal one


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval; the ends are nan where nothing is known of them."""

    mean: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        """As a dictionary for JSON, None for what is not known."""
        return {key: value if isfinite(value) else None for key, value in asdict(self).items()}

    @staticmethod
    def from_json(content: Mapping[str, float | None]) -> Estimate:
        """The estimate of which ``content`` is ``to_json``."""
        numbers = {key: nan if value is None else value for key, value in content.items()}
        return Estimate(**numbers)

    def texts(self, form: str) -> tuple[str, str]:
        """The number and its interval, each number in a form such as ``".3f"``."""
        low = format(self.low, form)
        high = format(self.high, form)
        is_known = isfinite(self.low)
        return format(self.mean, form), f"{low} to {high}" if is_known else "unknown"


def mean(values: npt.ArrayLike, strata: npt.ArrayLike | None = None) -> Estimate:
    """The mean of independent observations, with Student's interval.

    Args:
        values: Shape (D,), at least one.
        strata: What kind of table each was seen at, whole numbers, shape (D,): the plan
            says how many there are of each kind, so only the spread within kinds counts.
    """
    observations = np.asarray(values, np.float64)
    centre = float(observations.mean())
    variance, freedom = _variance(observations - centre, strata)
    half = _student(freedom) * sqrt(variance) / len(observations)
    return Estimate(centre, centre - half, centre + half)


def observations_for(values: npt.ArrayLike, width: float) -> int:
    """How many observations it takes until the interval of their ``mean`` is this narrow.

    Args:
        values: Observations of the same kind, shape (D,), which tell the spread.
        width: From the low to the high end.

    Returns:
        The least number, 2 or more.

    Raises:
        ValueError: The width is not ``LEAST_WIDTH`` to 2, or there is only one observation.
    """
    finite_number(width, "width", LEAST_WIDTH, 2)
    observations = np.asarray(values, np.float64)
    if len(observations) < 2:
        raise ValueError("one deal tells no spread: play two deals at least")
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
    """The share sum(part) / sum(whole) over independent observations.

    The interval is Wilson's, at the number of independent trials that would vary as much
    as these observations do, so that it stays within 0 and 1 and is honest close to them
    (N. Dean and M. Pagano, "Evaluating confidence interval methods for binomial
    proportions in clustered surveys", 2015).

    Args:
        part: What was won in each observation, shape (D,).
        whole: What there was to win, shape (D,), or one number for all; an observation
            of 0 does not count.
        strata: As for ``mean``.

    Returns:
        The estimate; all nan if there was nothing to win.
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
    if variance <= 1e-18 and inside > 0:  # every deal came out the same, as with perfect twins
        # At most, of all deals (Clopper and Pearson).
        half_width = 1 - 0.025 ** (1 / int(counts.sum()))
        return Estimate(centre, centre * (1 - half_width), centre + (1 - centre) * half_width)
    trials = inside / variance if variance > 0 and inside > 0 else int(counts.sum())
    return Estimate(centre, *_wilson(centre, trials, _student(freedom)))


def resampled(deals: Sequence[Int64], whole: int, digits: int) -> dict[str, float]:
    """The mean over some opponents of shares of the victory, with an interval by resampling deals.

    All sums are of whole numbers, so that the result is the same on every machine.

    Args:
        deals: What was won in each deal, for each opponent, each shape (D,).
        whole: What there is to win in a deal.
        digits: To which the result is rounded.

    Returns:
        ``mean``, ``low`` and ``high``: the interval holds 95 of 100 resamples.
    """
    rng = np.random.default_rng(0)
    number = len(deals) * len(deals[0]) * whole
    sums = np.zeros(RESAMPLES, np.int64)
    for opponent_deals in map(np.sort, deals):
        sums += opponent_deals[
            rng.integers(len(opponent_deals), size=(RESAMPLES, len(opponent_deals)))
        ].sum(axis=1)
    return _among_resamples(int(sum(map(np.sum, deals))), sums.tolist(), number, digits)


def interquartile(won: Int64, whole: int, digits: int) -> dict[str, float]:
    """The mean of the middle half of all shares, with an interval by resampling runs and deals.

    A quarter of the shares, rounded down, is left out at each end. All sums are of whole numbers.

    Args:
        won: What was won; shape (runs, opponents, D), the deals of an opponent being the same.
        whole: What there is to win in a deal.
        digits: To which the result is rounded.

    Returns:
        ``mean``, ``low`` and ``high``: the interval holds 95 of 100 resamples.
    """
    runs, opponents, deals = won.shape
    cut = runs * opponents // 4
    rng = np.random.default_rng(0)

    def middle(sums: Int64) -> int:
        return int(np.sort(sums, axis=None)[cut : runs * opponents - cut].sum())

    sums = []
    for _ in range(RESAMPLES):
        sampled_runs = won[rng.integers(runs, size=runs)]
        drawn = rng.integers(deals, size=(opponents, deals))
        sums.append(middle(np.take_along_axis(sampled_runs, drawn[None], axis=2).sum(axis=2)))
    number = (runs * opponents - 2 * cut) * deals * whole
    return _among_resamples(middle(won.sum(axis=2)), sums, number, digits)


def _among_resamples(total: int, sums: list[int], number: int, digits: int) -> dict[str, float]:
    """A sum and the ends of 95 of 100 of its resamples, each divided by a number and rounded."""
    in_order = sorted(sums)
    low = in_order[RESAMPLES // 40]
    high = in_order[-RESAMPLES // 40 - 1]
    ends = {"mean": total, "low": low, "high": high}
    return {name: round(end / number, digits) for name, end in ends.items()}


def _variance(residuals: Float64, strata: npt.ArrayLike | None) -> tuple[float, int]:
    """Variance of the sum of residuals (D,), and the degrees of freedom that it stands on."""
    num = len(residuals)
    kinds = 1
    if strata is not None:
        _, kind, size = np.unique(strata, return_inverse=True, return_counts=True)
        if 2 * len(size) <= num:  # with fewer deals of a kind its own mean says nothing
            kinds = len(size)
            residuals = residuals - (np.bincount(kind, residuals) / size)[kind]
    freedom = num - kinds
    spread = float((residuals**2).sum())
    return (spread * num / freedom, freedom) if freedom > 0 else (nan, 0)


def _wilson(centre: float, trials: float, z: float) -> tuple[float, float]:
    """Wilson's interval of a share that was seen in this many independent trials."""
    shrink = 1 + z * z / trials
    middle = (centre + z * z / (2 * trials)) / shrink
    half = z / shrink * sqrt(centre * (1 - centre) / trials + (z / (2 * trials)) ** 2)
    low = max(0.0, middle - half)
    high = min(1.0, middle + half)
    return min(low, centre), max(high, centre)  # an end may miss a share of 1 by its last bit


@cache
def _student(freedom: int) -> float:
    """How many standard errors make a 95 % interval: where Student's t has .475 between it and 0.

    By Newton's method, which comes from below, since the density falls.
    """
    if freedom < 1:
        return nan
    places, weights = np.polynomial.legendre.leggauss(50)
    top = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(pi * freedom)
    end = 1.9  # with any freedom there is less below it
    for _ in range(12):
        inside = np.append(end * (1 + places) / 2, end)
        density = top * np.exp(-(freedom + 1) / 2 * np.log1p(inside**2 / freedom))
        end += (0.475 - float(weights @ density[:-1]) * end / 2) / float(density[-1])
    return end
