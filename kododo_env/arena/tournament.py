"""Tournaments: which agents play what, and how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kododo_env.agent_registry import agent_for
from kododo_env.arena.duplicates import Recording
from kododo_env.arena.pairing import Chunk, mixed_tables
from kododo_env.core.agent import Agent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.bounds import MOST_GAMES
from kododo_env.core.numbers import whole_number
from kododo_env.rules_arguments import make_game


class Contest:
    """What is played in chunks, a tournament or a match: a game, how often, and by which agents."""

    game: str
    players: int
    games: int
    seed: int
    rules: Mapping[str, Any]
    recording: Recording | None = None

    def named(self) -> Sequence[Agent | str]:
        """The players: agents, or what ``make_agent`` takes for them."""
        raise NotImplementedError

    @property
    def deals(self) -> int:
        """How many decks are played, each from every seat."""
        return -(-self.games // self.players)

    def make_game(self, num_envs: int) -> BatchGame:
        """A batch of the games to be played."""
        return make_game(self.game, num_envs, self.players, self.rules)

    def load_agents(self) -> list[Agent]:
        """The agents; ValueError if there is no such one, or it cannot play this game."""
        game = self.make_game(1)
        return [agent_for(name, game) for name in self.named()]


@dataclass(frozen=True)
class Tournament(Contest):
    """Which agents play what, how often; everything that follows depends on nothing else.

    Args:
        game: Name of the game in the registry.
        agents: Names of agents, or policy files; at least two.
        players: Seats at a table, P.
        games: How many, rounded up to whole deals, each deal being P games.
        seed: Of the decks, and of the agents' randomness.
        rules: Further fields of the game's rules.
        recording: What is to be kept of the games besides how they end.

    Raises:
        ValueError: No such tournament can be played.
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
        # Results are written as JSON, which knows Python's own numbers alone.
        numbers = {name: int(getattr(self, name)) for name in ("players", "games", "seed")}
        explicit_rules = {name: getattr(rules, name) for name in self.rules}
        for name, value in {**numbers, "rules": explicit_rules}.items():
            object.__setattr__(self, name, value)
        if len(self.agents) < 2:
            raise ValueError(f"name two agents at least, not {len(self.agents)}")
        playing = {agent for chunk in self.chunks() for agent in chunk.lineup}
        if len(playing) < len(self.agents):
            raise ValueError(
                f"{self.games} games are too few for {len(self.agents)} agents to play at all: "
                f"give {2 * self.players * len(self.agents)} or more"
            )

    def named(self) -> Sequence[Agent | str]:
        """The agents' names."""
        return self.agents

    def chunks(self) -> list[Chunk]:
        """The pieces in which it is played; each can be played by itself."""
        return mixed_tables(len(self.agents), self.players, self.deals)


def check_numbers(players: int, games: int, seed: int) -> None:
    """Raise ValueError unless this many games can be played."""
    whole_number(players, "players", 2)
    whole_number(seed, "seed", 0)
    if whole_number(games, "games", highest=MOST_GAMES) < players:
        raise ValueError(
            f"{players} players need {players} games at least, since each deck is played once "
            f"for each rotation of the seats; not {games}"
        )
