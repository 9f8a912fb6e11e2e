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
    # Sorting logarithms with Gumbel noise gives the Plackett-Luce order.
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
    rated = ratings(won, seats, ("random", "b", "c", "d", "e"), samples=200)
    assert [rating.mean for rating in rated] == sorted(rating.mean for rating in rated)
    assert rated[0] == Estimate(0, 0, 0)
    for rating, true in zip(rated[1:], truth[1:], strict=True):
        assert rating.low - 8 < true < rating.high + 8
        assert width(rating) < 60


@pytest.mark.parametrize("games", [3, 10**6])
def test_everybody_wins_as_often_as_the_ratings_expect(games: int) -> None:
    """At the maximum of the likelihood; with many games each agent beats all behind always."""
    beaten = np.triu(np.full((20, 20), float(games)), 1)
    rated = _fit(beaten, zero=0) / POINTS
    counts = beaten + 0.5 - np.eye(20) / 2
    expected = (counts + counts.T) / (1 + np.exp(rated - rated[:, None]))
    assert rated[0] == 0
    assert expected.sum(axis=1) == pytest.approx(counts.sum(axis=1), abs=1e-6)


def test_without_random_the_mean_rating_is_zero() -> None:
    won, seats = luce_deals(np.array([1.0, 2.0, 4.0]), 3, 500)
    rated = ratings(won, seats, ("a", "b", "c"), samples=50)
    assert sum(rating.mean for rating in rated) == pytest.approx(0, abs=1e-6)


def test_copies_at_a_table_do_not_change_a_rating() -> None:
    strengths = np.array([1.0, 3.0])
    won, seats = luce_deals(strengths, 4, 6000)
    weak, strong = ratings(won, seats, ("random", "b"), samples=100)
    assert strong.low < POINTS * np.log(3) < strong.high
    assert pair_shares(won, seats)[1][0].mean == pytest.approx(0.75, abs=0.02)
    assert weak.mean == 0


def test_each_copy_counts_as_an_opponent() -> None:
    # Three seats of strength 1 win half of the games against one of strength 3.
    won = np.full((1000, 2), 0.5)
    seats = np.tile([3, 1], (1000, 1))
    rated = ratings(won, seats, ("random", "b"), samples=10)
    assert rated[1].mean == pytest.approx(POINTS * np.log(3), abs=1)


def test_a_player_who_won_everything_still_has_a_rating() -> None:
    won = np.tile([1.0, 0.0], (100, 1))
    seats = np.ones((100, 2))
    rated = ratings(won, seats, ("a", "random"), samples=20)
    assert 100 < rated[0].mean < 2000
    assert isnan(rated[0].low)  # so the difference in strength has no upper bound
    assert rated[1] == Estimate(0, 0, 0)


def test_an_intransitive_triple_is_found_in_either_direction() -> None:
    up = Estimate(0.6, 0.55, 0.65)
    down = Estimate(0.4, 0.35, 0.45)
    even = Estimate(0.5, 0.4, 0.6)
    ring = [[even, up, down], [down, even, up], [up, down, even]]
    assert intransitive_triples(ring) == [(0, 1, 2)]
    assert intransitive_triples([list(row) for row in zip(*ring, strict=True)]) == [(0, 2, 1)]
    for doubt in (Estimate(0.55, 0.49, 0.61), Estimate(0.55, nan, nan)):
        for row_index, column in ((0, 1), (1, 2), (2, 0)):
            doubted = [list(row) for row in ring]
            doubted[row_index][column] = doubt
            assert intransitive_triples(doubted) == []
