"""Tournaments: the game, the agents and the number of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kododo_env.agent_registry import agent_for
from kododo_env.arena.lineups import Chunk, mixed_tables
from kododo_env.arena.match import Recording
from kododo_env.core.agent import Agent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.bounds import MOST_GAMES
from kododo_env.core.numbers import whole_number
from kododo_env.rules_arguments import make_game


class Contest:
    """Games that are played in chunks, such as a tournament or a match."""

    game: str
    players: int
    games: int
    seed: int
    rules: Mapping[str, Any]
    recording: Recording | None = None

    def named(self) -> Sequence[Agent | str]:
        """Return the players: agents, or names for ``make_agent``."""
        raise NotImplementedError

    @property
    def deals(self) -> int:
        """The number of decks, each of which is played from every seat."""
        return -(-self.games // self.players)

    def make_game(self, num_envs: int) -> BatchGame:
        """Return a batch of the games to play."""
        return make_game(self.game, num_envs, self.players, self.rules)

    def load_agents(self) -> list[Agent]:
        """Return the agents; raise ValueError if one is unknown or cannot play this game."""
        game = self.make_game(1)
        return [agent_for(name, game) for name in self.named()]


@dataclass(frozen=True)
class Tournament(Contest):
    """A tournament; its results depend only on these arguments.

    Args:
        game: Name of the game in the registry.
        agents: Names of agents, or policy files; at least two.
        players: Seats at a table, P.
        games: The number of games, rounded up to whole deals of P games.
        seed: The seed of the decks and of the agents' randomness.
        rules: Further fields of the game's rules.
        recording: What to record of the games.

    Raises:
        ValueError: The tournament cannot be played.
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
        # Results are written as JSON, which needs Python's numbers.
        numbers = {name: int(getattr(self, name)) for name in ("players", "games", "seed")}
        explicit_rules = {name: getattr(rules, name) for name in self.rules}
        for name, number in numbers.items():
            object.__setattr__(self, name, number)
        object.__setattr__(self, "rules", explicit_rules)
        if len(self.agents) < 2:
            raise ValueError(f"expected at least two agents, got {len(self.agents)}")
        playing = {agent for chunk in self.chunks() for agent in chunk.lineup}
        if len(playing) < len(self.agents):
            raise ValueError(
                f"{self.games} games are too few for {len(self.agents)} agents; "
                f"expected at least {2 * self.players * len(self.agents)}"
            )

    def named(self) -> Sequence[Agent | str]:
        """Return the agents' names."""
        return self.agents

    def chunks(self) -> list[Chunk]:
        """Return the chunks, which can be played independently."""
        return mixed_tables(len(self.agents), self.players, self.deals)


def check_numbers(players: int, games: int, seed: int) -> None:
    """Raise ValueError unless this number of games can be played."""
    whole_number(players, "players", 2)
    whole_number(seed, "seed", 0)
    if whole_number(games, "games", highest=MOST_GAMES) < players:
        raise ValueError(
            f"games must be at least {players}, since {players} players play each deck once per "
            f"rotation of the seats, got {games}"
        )
