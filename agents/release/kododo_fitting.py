"""Make the tables of Kododo's heuristic anew: ``python -m agents.release.kododo_fitting``.

The heuristic plays, at tables mixed with the follower and the random player and with some
random choices thrown in, so that bad positions are known too. From what came of every
choice the tables are fitted; with these it plays on. Each fit rests on the later half of all
games so far (as in fictitious play, G. W. Brown 1951), since answers to the last tables
alone would go round in circles. Needs scipy and some ten minutes of one core.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from agents.commands.cli import check_output, run_cli
from agents.file_argument import FilePath
from kododo_env.baselines.kododo import FollowAgent, HeuristicAgent, choices_of_turn
from kododo_env.baselines.kododo_chances import (
    TABLES,
    Laid,
    Lookup,
    Situation,
    Tables,
    chance_lookups,
    gain_lookups,
    kododo_lookup,
    reply_lookups,
)
from kododo_env.core.agent import Agent, RandomAgent, random_legal_actions
from kododo_env.core.bounds import check_settings
from kododo_env.games.kododo import KododoGame, KododoView, Rules
from kododo_env.games.kododo.rules import KODODO_VALUE, REMOVED
from kododo_env.games.kododo.scoring import NOBODY, kododo_round, scoring_colour
from kododo_env.system.files import written_whole

Array = npt.NDArray[Any]
Evidence = dict[str, Array]
"""Positions in tables, by the tables' names, and what was found there; see ``evidence``."""

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
"""The tables whose sum weighs the colours against each other, by turn."""


# --- playing ----------------------------------------------------------------------------------


@dataclass
class Decision:
    """What one player saw and laid, in all games of a batch."""

    player: int
    now: Situation
    laid: Laid


@dataclass
class Outcome:
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

    @classmethod
    def of(cls, table: Array, rules: Rules) -> Outcome:
        """From the cards on the table at the end, (N, P, 4)."""
        colour, value = np.divmod(np.moveaxis(table, 0, -1).astype(np.intp), rules.num_values)
        value += 1
        which = colour[:, :, None] == np.arange(rules.num_colours)[:, None]
        kododos = (value == KODODO_VALUE).sum(axis=1)
        winner = scoring_colour(which.sum(axis=(0, 1)), rules.limit).astype(np.intp)
        winner[winner == NOBODY] = rules.num_colours
        winner[kododo_round(kododos, rules.kododo_number)] = rules.num_colours + 1
        return cls(which.sum(axis=1), (which * value[:, :, None]).sum(axis=1), kododos, winner)


def play(rules: Rules, num: int, heuristic: Agent, seed: int) -> Iterator[tuple[Decision, Outcome]]:
    """Play games at mixed tables; yields every decision with how its round ended."""
    rng = np.random.default_rng(seed)
    game = KododoGame(num, rules, seed)
    agents: list[Agent] = [heuristic, FollowAgent(), RandomAgent()]
    seats = rng.choice(len(agents), size=(rules.num_players, num), p=SEATS)
    while not game.terminated.all():
        decisions: list[Decision] = []
        for _ in range(rules.num_turns):
            actions = [
                _mixed(game, player, agents, seats[player], rng) for player in range(len(seats))
            ]
            decisions += [_decision(game, player, own) for player, own in enumerate(actions)]
            game.step(np.stack(actions, axis=1))
        outcome = Outcome.of(game.last_table, rules)
        yield from ((decision, outcome) for decision in decisions)


def _mixed(
    game: KododoGame, player: int, agents: list[Agent], seat: Array, rng: np.random.Generator
) -> Array:
    """One seat's actions, (N,), by the agent that sits there in each game."""
    view = game.view(player)
    actions = np.choose(seat, [agent.act(view, rng) for agent in agents])
    astray = rng.random(len(seat)) < ASTRAY
    return np.where(astray, random_legal_actions(view.legal_action_mask, rng), actions)


def _decision(game: KododoGame, player: int, actions: Array) -> Decision:
    where, choices = choices_of_turn(game.rules, game.turn)
    now = Situation(cast("KododoView", game.view(player)))
    return Decision(player, now, now.after(choices).only(actions - where.start))


# --- what the games say -----------------------------------------------------------------------


