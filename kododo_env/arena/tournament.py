"""Tournaments: the game, the agents, the number of games, and who meets whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from random import Random
from typing import Any

from kododo_env.agent_registry import agent_for
from kododo_env.arena.match import Chunk, ChunkResult, Recording, chunk_sizes, play_chunk
from kododo_env.checks.bounds import MOST_GAMES
from kododo_env.checks.numbers import whole_number
from kododo_env.core.agent import Agent
from kododo_env.core.batch_game import BatchGame
from kododo_env.rules_arguments import make_game

LEAST_CHUNKS = 24  # if there are enough deals, for every cyclic order of up to five players
ALL_ORDERS = 7  # the most players whose seating orders are all enumerated
SOME_ORDERS = 720  # random seating orders for more players


class Contest:
    """The base class of games that are played in chunks, such as a tournament or a match."""

    game: str
    players: int
    games: int
    seed: int
    rules: Mapping[str, Any]
    recording: Recording | None = None

    def __post_init__(self) -> None:
        self.make_game(1)  # raises ValueError if the game cannot be played
        check_numbers(self.players, self.games, self.seed)

    def named(self) -> Sequence[Agent | str]:
        """Return the players: agents, or names for ``make_agent``."""
        raise NotImplementedError

    @property
    def deals(self) -> int:
        """The number of decks, each of which is played from every seat."""
        return -(-self.games // self.players)

    def make_game(self, num_envs: int) -> BatchGame:
        """Return a batch of ``num_envs`` games with these rules."""
        return make_game(self.game, num_envs, self.players, self.rules)

    def load_agents(self) -> list[Agent]:
        """Return the agents of ``named``.

        Raises:
            ValueError: An agent is unknown or cannot play this game.
        """
        game = self.make_game(1)
        return [agent_for(name, game) for name in self.named()]

    def play_chunk(self, chunk: Chunk, agents: Sequence[Agent]) -> ChunkResult:
        """Play a chunk with the agents of ``load_agents``."""
        game = self.make_game(chunk.deals)
        return play_chunk(chunk, agents, game, self.seed, self.recording)


@dataclass(frozen=True)
class Tournament(Contest):
    """A tournament, whose results depend only on its arguments.

    Args:
        game: The name of the game in the registry.
        agents: At least two names of agents or paths of policy files.
        players: The number of seats at a table, P.
        games: The number of games, rounded up to whole deals of P games.
        seed: The seed of the decks and of the agents' randomness.
        rules: Further fields of the game's rules.
        recording: Records the games; None to record nothing.

    Raises:
        ValueError: The game, rules, seed, or number of agents, players or games is invalid.
    """

    game: str
    agents: tuple[str, ...]
    players: int
    games: int = 20_000
    seed: int = 0
    rules: Mapping[str, Any] = field(default_factory=dict)
    recording: Recording | None = None

    def __post_init__(self) -> None:
        rules = self.make_game(1).rules
        check_numbers(self.players, self.games, self.seed)
        # Results are written as JSON, which needs Python's own number types.
        for name in ("players", "games", "seed"):
            object.__setattr__(self, name, int(getattr(self, name)))
        explicit_rules = {name: getattr(rules, name) for name in self.rules}
        object.__setattr__(self, "rules", explicit_rules)
        if len(self.agents) < 2:
            raise ValueError(f"expected at least two agents, got {len(self.agents)}")
        playing = {agent for chunk in self.chunks() for agent in chunk.lineup}
        if len(playing) < len(self.agents):
            raise ValueError(
                f"{self.games} games are too few for {len(self.agents)} agents; expected at least "
                f"{2 * self.players * len(self.agents)}"
            )

    def named(self) -> Sequence[Agent | str]:
        """Return the agents' names."""
        return self.agents

    def chunks(self) -> list[Chunk]:
        """Return the chunks, which can be played independently."""
        return mixed_tables(len(self.agents), self.players, self.deals)


def check_numbers(players: int, games: int, seed: int) -> None:
    """Raise ValueError unless the numbers of players and games and the seed are valid."""
    whole_number(players, "players", 2)
    whole_number(seed, "seed", 0)
    if whole_number(games, "games", highest=MOST_GAMES) < players:
        raise ValueError(
            f"games must be at least {players}, since each deck is played once for each rotation "
            f"of the seats, got {games}"
        )


# --- tables ---------------------------------------------------------------------------------


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
