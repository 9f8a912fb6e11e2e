"""Lineups: the tables of a tournament, in chunks that can be played independently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from random import Random

CHUNK_DEALS = 512  # the maximum in a chunk; larger batches are hardly faster
LEAST_CHUNKS = 24  # if there are enough deals, for every cyclic order of up to five players
ALL_ORDERS = 7  # the most players whose seating orders are all enumerated
SOME_ORDERS = 720  # random seating orders for more players


@dataclass(frozen=True)
class Chunk:
    """A number of deals that the same agents play.

    Attributes:
        index: The index of the chunk, from 0, which determines its decks.
        lineup: The index of the agent at each of the P places of the table, clockwise.
        deals: The number of decks; each is played P times, once for each rotation of the seats.
    """

    index: int
    lineup: tuple[int, ...]
    deals: int


def mixed_tables(num_agents: int, num_players: int, deals: int) -> list[Chunk]:
    """Return chunks whose lineups let all pairs of agents meet about equally often.

    If there are at least as many agents as seats, no agent has two seats at a table. Otherwise all
    agents sit at each table, and some have one copy more than others. The order around the table
    varies too, since neighbours matter in some games.

    Args:
        num_agents: The number of agents, at least 2.
        num_players: The number of seats at a table, P.
        deals: The total number of decks.
    """
    pairs = num_agents * (num_agents - 1)
    min_chunks = max(LEAST_CHUNKS, 2 * pairs // (num_players * (num_players - 1)))
    mixer = _Mixer(num_agents, num_players)
    sizes = chunk_sizes(deals, min_chunks)
    return [Chunk(index, mixer.next_lineup(), size) for index, size in enumerate(sizes)]


def chunk_sizes(deals: int, least_chunks: int = 1) -> list[int]:
    """Divide deals evenly into chunks of at most ``CHUNK_DEALS``, and return their sizes."""
    number = min(deals, max(least_chunks, -(-deals // CHUNK_DEALS)))
    return [deals // number + (index < deals % number) for index in range(number)]


class _Mixer:
    """Makes the tables one by one, each time the one that was rarest so far."""

    def __init__(self, num_agents: int, num_players: int) -> None:
        self.agents = range(num_agents)
        self.num_players = num_players
        self.played: Counter[int] = Counter()
        self.met: Counter[tuple[int, int]] = Counter()
        self.beside: Counter[tuple[int, int]] = Counter()
        self.orders: Counter[tuple[int, ...]] = Counter()
        self.random = Random(0)

    def next_lineup(self) -> tuple[int, ...]:
        first, second = min(combinations(self.agents, 2), key=self._met)
        table = [first, second]
        while len(table) < self.num_players:
            table.append(min(self.agents, key=lambda agent: self._present(agent, table)))
        self.played.update(table)
        self.met.update(permutations(table, 2))
        order = min(self._orders(table), key=self._sat)
        self.beside.update(_neighbours(order))
        self.orders[order] += 1
        return order

    def _met(self, pair: tuple[int, int]) -> tuple[int, int]:
        """Return how often two agents have met, and how often they have played."""
        return self.met[pair], sum(self.played[agent] for agent in pair)

    def _present(self, agent: int, table: list[int]) -> tuple[int, int, int]:
        """Return how often an agent sits at the table, has met its agents, and has played."""
        meetings = sum(self.met[agent, neighbour] for neighbour in table)
        return table.count(agent), meetings, self.played[agent]

    def _orders(self, table: list[int]) -> Iterable[tuple[int, ...]]:
        """Return all orders around a table, or some of them if there are too many."""
        first, *companions = table
        orders: Iterable[Sequence[int]] = permutations(companions)
        if len(table) > ALL_ORDERS:
            orders = (self.random.sample(companions, len(companions)) for _ in range(SOME_ORDERS))
        return ((first, *order) for order in orders)

    def _sat(self, order: tuple[int, ...]) -> tuple[int, int]:
        """Return how often the neighbours sat together, and how often the order was used."""
        return sum(self.beside[pair] for pair in _neighbours(order)), self.orders[order]


def _neighbours(order: tuple[int, ...]) -> list[tuple[int, int]]:
    """Pair each player with their left neighbour."""
    return list(zip(order, order[1:] + order[:1], strict=True))
