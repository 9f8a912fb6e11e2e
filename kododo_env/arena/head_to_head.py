"""Matches of one agent alone among copies of another, and comparisons of two such agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kododo_env.agent_registry import baselines
from kododo_env.arena.intervals import Estimate, mean, observations_for, share
from kododo_env.arena.match import Chunk, ChunkResult, chunk_sizes
from kododo_env.arena.progress import games_bar
from kododo_env.arena.tournament import Contest
from kododo_env.arena.workers import run
from kododo_env.arrays.dtypes import Float64
from kododo_env.core.agent import Agent
from kododo_env.system.text_table import table

WIDTHS = (0.04, 0.02, 0.01)  # interval widths for which the number of games is estimated
DIGITS = 2  # significant digits of these estimates


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
        (result,) = _play_alone(self, 1, workers, title)
        return result


def _play_alone(
    contest: Match | Comparison, alone: int, workers: int, title: str | None
) -> list[MatchResult]:
    """Let agents play the same deals in turn, each alone among copies of the last agent.

    Args:
        contest: The contest, whose first ``alone`` agents play alone.
        alone: The number of these agents.
        workers: The number of processes.
        title: The title of a progress bar; None shows no bar.

    Returns:
        The result of each of these agents.
    """
    copies = [alone] * (contest.players - 1)
    sizes = chunk_sizes(contest.deals, contest.least_chunks)
    chunks = [
        Chunk(index, (agent, *copies), size)  # the decks follow from the index
        for agent in range(alone)
        for index, size in enumerate(sizes)
    ]
    played = run(contest, chunks, workers)
    if title is not None:
        played = games_bar(played, alone * contest.players * contest.deals, title=title)
    results = list(played)
    return [
        alone_among_copies(results[start : start + len(sizes)])
        for start in range(0, len(results), len(sizes))
    ]


def alone_among_copies(results: Sequence[ChunkResult]) -> MatchResult:
    """Combine the results of chunks, in their order; the first agent of each lineup is alone."""
    shares = np.concatenate([result.shares[:, 0] for result in results])
    points = np.concatenate([result.points for result in results])
    own_points = points[:, 0].copy()
    margins = own_points - points[:, 1:].mean(axis=1)
    return MatchResult(share(shares), mean(margins), mean(own_points), shares, margins, own_points)


@dataclass(frozen=True)
class Comparison(Contest):
    """Two agents on the same deals, each alone among P - 1 copies of the same opponent.

    Args:
        a: The first agent, or a name for ``make_agent``.
        b: The second agent, or its name.
        game: Name of the game in the registry.
        players: P.
        games: The number of games of each agent, rounded up to whole deals of P games.
        opponents: The agent, or its name, whose copies take all other seats; None for the game's
            strongest baseline.
        seed: The seed of the decks, which do not depend on the agents, and of the agents'
            randomness.
        rules: Further fields of the game's rules.
        least_chunks: See ``Match``.

    Raises:
        ValueError: The game, rules, number of players, number of games or seed is invalid.
    """

    a: Agent | str
    b: Agent | str
    game: str
    players: int
    games: int = 8_000
    opponents: Agent | str | None = None
    seed: int = 0
    rules: Mapping[str, Any] = field(default_factory=dict)
    least_chunks: int = 1

    def named(self) -> Sequence[Agent | str]:
        """Return the two agents and their opponent."""
        opponents = baselines(self.game)[-1] if self.opponents is None else self.opponents
        return self.a, self.b, opponents

    def play(self, workers: int = 1, title: str | None = None) -> ComparisonResult:
        """Play the comparison.

        Args:
            workers: The number of processes; it does not affect the result. More than one needs
                all agents by name.
            title: The title of a progress bar on the terminal; None shows no bar.

        Raises:
            ValueError: The game cannot be played, an agent cannot be loaded, or an action is
                illegal.
        """
        return ComparisonResult(self, *_play_alone(self, 2, workers, title))


@dataclass(frozen=True)
class ComparisonResult:
    """The results of two agents on the same deals.

    Attributes:
        comparison: The comparison that was played.
        a: The result of the first agent.
        b: The result of the second agent; its arrays have the same order of deals.
    """

    comparison: Comparison
    a: MatchResult
    b: MatchResult

    @property
    def difference(self) -> Estimate:
        """The first agent's win share minus the second's."""
        return mean(self.a.deal_shares - self.b.deal_shares)

    @property
    def margin_difference(self) -> Estimate:
        """The first agent's margin minus the second's, in points."""
        return mean(self.a.deal_margins - self.b.deal_margins)

    def games_for(self, width: float) -> int:
        """Estimate how many games of each agent an interval of ``difference`` needs.

        The estimate uses the variance of the differences in the deals that were played.

        Args:
            width: The width of the interval from end to end, such as 0.02 for plus or minus 0.01.

        Raises:
            ValueError: ``width`` is not between 1e-6 and 2, or only one deal was played.
        """
        differences = self.a.deal_shares - self.b.deal_shares
        return self.comparison.players * observations_for(differences, width)

    def to_json(self) -> dict[str, Any]:
        """Return the results and the settings as a dictionary for JSON."""
        played = self.comparison
        first, second, opponents = self._names()
        return {
            "game": played.game,
            "players": int(played.players),
            "rules": dict(played.rules),
            "agents": [first, second],
            "opponents": opponents,
            "games": int(played.deals * played.players),
            "deals": int(played.deals),
            "seed": int(played.seed),
            "results": [self.a.to_json(), self.b.to_json()],
            "difference": self.difference.to_json(),
            "margin_difference": self.margin_difference.to_json(),
            "games_needed": self._games_needed(),
        }

    def to_text(self) -> str:
        """Return a heading, a table of the results, and the games needed for narrower intervals."""
        played = self.comparison
        first, second, opponents = self._names()
        rules = "".join(f", {name}={setting}" for name, setting in played.rules.items())
        heading = (
            f"{played.game}, {played.players} players{rules}: "
            f"{played.deals * played.players:,} games of each agent among copies of {opponents}, "
            f"the same {played.deals:,} deck{'s' * (played.deals != 1)} from every seat, "
            f"seed {played.seed}; parity {1 / played.players:.3f}"
        )
        rows = [["agent", "win share", "95 %", "margin", "95 %"]]
        for name, result in ((first, self.a), (second, self.b)):
            rows.append([name, *result.share.texts(".3f"), *result.margin.texts("+z.2f")])
        differences = self.difference.texts("+z.3f"), self.margin_difference.texts("+z.2f")
        rows.append(["difference", *differences[0], *differences[1]])
        needed = [f"{width}: {games:,}" for width, games in self._games_needed().items()]
        parts = [heading, table(rows)]
        if needed:
            parts.append(
                "Games of each agent needed for an interval of the difference in win share, by its "
                f"width: {'; '.join(needed)}."
            )
        return "\n\n".join(parts)

    def _names(self) -> list[str]:
        """Return the names of the two agents and of their opponent."""
        named = self.comparison.named()
        return [agent if isinstance(agent, str) else agent.name for agent in named]

    def _games_needed(self) -> dict[str, int]:
        """Return the estimated number of games by width; empty after a single deal."""
        if self.comparison.deals < 2:
            return {}
        return {str(width): _about(self.games_for(width)) for width in WIDTHS}


def _about(number: int) -> int:
    """Round a number up to its first ``DIGITS`` digits."""
    unit: int = 10 ** max(len(str(number)) - DIGITS, 0)
    return -(-number // unit) * unit


def compare(
    a: Agent | str,
    b: Agent | str,
    game: str,
    players: int,
    games: int = 8_000,
    *,
    opponents: Agent | str | None = None,
    seed: int = 0,
    rules: Mapping[str, Any] | None = None,
    workers: int = 1,
) -> ComparisonResult:
    """Compare two agents by their win shares among copies of the same opponent.

    Each agent plays every deck once from every seat. Both have the same opponent and the same
    cards (in games that deal several times, only the first deal), so that the luck of the cards
    cancels in the difference. The two agents do not play against each other, unless ``opponents``
    is one of them: ``opponents=b`` compares ``a`` among copies of ``b`` with ``b`` among copies of
    itself, like ``Match(a, b, game, players)``.

    Args:
        a: The first agent, or a name for ``make_agent``.
        b: The second agent, or its name.
        game: The game's name.
        players: P.
        games: The number of games of each agent, rounded up to whole deals of P games.
        opponents: The agent, or its name, whose P - 1 copies take the other seats; None for the
            game's strongest baseline.
        seed: The seed of the decks, which do not depend on the agents, and of the agents'
            randomness.
        rules: Further fields of the game's rules.
        workers: The number of processes; it does not affect the result. More than one needs all
            agents by name.

    Returns:
        The results of both agents. ``difference`` is the difference of their win shares with its
        interval; ``games_for(width)`` estimates the number of games for an interval of that width.

    Raises:
        ValueError: An argument is invalid, an agent cannot be loaded, or an action is illegal.
    """
    comparison = Comparison(a, b, game, players, games, opponents, seed, rules or {})
    return comparison.play(workers)
