"""A match: one agent alone against copies of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kododo_env.arena.intervals import Estimate, mean, share
from kododo_env.arena.lineups import Chunk, chunk_sizes
from kododo_env.arena.match import ChunkResult
from kododo_env.arena.progress import games_bar
from kododo_env.arena.tournament import Contest
from kododo_env.arena.workers import run
from kododo_env.core.agent import Agent
from kododo_env.core.arrays import Float64


@dataclass(frozen=True)
class MatchResult:
    """The results of one agent alone against copies of another.

    Attributes:
        share: The agent's win share; 1 / P is parity.
        margin: Its points minus the mean of the other players' points.
        points: Its points.
        deal_shares: Its win share in each of D deals, averaged over the seats; shape (D,).
        deal_margins: Its margin in each deal, shape (D,).
        deal_points: Its points in each deal, shape (D,).
    """

    share: Estimate
    margin: Estimate
    points: Estimate
    deal_shares: Float64 = field(compare=False, repr=False)
    deal_margins: Float64 = field(compare=False, repr=False)
    deal_points: Float64 = field(compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return the estimates as a dictionary for JSON."""
        return {name: getattr(self, name).to_json() for name in ("share", "margin", "points")}


@dataclass(frozen=True)
class Match(Contest):
    """One agent alone against P - 1 copies of another, each deck once from every seat.

    Args:
        agent: The single agent, or a name for ``make_agent``.
        copies: The agent, or its name, whose copies take all other seats.
        game: Name of the game in the registry.
        players: P.
        games: The number of games, rounded up to whole deals of P games.
        seed: The seed of the decks, which do not depend on the agents, and of the agents'
            randomness.
        rules: Further fields of the game's rules.
        least_chunks: The minimum number of chunks, for several processes; the decks depend on it.

    Raises:
        ValueError: The game, rules, number of players, number of games or seed is invalid.
    """

    agent: Agent | str
    copies: Agent | str
    game: str
    players: int
    games: int = 8_000
    seed: int = 0
    rules: Mapping[str, Any] = field(default_factory=dict)
    least_chunks: int = 1

    def named(self) -> Sequence[Agent | str]:
        """Return both agents."""
        return self.agent, self.copies

    def play(self, workers: int = 1, title: str | None = None) -> MatchResult:
        """Play the match.

        Args:
            workers: The number of processes; it does not affect the result. More than one needs
                both agents by name.
            title: The title of a progress bar on the terminal; None shows no bar.

        Raises:
            ValueError: The game cannot be played, an agent cannot be loaded, or an action is
                illegal.
        """
        lineup = (0, *[1] * (self.players - 1))
        sizes = chunk_sizes(self.deals, self.least_chunks)
        played = run(self, [Chunk(i, lineup, size) for i, size in enumerate(sizes)], workers)
        if title is not None:
            played = games_bar(played, self.players * self.deals, title=title)
        return alone_among_copies(list(played))


def alone_among_copies(results: Sequence[ChunkResult]) -> MatchResult:
    """Combine the results of chunks, in their order; the first agent of each lineup is alone."""
    shares = np.concatenate([result.shares[:, 0] for result in results])
    points = np.concatenate([result.points for result in results])
    own_points = points[:, 0].copy()
    margins = own_points - points[:, 1:].mean(axis=1)
    return MatchResult(share(shares), mean(margins), mean(own_points), shares, margins, own_points)
