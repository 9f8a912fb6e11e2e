"""Ratings and intransitive triples."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env.arena.intervals import Estimate
from kododo_env.arena.ratings import POINTS, _fit, intransitive_triples, pair_shares, ratings
from tests.arena.players import width


def luce_deals(strengths: npt.NDArray[Any], players: int, deals: int, ties: float = 0.0) -> Any:
    """Victories and seats, (D, K) each, of tables drawn at random and won as Luce says."""
    rng = np.random.default_rng(3)
    num = len(strengths)
    tables = rng.integers(num, size=(deals, players))
    # Gumbel noise on the logarithms: in order of the sums is in order of Plackett and Luce.
    ranks = np.argsort(-np.log(strengths)[tables] - rng.gumbel(size=tables.shape), axis=1)
    tie = rng.random(deals) < ties  # the first two share the victory
    shares = np.zeros(tables.shape)
    np.put_along_axis(shares, ranks[:, 1:2], np.where(tie, 0.5, 0)[:, None], axis=1)
    np.put_along_axis(shares, ranks[:, :1], np.where(tie, 0.5, 1)[:, None], axis=1)
    seated = tables[:, :, None] == np.arange(num)
    return (shares[:, :, None] * seated).sum(axis=1), seated.sum(axis=1)


def test_ratings_recover_the_strengths_of_simulated_games() -> None:
    truth = np.array([0.0, 60.0, 100.0, 200.0, 320.0])
    won, seats = luce_deals(np.exp(truth / POINTS), 4, 8000, ties=0.1)
    found = ratings(won, seats, ("random", "b", "c", "d", "e"), samples=200)
    assert [each.mean for each in found] == sorted(each.mean for each in found)
    assert found[0] == Estimate(0, 0, 0)
    for each, true in zip(found[1:], truth[1:], strict=True):
        assert each.low - 8 < true < each.high + 8
        assert width(each) < 60


@pytest.mark.parametrize("most", [3, 10**6])
def test_everybody_wins_as_often_as_the_ratings_expect(most: int) -> None:
    """At the maximum of the likelihood; with many games each agent beats all behind always."""
    beaten = np.triu(np.full((20, 20), float(most)), 1)
    rated = _fit(beaten, zero=0) / POINTS
    counts = beaten + 0.5 - np.eye(20) / 2
    expected = (counts + counts.T) / (1 + np.exp(rated - rated[:, None]))
    assert rated[0] == 0
    assert expected.sum(axis=1) == pytest.approx(counts.sum(axis=1), abs=1e-6)


def test_without_random_the_mean_rating_is_zero() -> None:
    won, seats = luce_deals(np.array([1.0, 2.0, 4.0]), 3, 500)
    found = ratings(won, seats, ("a", "b", "c"), samples=50)
    assert sum(each.mean for each in found) == pytest.approx(0, abs=1e-6)


def test_copies_at_a_table_do_not_change_a_rating() -> None:
    strengths = np.array([1.0, 3.0])
    won, seats = luce_deals(strengths, 4, 6000)
    one, other = ratings(won, seats, ("random", "b"), samples=100)
    assert other.low < POINTS * np.log(3) < other.high
    assert pair_shares(won, seats)[1][0].mean == pytest.approx(0.75, abs=0.02)
    assert one.mean == 0


def test_each_copy_counts_as_an_opponent() -> None:
    # Three seats of strength 1 win half of the games against one of strength 3.
    won, seats = np.full((1000, 2), 0.5), np.tile([3, 1], (1000, 1))
    rated = ratings(won, seats, ("random", "b"), samples=10)
    assert rated[1].mean == pytest.approx(POINTS * np.log(3), abs=1)


def test_a_player_who_won_everything_still_has_a_rating() -> None:
    won, seats = np.tile([1.0, 0.0], (100, 1)), np.ones((100, 2))
    rated = ratings(won, seats, ("a", "random"), samples=20)
    assert 100 < rated[0].mean < 2000
    assert isnan(rated[0].low)  # no deal tells how much better they are
    assert rated[1] == Estimate(0, 0, 0)


def test_an_intransitive_triple_is_found_in_either_direction() -> None:
    up, down = Estimate(0.6, 0.55, 0.65), Estimate(0.4, 0.35, 0.45)
    none = Estimate(0.5, 0.4, 0.6)
    ring = [[none, up, down], [down, none, up], [up, down, none]]
    assert intransitive_triples(ring) == [(0, 1, 2)]
    assert intransitive_triples([list(row) for row in zip(*ring, strict=True)]) == [(0, 2, 1)]
    for doubt in (Estimate(0.55, 0.49, 0.61), Estimate(0.55, nan, nan)):
        for one, other in ((0, 1), (1, 2), (2, 0)):
            doubted = [list(row) for row in ring]
            doubted[one][other] = doubt
            assert intransitive_triples(doubted) == []
