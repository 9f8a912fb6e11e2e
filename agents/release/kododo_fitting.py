"""Make the tables of Kododo's heuristic anew: ``python -m agents.release.kododo_fitting``.

The heuristic plays, at tables mixed with the follower and the random player and with some
random choices thrown in, so that bad positions are known too. From what came of every
choice the tables are fitted; with these it plays on. Each fit rests on the later half of all
games so far (as in fictitious play, G. W. Brown 1951), since answers to the last tables
alone would go round in circles. Needs scipy and some ten minutes of one core.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from kododo_env.baselines.kododo import FollowAgent, HeuristicAgent, choices_of_turn
from kododo_env.baselines.kododo_chances import (
    TABLES,
    Laid,
    Situation,
    Tables,
    chance_lookups,
    gain_lookups,
    kododo_lookup,
    reply_lookups,
)
from kododo_env.core.agent import Agent, RandomAgent, random_legal_actions
from kododo_env.games.kododo import KododoGame, KododoView, Rules
from kododo_env.games.kododo.rules import REMOVED
from kododo_env.games.kododo.scoring import NOBODY, kododo_round, scoring_colour
from kododo_env.system.files import written_whole

Array = npt.NDArray[Any]

SEATS = (0.5, 0.25, 0.25)  # how often a seat is the heuristic's, the follower's, at random
ASTRAY = 0.1  # how often a choice is made at random instead
NOISE = 0.05  # of the heuristic while it learns, in points
PULL = 2.0  # how hard weights are drawn to where they start, as if by so many rows
RARE = -4.0  # where the weights of the Kododo clause start; all others at 0
WEIGHTS = {
    0: ("0/opening",),
    1: ("1/pattern", "1/unseen", "1/hand"),
    2: ("2/pattern", "2/points", "2/unseen"),
}
"""The tables whose sums are the weights of the colours, by turn."""


# --- playing ----------------------------------------------------------------------------------


class Decision(NamedTuple):
    """A seat, what it saw and what it laid, in all games of a batch."""

    seat: int
    now: Situation
    laid: Laid


class Outcome(NamedTuple):
    """How a round ended.

    Attributes:
        cards: Cards by seat and colour, (P, C, N).
        points: Their values added up, (P, C, N).
        kododos: Kododo cards by seat, (P, N).
        winner: The scoring colour, C for nobody, C + 1 for the Kododo clause; (N,).
    """

    cards: Array
    points: Array
    kododos: Array
    winner: Array


def outcome_of(last: Sequence[Decision], rules: Rules) -> Outcome:
    """From what everybody saw and laid in the last turn, by seat."""
    cards = np.stack([now.cards[0] + laid.cards[0] for _, now, laid in last])
    points = np.stack([now.points[0] + laid.points[0] for _, now, laid in last])
    kododos = np.stack([now.table_kododos[0] + laid.kododos[0] for _, now, laid in last])
    winner = scoring_colour(cards.sum(axis=0), rules.limit).astype(np.intp)
    winner[winner == NOBODY] = rules.num_colours
    winner[kododo_round(kododos, rules.kododo_number)] = rules.num_colours + 1
    return Outcome(cards, points, kododos, winner)


def play(rules: Rules, num: int, heuristic: Agent, seed: int) -> Iterator[tuple[Decision, Outcome]]:
    """Play games at mixed tables; yields every decision with how its round ended."""
    rng = np.random.default_rng(seed)
    game = KododoGame(num, rules, seed)
    agents = (heuristic, FollowAgent(), RandomAgent())
    seats = rng.choice(len(agents), size=(rules.num_players, num), p=SEATS)
    while not game.terminated.all():
        decisions: list[Decision] = []
        for _ in range(rules.num_turns):
            where, choices = choices_of_turn(rules, game.turn)
            actions = []
            for player, seat in enumerate(seats):
                view = cast("KododoView", game.view(player))
                chosen = np.choose(seat, [agent.act(view, rng) for agent in agents])
                astray = rng.random(num) < ASTRAY
                other = random_legal_actions(view.legal_action_mask, rng)
                actions.append(np.where(astray, other, chosen))
                now = Situation(view)
                laid = now.after(choices).only(actions[-1] - where.start)
                decisions.append(Decision(player, now, laid))
            game.step(np.stack(actions, axis=1))
        outcome = outcome_of(decisions[-rules.num_players :], rules)
        yield from ((decision, outcome) for decision in decisions)


# --- what the games say -----------------------------------------------------------------------

Evidence = Iterator[tuple[str, Array, int]]
"""Positions in tables, by the tables' names and with their sizes; under other names, with size
0, what was found there."""


def evidence(decision: Decision, outcome: Outcome, rules: Rules) -> Evidence:
    """What a decision says of the tables of its turn."""
    _, now, laid = decision
    name, (at, size) = kododo_lookup(now, laid)
    yield name, at[0].astype(np.int16), size
    yield f"{now.turn} scored", outcome.winner.astype(np.int8), 0
    yield from (_later if now.turns_left else _reply)(decision, outcome, rules)


def _later(decision: Decision, outcome: Outcome, rules: Rules) -> Evidence:
    """In the first turns: what scored, and how many points came later in that colour."""
    seat, now, laid = decision
    for name, (at, size) in chance_lookups(now, laid).items():
        yield name, at[0].astype(np.int16), size
    own = outcome.points[seat] - now.points[0] - laid.points[0]
    others = (outcome.points.sum(axis=0) - outcome.points[seat]) / (rules.num_players - 1)
    games = np.flatnonzero(outcome.winner < rules.num_colours)
    where = outcome.winner[games], games
    gains = own, others - now.others
    for (name, (at, size)), gain in zip(gain_lookups(now, laid), gains, strict=True):
        yield name, at[0][where].astype(np.int16), size
        yield f"{name} gain", gain[where].astype(np.float32), 0
    exact = outcome.winner == rules.num_colours + 1
    later = outcome.kododos[seat] - now.table_kododos[0] - laid.kododos[0]
    yield f"{now.turn} kododos", np.stack([laid.kept_kododos[0], later])[:, exact], 0


def _reply(decision: Decision, outcome: Outcome, rules: Rules) -> Evidence:
    """In the last turn: which colour the next seat laid, and its value if that scored."""
    seat, now, _ = decision
    player = (seat + 1) % rules.num_players
    for name, (at, size) in reply_lookups(now, 1).items():
        yield name, at.astype(np.int16), size
    laid = outcome.cards[player] - now.cards[1]
    yield "2 laid", laid.argmax(axis=0).astype(np.int8), 0
    scored = np.arange(len(laid))[:, None] == outcome.winner
    yield "2 values", (outcome.points[player] - now.points[1])[scored & (laid > 0)], 0


# --- fitting ----------------------------------------------------------------------------------


class Archive:
    """The tables of one number of players, and the games they rest on."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.sizes: dict[str, int] = {}
        self.tables: Tables = {}
        self.batches: list[dict[str, Array]] = []

    def add(self, num: int, heuristic: Agent, seed: int) -> None:
        """Play games and keep what they say."""
        found: dict[str, list[Array]] = defaultdict(list)
        for decision, outcome in play(self.rules, num, heuristic, seed):
            for name, array, size in evidence(decision, outcome, self.rules):
                self.sizes[name] = size
                found[name].append(array)
        self.batches.append({name: np.concatenate(all_, axis=-1) for name, all_ in found.items()})

    def fit(self, steps: int) -> None:
        """Fit all tables to the later half of the games.

        Args:
            steps: Steps of the fit of each turn's weights; it goes on from the last one.
        """
        recent = self.batches[len(self.batches) // 2 :]
        found = {n: np.concatenate([batch[n] for batch in recent], axis=-1) for n in recent[0]}
        colours, sizes = self.rules.num_colours, self.sizes
        for turn in (0, 1):
            happened, kododo = found[f"{turn} scored"], f"{turn}/kododo"
            everywhere = np.zeros((1, len(happened)), np.int16)
            rows = [_Rows(name, 0, found[name], sizes[name]) for name in WEIGHTS[turn]]
            rows.append(_Rows(f"{turn}/nobody", colours, everywhere, 1))
            rows.append(_Rows(kododo, colours + 1, found[kododo][None], sizes[kododo], RARE))
            self._fit_weights(rows, happened, steps)
            for name in (f"{turn}/own", f"{turn}/others"):
                self.tables[name] = _means(found[name], found[f"{name} gain"], sizes[name])
            kept, later = found[f"{turn} kododos"].astype(np.float32)
            more = kept @ later / max(kept @ kept, 1)
            self.tables[f"{turn}/more_kododos"] = np.array([more], np.float32)
        rows = [_Rows(name, 0, found[name], sizes[name]) for name in WEIGHTS[2]]
        self._fit_weights(rows, found["2 laid"], steps)
        exact = found["2 scored"] == colours + 1
        self.tables["2/kododo"] = _means(found["2/kododo"], exact, sizes["2/kododo"])
        self.tables["2/card_points"] = np.array([found["2 values"].mean()], np.float32)

    def _fit_weights(self, rows: list[_Rows], happened: Array, steps: int) -> None:
        """Fit the tables' weights: the exponentials' shares are the chances of what happened."""
        ends = np.cumsum([each.size for each in rows])[:-1]
        start = np.concatenate([np.full(each.size, each.start) for each in rows])
        known = [self.tables.get(each.name, np.full(each.size, each.start)) for each in rows]

        def loss(weights: Array) -> tuple[float, Array]:
            tables = np.split(weights.astype(np.float32), ends)
            total, slopes = _surprise(rows, tables, happened)
            away = weights - start
            total += PULL * float(away @ away)
            return total / len(happened), (np.concatenate(slopes) + 2 * PULL * away) / len(happened)

        result = minimize(
            loss, np.concatenate(known), jac=True, method="L-BFGS-B", options={"maxiter": steps}
        )
        for each, table in zip(rows, np.split(result.x, ends), strict=True):
            self.tables[each.name] = table.astype(np.float32)


class _Rows(NamedTuple):
    """A table that is added to some of the weights: to the rows from ``first`` on.

    Attributes:
        name: The table.
        first: The first row.
        at: Positions in the table, (rows, M).
        size: The table's size.
        start: What its weights are where nothing is known.
    """

    name: str
    first: int
    at: Array
    size: int
    start: float = 0.0

    @property
    def where(self) -> slice:
        """The rows."""
        return slice(self.first, self.first + len(self.at))


def _surprise(rows: list[_Rows], tables: list[Array], happened: Array) -> tuple[float, list[Array]]:
    """Minus the log of the chance of all that happened, and its slope along each table."""
    weights = np.zeros((max(each.where.stop for each in rows), len(happened)), np.float32)
    for each, table in zip(rows, tables, strict=True):
        weights[each.where] += table[each.at]
    cases = np.arange(len(happened))
    weights -= weights.max(axis=0)
    seen = weights[happened, cases]
    np.exp(weights, out=weights)
    sums = weights.sum(axis=0)
    total = float((np.log(sums) - seen).sum(dtype=np.float64))
    slope = weights / sums
    slope[happened, cases] -= 1
    return total, [np.bincount(r.at.ravel(), slope[r.where].ravel(), r.size) for r in rows]


def _means(at: Array, gains: Array, size: int, pull: float = 5.0) -> npt.NDArray[np.float32]:
    """The mean gain at each position, drawn to the mean of all as if by so many of those."""
    number = np.bincount(at, minlength=size)
    total = np.bincount(at, weights=gains, minlength=size)
    means: npt.NDArray[np.float32]
    means = ((total + pull * gains.mean()) / (number + pull)).astype(np.float32)
    return means


# --- the whole --------------------------------------------------------------------------------


def tables_from_play(rules: Rules, rounds: int, games: int, seed: int) -> Tables:
    """Play and fit in turns, from a follower in the heuristic's place to a fixed point."""
    archive = Archive(rules)
    heuristic: Agent = FollowAgent()
    for index in range(rounds):
        archive.add(games, heuristic, seed + index)
        archive.fit(steps=12 if index else 60)
        heuristic = HeuristicAgent(NOISE, archive.tables)
    archive.fit(steps=60)
    return archive.tables


def fit_tables(
    path: Path, players: Sequence[int], rounds: int = 32, games: int = 1000, seed: int = 0
) -> None:
    """Make the tables for some numbers of players, and write them whole or not at all."""
    tables: dict[str, Any] = {}
    for number in players:
        found = tables_from_play(Rules(number), rounds, games, seed)
        tables |= {f"{number}/{name}": table for name, table in found.items()}
    with written_whole(path) as aside:
        np.savez_compressed(aside, **tables)


if __name__ == "__main__":
    fit_tables(TABLES, sorted(REMOVED))
