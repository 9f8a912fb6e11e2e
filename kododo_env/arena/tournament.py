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
