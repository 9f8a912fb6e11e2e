"""What a tournament showed: standings, who beats whom, intransitive triples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import numpy as np

from kododo_env.arena.intervals import Estimate, mean, share
from kododo_env.arena.play import Array, ChunkResult
from kododo_env.arena.ratings import REFERENCE, intransitive_triples, pair_shares, ratings
from kododo_env.arena.tables import table
from kododo_env.arena.tournament import Tournament


@dataclass(frozen=True)
class Standing:
    """How an agent did. Against copies, what counts is when it was alone.

    Attributes:
        agent: Its name.
        games: In how many games it played.
        share: Its share of the victory, for each of its seats; 1 / P is parity.
        points: Its points.
        margin: Its points minus the mean of the others at the table.
        rating: Its strength; see ``kododo_env.arena.ratings``.
    """

    agent: str
    games: int
    share: Estimate
    points: Estimate
    margin: Estimate
    rating: Estimate


@dataclass(frozen=True)
class Report:
    """What a tournament showed.

    Attributes:
        tournament: What was played.
        deals: How many decks.
        standings: The agents, the best first.
        pairs: Of the victories that one of two took at tables they shared, the share of
            the row's agent; in the order of ``tournament.agents``.
        alone: The share of the row's agent against P - 1 copies of the column's; None
            unless that was played.
        intransitive_triples: Names of three agents of which each beats the next and the last
            the first.
    """

    tournament: Tournament
    deals: int
    standings: list[Standing]
    pairs: list[list[Estimate]]
    alone: list[list[Estimate]] | None
    intransitive_triples: list[tuple[str, ...]]

    def to_json(self) -> dict[str, Any]:
        """As a dictionary for JSON."""
        played = self.tournament
        facts = {
            "game": played.game,
            "players": played.players,
            "rules": dict(played.rules),
            "agents": list(played.agents),
            "games": self.deals * played.players,
            "deals": self.deals,
            "seed": played.seed,
            "against_copies": played.against_copies,
        }
        found = ("standings", "pairs", "alone", "intransitive_triples")
        return facts | {name: _plain(getattr(self, name)) for name in found}

    def to_text(self) -> str:
        """As aligned lines of text."""
        played, names = self.tournament, self.tournament.agents
        parity = 1 / played.players
        parts = [f"{heading(self)}\n\n{_standings(self)}"]
        if self.alone is not None:
            title = "Share of the row's agent, alone against copies of the column's; * = not parity"
            parts.append(f"{title}\n{_matrix(self.alone, names, parity)}")
        if len(names) > 2:
            title = (
                "Of the victories that one of two took, the row's share; * = surely not one half"
            )
            parts.append(f"{title}\n{_matrix(self.pairs, names, 0.5)}")
            triples = [
                f"Intransitive: {' beats '.join((*t, t[0]))}" for t in self.intransitive_triples
            ]
            parts.append("\n".join(triples) or "No three agents beat each other in a circle.")
        return "\n\n".join(parts)


def build_report(tournament: Tournament, results: Iterable[ChunkResult]) -> Report:
    """Add up the results of all chunks of a tournament, given in any order."""
    in_order = sorted(results, key=lambda result: result.chunk.index)
    names = tournament.agents
    lineups = np.concatenate([[each.chunk.lineup] * each.chunk.deals for each in in_order])
    shares = np.concatenate([each.shares for each in in_order])
    points = np.concatenate([each.points for each in in_order])
    seats = np.stack([(lineups == agent).sum(axis=1) for agent in range(len(names))], axis=1)
    won = np.stack(
        [(shares * (lineups == agent)).sum(axis=1) for agent in range(len(names))], axis=1
    )
    pairs = pair_shares(won, seats)
    rated = ratings(won, seats, names, tournament.seed)
    standings = [
        _standing(tournament, agent, rated[agent], lineups, shares, points)
        for agent in range(len(names))
    ]
    return Report(
        tournament,
        len(lineups),
        sorted(standings, key=lambda standing: -standing.share.mean),
        pairs,
        _alone(len(names), lineups, shares) if tournament.against_copies else None,
        [tuple(names[agent] for agent in triple) for triple in intransitive_triples(pairs)],
    )


def _standing(
    tournament: Tournament, agent: int, rating: Estimate, lineups: Any, shares: Array, points: Array
) -> Standing:
    places = lineups == agent
    if tournament.against_copies:
        places[:, 1:] = False  # only where it was alone
    deals = places.any(axis=1)
    places = places[deals]
    num_players = lineups.shape[1]
    _, kinds = np.unique(np.sort(lineups[deals], axis=1), axis=0, return_inverse=True)
    margins = (points - points.mean(axis=1, keepdims=True)) * num_players / (num_players - 1)

    def of_seats(values: Array) -> Array:
        seated: Array = np.sum(values[deals] * places, axis=1) / places.sum(axis=1)
        return seated

    return Standing(
        tournament.agents[agent],
        int(deals.sum()) * num_players,
        share(of_seats(shares), strata=kinds),
        mean(of_seats(points), kinds),
        mean(of_seats(margins), kinds),
        rating,
    )


def _alone(num_agents: int, lineups: Any, shares: Array) -> list[list[Estimate]]:
    """The shares of each agent against copies of each other one."""
    unknown = Estimate(nan, nan, nan)
    found = [[unknown] * num_agents for _ in range(num_agents)]
    for one, copies in np.unique(lineups[:, :2], axis=0):
        deals = (lineups[:, :2] == (one, copies)).all(axis=1)
        found[one][copies] = share(shares[deals, 0])
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return value.to_json()
    if isinstance(value, Standing):
        return {name: _plain(each) for name, each in vars(value).items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


# --- as text --------------------------------------------------------------------------------


def heading(report: Report) -> str:
    """What was played, in a line."""
    played = report.tournament
    rules = "".join(f", {name}={value}" for name, value in played.rules.items())
    games, parity = report.deals * played.players, 1 / played.players
    return (
        f"{played.game}, {played.players} players{rules}: {games:,} games, "
        f"{report.deals:,} decks from every seat, seed {played.seed}; parity {parity:.3f}"
    )


def _standings(report: Report) -> str:
    zero = REFERENCE if REFERENCE in report.tournament.agents else "the mean"
    what = "alone" if report.tournament.against_copies else "win share"
    rows = [["agent", what, "95 %", "points", "margin", "95 %", f"rating ({zero} = 0)", "95 %"]]
    for each in report.standings:
        row = [each.agent, *each.share.texts(".3f"), f"{each.points.mean:.2f}"]
        rows.append([*row, *each.margin.texts("+.2f"), *each.rating.texts("+.0f")])
    return table(rows)


def _matrix(cells: list[list[Estimate]], names: Sequence[str], even: float) -> str:
    rows = [["", *names]]
    for name, row in zip(names, cells, strict=True):
        rows.append([name, *(_cell(cell, even) for cell in row)])
    return table(rows)


def _cell(estimate: Estimate, even: float) -> str:
    if not isfinite(estimate.mean):
        return "-"
    sure = estimate.low > even or estimate.high < even
    return f"{'*' if sure else ''}{estimate.mean:.3f}"
