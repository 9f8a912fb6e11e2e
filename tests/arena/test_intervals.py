"""Intervals: their coverage, and that duplicate deals narrow them."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env.arena.intervals import _student, mean, observations_for, share
from tests.arena.players import width


def deals_of_duplicates(
    rng: np.random.Generator, probability: float, deals: int
) -> npt.NDArray[Any]:
    """Shares of one agent over four rotations that hang together: some decks are won by all."""
    luck = rng.random((deals, 1)) < 0.5
    probabilities = np.where(luck, probability + 0.15, probability - 0.15)
    return (rng.random((deals, 4)) < probabilities).mean(axis=1)


@pytest.mark.parametrize(("probability", "deals"), [(0.25, 200), (0.5, 30), (0.83, 60)])
def test_intervals_hold_the_truth_as_often_as_they_say(probability: float, deals: int) -> None:
    rng = np.random.default_rng(7)
    times = 1000
    inside = {share: 0, mean: 0}
    for _ in range(times):
        shares = deals_of_duplicates(rng, probability, deals)
        for measure in inside:
            estimate = measure(shares)
            if estimate.low <= probability <= estimate.high:
                inside[measure] += 1
    for hits in inside.values():
        assert 0.93 * times < hits < 0.97 * times


def test_students_quantile_is_scipys() -> None:
    special = pytest.importorskip("scipy.special", reason="another extra may bring it")
    freedoms = [*range(1, 200), 10**3, 10**5, 10**7]
    quantiles = list(map(_student, freedoms))
    assert quantiles == pytest.approx(special.stdtrit(freedoms, 0.975), rel=2e-8)


@pytest.mark.parametrize("target", [0.5, 0.1, 0.01, 0.0001])
def test_so_many_observations_are_the_fewest_that_make_an_interval_so_narrow(target: float) -> None:
    sample = np.random.default_rng(3).normal(size=50)
    needed = observations_for(sample, target)

    def is_narrow(number: int) -> bool:
        half = _student(min(number - 1, 10_000)) * sample.std(ddof=1) / np.sqrt(number)
        return bool(2 * half <= target)

    assert is_narrow(needed)
    assert not is_narrow(needed - 1)


def test_observations_that_do_not_vary_need_two() -> None:
    assert observations_for(np.zeros(9), 0.01) == 2


def test_a_share_near_the_end_keeps_an_interval() -> None:
    for deals in range(2, 1000):  # regression: some bounds were 1 minus the last bit
        all_won = share(np.ones(deals))
        assert all_won.mean == all_won.high == 1
    all_won = share(np.ones(50))
    assert 0.9 < all_won.low < 0.95
    none_won = share(np.zeros(50))
    assert none_won.low == 0
    assert none_won.high == pytest.approx(1 - all_won.low)


def test_a_single_deal_says_nothing_of_its_spread() -> None:
    for estimate in (share([0.5]), mean([3.0])):
        assert isnan(estimate.low)
        assert isnan(estimate.high)
    assert share([0.5]).to_json() == {"mean": 0.5, "low": None, "high": None}
    assert isnan(share([0.0], [0.0]).mean)


def test_deals_that_all_end_alike_say_the_less_the_fewer_they_are() -> None:
    """Two of them gave an interval without width: one in three such matches was surely wrong."""
    short = share([0.75, 0.75])
    long = share([0.75] * 2000)
    assert (short.low, short.high) == pytest.approx((0.75 * 0.025**0.5, 1 - 0.25 * 0.025**0.5))
    assert 0.748 < long.low < long.mean == 0.75 < long.high < 0.7505


def test_a_ratio_counts_only_where_there_was_something_to_win() -> None:
    won = np.array([1.0, 0, 0.5, 0, 1])
    stake = np.array([1.0, 1, 1, 0, 2])
    ratio = share(won, stake)
    assert ratio.mean == pytest.approx(2.5 / 5)
    counted = share(won[stake > 0], stake[stake > 0])
    assert ratio == counted


def test_different_tables_do_not_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1], 500)
    outcomes = (rng.random(1000) < np.where(kinds == 0, 0.05, 0.95)).astype(float)
    assert width(share(outcomes, strata=kinds)) < 0.6 * width(share(outcomes))
    assert width(mean(outcomes, kinds)) < 0.6 * width(mean(outcomes))
    too_fine = np.arange(1000) * 6 // 10
    assert width(share(outcomes, strata=too_fine)) == width(share(outcomes))