class Archive:
    """The tables of one number of players, and the games they rest on.

    Args:
        rules: The rules.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.sizes: dict[str, int] = {}
        self.tables: Tables = {}
        self.batches: list[Evidence] = []

    def add(self, num: int, heuristic: Agent, seed: int) -> None:
        """Play games and keep what they say."""
        found: dict[str, list[Array]] = defaultdict(list)
        for decision, outcome in play(self.rules, num, heuristic, seed):
            for name, array in self._evidence(decision, outcome):
                found[name].append(array)
        self.batches.append({name: np.concatenate(all_, axis=-1) for name, all_ in found.items()})

    def _positions(self, name: str, lookup: Lookup) -> tuple[str, Array]:
        self.sizes[name] = lookup[1]
        return name, lookup[0].astype(np.int16)

    def _evidence(self, decision: Decision, outcome: Outcome) -> Iterator[tuple[str, Array]]:
        """What a decision says: positions in tables, and under other names what came of it."""
        now, laid = decision.now, decision.laid
        name, lookup = kododo_lookup(now, laid)
        yield self._positions(name, (lookup[0][0], lookup[1]))
        yield f"{now.turn} scored", outcome.winner.astype(np.int8)
        parts = self._later if now.turns_left else self._reply
        yield from parts(decision, outcome)

    def _later(self, decision: Decision, outcome: Outcome) -> Iterator[tuple[str, Array]]:
        """In the first turns: what scored, and how many points came later in that colour."""
        now, laid, seat = decision.now, decision.laid, decision.player
        for name, (at, size) in chance_lookups(now, laid).items():
            yield self._positions(name, (at[0], size))
        own = outcome.points[seat] - now.points[0] - laid.points[0]
        others = (outcome.points.sum(axis=0) - outcome.points[seat]) / (len(outcome.points) - 1)
        games = np.flatnonzero(outcome.winner < self.rules.num_colours)
        where = outcome.winner[games], games
        for (name, (at, size)), gain in zip(
            gain_lookups(now, laid), (own, others - now.others), strict=True
        ):
            yield self._positions(name, (at[0][where], size))
            yield f"{name} gain", gain[where].astype(np.float32)
        exact = outcome.winner == self.rules.num_colours + 1
        later = outcome.kododos[seat] - now.table_kododos[0] - laid.kododos[0]
        yield f"{now.turn} kododos", np.stack([laid.kept_kododos[0], later])[:, exact]

    def _reply(self, decision: Decision, outcome: Outcome) -> Iterator[tuple[str, Array]]:
        """In the last turn: which colour the next seat laid, and its value if that scored."""
        now, player = decision.now, (decision.player + 1) % self.rules.num_players
        for name, lookup in reply_lookups(now, 1).items():
            yield self._positions(name, lookup)
        laid = outcome.cards[player] - now.cards[1]
        yield "2 laid", laid.argmax(axis=0).astype(np.int8)
        scored = np.arange(len(laid))[:, None] == outcome.winner
        yield "2 values", (outcome.points[player] - now.points[1])[scored & (laid > 0)]

    # --- fitting ------------------------------------------------------------------------------

    def fit(self, steps: int) -> None:
        """Fit all tables to the later half of the games.

        Args:
            steps: Steps of the fit of each turn's weights; it goes on from the last one.
        """
        recent = self.batches[len(self.batches) // 2 :]
        found = {n: np.concatenate([batch[n] for batch in recent], axis=-1) for n in recent[0]}
        for turn in (0, 1):
            self._fit_chances(turn, found, steps)
            for name in (f"{turn}/own", f"{turn}/others"):
                self.tables[name] = _means(found[name], found[f"{name} gain"], self.sizes[name])
            kept, later = found[f"{turn} kododos"].astype(np.float32)
            self.tables[f"{turn}/more_kododos"] = np.array(
                [kept @ later / max(kept @ kept, 1)], np.float32
            )
        rows = [_Rows(name, 0, found[name], self.sizes[name]) for name in WEIGHTS[2]]
        self._fit_weights(rows, found["2 laid"], steps)
        exact = found["2 scored"] == self.rules.num_colours + 1
        self.tables["2/kododo"] = _means(found["2/kododo"], exact, self.sizes["2/kododo"])
        self.tables["2/card_points"] = np.array([found["2 values"].mean()], np.float32)

    def _fit_chances(self, turn: int, found: Evidence, steps: int) -> None:
        colours, scored = self.rules.num_colours, found[f"{turn} scored"]
        kododo, nobody = f"{turn}/kododo", f"{turn}/nobody"
        everywhere = np.zeros((1, len(scored)), np.int16)
        rows = [_Rows(name, 0, found[name], self.sizes[name]) for name in WEIGHTS[turn]]
        rows += [
            _Rows(nobody, colours, everywhere, 1),
            _Rows(kododo, colours + 1, found[kododo][None], self.sizes[kododo], RARE),
        ]
        self._fit_weights(rows, scored, steps)

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


@dataclass
class _Rows:
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


def _surprise(rows: list[_Rows], tables: list[Array], happened: Array) -> tuple[float, list[Array]]:
    """Minus the log of the chance of all that happened, and its slope along each table."""
    weights = np.zeros((max(each.first + len(each.at) for each in rows), len(happened)), np.float32)
    for each, table in zip(rows, tables, strict=True):
        weights[each.first : each.first + len(each.at)] += table[each.at]
    cases = np.arange(len(happened))
    weights -= weights.max(axis=0)
    seen = weights[happened, cases]
    np.exp(weights, out=weights)
    sums = weights.sum(axis=0)
    total = float((np.log(sums) - seen).sum(dtype=np.float64))
    slope = weights / sums
    slope[happened, cases] -= 1
    return total, [
        np.bincount(
            each.at.ravel(), slope[each.first : each.first + len(each.at)].ravel(), each.size
        )
        for each in rows
    ]


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


@dataclass(frozen=True)
class FittingConfig:
    """Make the tables of Kododo's heuristic for the given numbers of players; keep the others."""

    players: tuple[int, ...] = tuple(sorted(REMOVED))
    """For how many players; if not given, for all there may be."""
    rounds: int = 32
    """How often to play and fit."""
    games: int = 1000
    """Games each time."""
    seed: int = 0
    """Seed of everything random."""
    out: FilePath = TABLES
    """The file of the tables."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        for players in self.players:
            Rules(players)  # raises if so many cannot play


def fit_tables(config: FittingConfig) -> None:
    """Play, fit and write; ValueError, and nothing played, if it cannot be written."""
    check_output(config.out, [".npz"])
    tables: dict[str, Any] = {}
    if config.out.exists():
        with np.load(config.out, allow_pickle=False) as file:
            tables.update(file)
    for players in config.players:
        found = tables_from_play(Rules(players), config.rounds, config.games, config.seed)
        tables.update({f"{players}/{name}": table for name, table in found.items()})
        print(f"{players} players: {sum(map(np.size, found.values()))} numbers")
    with written_whole(config.out) as aside:
        np.savez_compressed(aside, **tables)


if __name__ == "__main__":
    run_cli(FittingConfig, fit_tables)
