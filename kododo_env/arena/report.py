"""The results of a tournament: standings, pairwise win shares, intransitive triples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from kododo_env.arena.intervals import Estimate, mean, share
from kododo_env.arena.match import ChunkResult
from kododo_env.arena.ratings import REFERENCE, intransitive_triples, pair_shares, ratings
from kododo_env.arena.tournament import Tournament
from kododo_env.system.text_table import table


@dataclass(frozen=True)
class Standing:
    """The results of an agent.

    Attributes:
        agent: The agent's name.
        games: The number of games in which it played.
        share: Its win share per seat; 1 / P is parity.
        points: Its points.
        margin: Its points minus the mean of the other players' points.
        rating: Its rating; see ``kododo_env.arena.ratings``.
    """

    agent: str
    games: int
    share: Estimate
    points: Estimate
    margin: Estimate
    rating: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        facts = vars(self).items()
        return {
            name: fact.to_json() if isinstance(fact, Estimate) else fact for name, fact in facts
        }


@dataclass(frozen=True)
class TournamentReport:
    """The results of a tournament.

    Attributes:
        tournament: The tournament that was played.
        deals: The number of decks.
        standings: The results of each agent, the best first.
        pairs: For each pair of agents, the share of the row's agent in the pair's wins, in the
            order of ``tournament.agents``; see ``kododo_env.arena.ratings.pair_shares``.
        intransitive_triples: Names of three agents of which each beats the next, and the last
            beats the first.
    """

    tournament: Tournament
    deals: int
    standings: list[Standing]
    pairs: list[list[Estimate]]
    intransitive_triples: list[tuple[str, ...]]

    def to_json(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        played = self.tournament
        return {
            "game": played.game,
            "players": played.players,
            "rules": dict(played.rules),
            "agents": list(played.agents),
            "games": self.deals * played.players,
            "deals": self.deals,
            "seed": played.seed,
            "standings": [standing.to_json() for standing in self.standings],
            "pairs": [[cell.to_json() for cell in row] for row in self.pairs],
            "intransitive_triples": [list(triple) for triple in self.intransitive_triples],
        }

    def to_text(self) -> str:
        """Return a heading, the standings, the pairs and the intransitive triples as text."""
        parts = [f"{self.heading}\n\n{self._standings()}"]
        if len(self.tournament.agents) > 2:
            title = (
                "Share of the row's agent in the wins of both; * = 95 % interval excludes one half"
            )
            parts.append(f"{title}\n{self._pairs()}")
            triples = [
                f"Intransitive: {' beats '.join((*t, t[0]))}" for t in self.intransitive_triples
            ]
            parts.append("\n".join(triples) or "No three agents beat each other in a circle.")
        return "\n\n".join(parts)

    @property
    def heading(self) -> str:
        """A line with the game, the rules, the numbers of games and decks, the seed and parity."""
        played = self.tournament
        rules = "".join(f", {name}={setting}" for name, setting in played.rules.items())
        return (
            f"{played.game}, {played.players} players{rules}: "
            f"{self.deals * played.players:,} games, "
            f"{self.deals:,} deck{'s' * (self.deals != 1)} from every seat, "
            f"seed {played.seed}; parity {1 / played.players:.3f}"
        )

    def _standings(self) -> str:
        zero = REFERENCE if REFERENCE in self.tournament.agents else "the mean"
        rating = f"rating ({zero} = 0)"
        rows = [["agent", "win share", "95 %", "points", "margin", "95 %", rating, "95 %"]]
        for standing in self.standings:
            row = [standing.agent, *standing.share.texts(".3f"), f"{standing.points.mean:.2f}"]
            rows.append([*row, *standing.margin.texts("+z.2f"), *standing.rating.texts("+z.0f")])
        return table(rows)

    def _pairs(self) -> str:
        names = self.tournament.agents
        rows = zip(names, self.pairs, strict=True)
        return table([["", *names], *([name, *map(_cell, row)] for name, row in rows)])


def _cell(pair: Estimate) -> str:
    if not isfinite(pair.mean):
        return "-"
    return f"{'*' if pair.low > 0.5 or pair.high < 0.5 else ''}{pair.mean:.3f}"


def build_report(tournament: Tournament, results: Iterable[ChunkResult]) -> TournamentReport:
    """Build the report of a tournament from the results of all chunks, in any order."""
    in_order = sorted(results, key=lambda result: result.chunk.index)
    names = tournament.agents
    players = tournament.players
    lineups = np.concatenate([[part.chunk.lineup] * part.chunk.deals for part in in_order])
    shares = np.concatenate([part.shares for part in in_order])
    points = np.concatenate([part.points for part in in_order])
    margins = (points - points.mean(axis=1, keepdims=True)) * players / (players - 1)
    places = [lineups == agent for agent in range(len(names))]
    seats = np.stack([at.sum(axis=1) for at in places], axis=1)
    of_agents = [
        np.stack([(values * at).sum(axis=1) for at in places], axis=1)
        for values in (shares, points, margins)
    ]
    pairs = pair_shares(of_agents[0], seats)
    rated = ratings(of_agents[0], seats, names, tournament.seed)
    standings = []
    for agent, name in enumerate(names):
        deals = seats[:, agent] > 0
        _, kinds = np.unique(seats[deals], axis=0, return_inverse=True)
        kinds = kinds.ravel()  # a column in numpy 2.0.0
        won, scored, ahead = (sums[deals, agent] / seats[deals, agent] for sums in of_agents)
        measured = share(won, strata=kinds), mean(scored, kinds), mean(ahead, kinds)
        standings.append(Standing(name, int(deals.sum()) * players, *measured, rated[agent]))
    return TournamentReport(
        tournament,
        len(lineups),
        sorted(standings, key=lambda standing: -standing.share.mean),
        pairs,
        [tuple(names[agent] for agent in triple) for triple in intransitive_triples(pairs)],
    )
