"""Seating: which players meet at a table."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise, permutations

import pytest

from kododo_env.arena.match import CHUNK_DEALS, chunk_sizes
from kododo_env.arena.tournament import mixed_tables


@pytest.mark.parametrize(
    ("deals", "minimum"), [(1, 24), (100, 24), (5000, 24), (30_000, 1), (512, 1)]
)
def test_chunks_add_up_to_the_deals(deals: int, minimum: int) -> None:
    sizes = chunk_sizes(deals, minimum)
    assert sum(sizes) == deals
    assert 1 <= min(sizes) <= max(sizes) <= CHUNK_DEALS
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) >= min(deals, minimum)


@pytest.mark.parametrize("num_agents", [2, 3, 4, 5, 7, 12])
@pytest.mark.parametrize("players", [2, 4, 5])
def test_mixed_tables_are_balanced(num_agents: int, players: int) -> None:
    lineups = [chunk.lineup for chunk in mixed_tables(num_agents, players, 4000)]
    copies = -(-players // num_agents)
    assert all(max(Counter(lineup).values()) == copies for lineup in lineups)
    seats = Counter(agent for lineup in lineups for agent in lineup)
    assert len(seats) == num_agents
    assert max(seats.values()) - min(seats.values()) <= 2
    met = Counter(pair for lineup in lineups for pair in combinations(sorted(set(lineup)), 2))
    assert len(met) == num_agents * (num_agents - 1) // 2
    assert max(met.values()) <= 3 * min(met.values())


def test_everybody_sits_at_everybodys_left_equally_often() -> None:
    lineups = [chunk.lineup for chunk in mixed_tables(4, 4, 4000)]
    assert set(lineups) == {(0, *order) for order in permutations((1, 2, 3))}
    rings = [(*lineup, lineup[0]) for lineup in lineups]
    beside = Counter(pair for ring in rings for pair in pairwise(ring))
    assert len(set(beside.values())) == 1


def test_large_tables_are_seated_without_looking_at_every_order() -> None:
    """At a table of 12 that took hours, and of 10 half a minute."""
    lineups = [chunk.lineup for chunk in mixed_tables(14, 14, 4000)]
    assert all(sorted(lineup) == [*range(14)] for lineup in lineups)
    beside = Counter(pair for lineup in lineups for pair in pairwise((*lineup, lineup[0])))
    assert max(beside.values()) <= 6  # 24 tables of 14 neighbours, of 182 pairs
