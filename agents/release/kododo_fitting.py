"""Make the tables of Kododo's heuristic again: ``python -m agents.release.kododo_fitting``.

The heuristic plays, at tables mixed with the follower and the random player and with some
random choices thrown in, so that bad positions are known too. The tables are fitted to the
consequences of every choice; with these it plays on. Each fit rests on the later half of all
games so far (as in fictitious play, G. W. Brown 1951), since answers to the last tables
alone would go round in circles. Needs scipy and some ten minutes of one core.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import log_softmax

from kododo_env.baselines import kododo_chances as chances
from kododo_env.baselines.kododo import FollowAgent, HeuristicAgent
from kododo_env.baselines.kododo_chances import Laid, Situation, Tables
from kododo_env.baselines.kododo_laying import choices_of_turn
from kododo_env.core.agent import Agent, RandomAgent, random_legal_actions
from kododo_env.core.arrays import Array
from kododo_env.games.kododo import KododoGame, KododoView, Rules
from kododo_env.games.kododo.rules import REMOVED
from kododo_env.games.kododo.scoring import NOBODY, kododo_round, scoring_colour
from kododo_env.system.files import written_whole

SEATS = (0.5, 0.25, 0.25)  # how often a seat is the heuristic's, the follower's, at random
ASTRAY = 0.1  # how often a choice is made at random instead
NOISE = 0.05  # of the heuristic while it learns, in points
PULL = 2.0  # how hard weights are drawn to where they start, as if by this many rows
MEAN_PULL = 5.0  # how hard a mean is drawn to the mean of all, as if by this many of those
RARE = -4.0  # where the weights of the Kododo clause start; all others at 0

Decision = tuple[int, Situation, Laid]
"""A seat, its view and the cards that it laid, in all games of a batch."""


def rounds_of_play(rules: Rules, num: int, heuristic: Agent, seed: int) -> Iterator[list[Decision]]:
    """Play games at mixed tables; yields the decisions of each round, turn by turn."""
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
                decisions.append((player, now, laid))
            game.step(np.stack(actions, axis=1))
        yield decisions


def evidence(decisions: Sequence[Decision], rules: Rules) -> Iterator[tuple[str, Array, int]]:
    """The evidence of a round for the tables.

    Yields:
        A table's name, the positions in it that were looked up, and its size. With size 0, what was
        gained there under ``gain NAME``, and the events of a turn under ``TURN happened``.
    """
    last = decisions[-rules.num_players :]
    # By seat how the round ended: cards and points by colour, (P, C, N), and Kododo cards, (P, N).
    cards, points, kododos = (
        np.stack([getattr(now, there)[0] + getattr(laid, more)[0] for _, now, laid in last])
        for there, more in (("cards",) * 2, ("points",) * 2, ("table_kododos", "kododos"))
    )
    nobody, clause = rules.num_colours, rules.num_colours + 1
    winner: Array = scoring_colour(cards.sum(axis=0), rules.limit)  # or one of these, (N,)
    winner[winner == NOBODY] = nobody
    winner[kododo_round(kododos.sum(axis=0), rules.kododo_number)] = clause
    games = np.flatnonzero(winner < nobody)
    where = winner[games], games
    for seat, now, laid in decisions:
        kododo, (at, size) = chances.kododo_lookup(now, laid)
        yield kododo, at[0], size
        if not now.turns_left:
            yield f"gain {kododo}", winner == clause, 0
            # Which colour the next seat laid, and its value if that scored.
            player = (seat + 1) % rules.num_players
            for name, (at, size) in chances.reply_lookups(now, 1).items():
                yield name, at, size
            added = cards[player] - now.cards[1]
            yield "2 happened", added.argmax(axis=0), 0
            scored = np.arange(len(added))[:, None] == winner
            values = (points[player] - now.points[1])[scored & (added > 0)]
            yield "2/card_points", np.zeros_like(values), 1
            yield "gain 2/card_points", values, 0
            continue
        for name, (at, size) in chances.chance_lookups(now, laid).items():
            yield name, at[0], size
        yield f"{now.turn}/nobody", np.zeros_like(winner), 1
        yield f"{now.turn} happened", winner, 0
        # How many points came later in the colour that scored.
        own = points[seat] - now.points[0] - laid.points[0]
        others = (points.sum(axis=0) - points[seat]) / (rules.num_players - 1) - now.others
        gains = zip(chances.gain_lookups(now, laid), (own, others), strict=True)
        for (name, (at, size)), gain in gains:
            yield name, at[0][where], size
            yield f"gain {name}", gain[where], 0
        later = kododos[seat] - now.table_kododos[0] - laid.kododos[0]
        kept = np.stack([laid.kept_kododos[0], later])
        yield f"{now.turn} kododos", kept[:, winner == clause], 0


class Archive:
    """The tables of one number of players, and the games they rest on."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.sizes: dict[str, int] = {}
        self.tables: Tables = {}
        self.batches: list[dict[str, Array]] = []

    def add(self, num: int, heuristic: Agent, seed: int) -> None:
        """Play games and keep their evidence."""
        found: dict[str, list[Array]] = defaultdict(list)
        for decisions in rounds_of_play(self.rules, num, heuristic, seed):
            for name, array, size in evidence(decisions, self.rules):
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
        means = [name for name in found if f"gain {name}" in found]
        for name in means:
            self._fit_means(name, found[name], found[f"gain {name}"])
        rows = {"nobody": self.rules.num_colours, "kododo": self.rules.num_colours + 1}
        for turn in range(self.rules.num_turns):
            own = [name for name in found if name.startswith(f"{turn}/") and name not in means]
            at = {name: (rows.get(name.partition("/")[2], 0), found[name]) for name in own}
            self._fit_weights(at, found[f"{turn} happened"], steps)
            if f"{turn} kododos" in found:
                kept, later = found[f"{turn} kododos"].astype(np.float32)
                more = kept @ later / max(kept @ kept, 1)
                self.tables[f"{turn}/more_kododos"] = np.array([more], np.float32)

    def _fit_means(self, name: str, at: Array, gains: Array) -> None:
        """The mean gain at each position, drawn to the mean of all."""
        number = np.bincount(at, minlength=self.sizes[name])
        total = np.bincount(at, weights=gains, minlength=self.sizes[name])
        means = (total + MEAN_PULL * gains.mean()) / (number + MEAN_PULL)
        self.tables[name] = means.astype(np.float32)

    def _fit_weights(self, at: dict[str, tuple[int, Array]], happened: Array, steps: int) -> None:
        """Fit tables of weights: the exponentials' shares are the chances of what happened.

        Args:
            at: By table the first of the weights that it is added to, and the positions in it
                for that weight and those after it, (..., M).
            happened: The row of the event that happened, (M,).
            steps: Of the fit.
        """
        sizes = [self.sizes[name] for name in at]
        firsts = np.cumsum([0, *sizes[:-1]])
        places = [
            (row * len(happened) + np.arange(positions.size), first + positions.ravel())
            for first, (row, positions) in zip(firsts, at.values(), strict=True)
        ]
        cells = np.concatenate(places, axis=1)
        design = csr_array((np.ones(cells.shape[1]), cells), (cells[0].max() + 1, sum(sizes)))
        start = np.repeat([RARE if name.endswith("/kododo") else 0.0 for name in at], sizes)

        def loss(weights: Array) -> tuple[float, Array]:
            total, slope = surprise(weights, design, happened)
            away = weights - start
            total += PULL * away @ away
            return total / len(happened), (slope + 2 * PULL * away) / len(happened)

        last = map(self.tables.get, at, np.split(start, firsts[1:]))
        found = minimize(
            loss, np.concatenate([*last]), jac=True, method="L-BFGS-B", options={"maxiter": steps}
        )
        for name, table in zip(at, np.split(found.x, firsts[1:]), strict=True):
            self.tables[name] = table.astype(np.float32)


def surprise(weights: Array, design: csr_array, happened: Array) -> tuple[float, Array]:
    """Minus the log of the chance of all the events, and its slope along the weights."""
    logs = log_softmax((design @ weights).reshape(-1, len(happened)), axis=0)
    slope, cases = np.exp(logs), np.arange(len(happened))
    slope[happened, cases] -= 1
    return -logs[happened, cases].sum(), design.T @ slope.ravel()


def tables_from_play(rules: Rules, rounds: int, games: int, seed: int) -> Tables:
    """Play and fit in turns, from a follower in the heuristic's place to a fixed point."""
    archive, heuristic = Archive(rules), cast("Agent", FollowAgent())
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
    tables = {
        f"{number}/{name}": table
        for number in players
        for name, table in tables_from_play(Rules(number), rounds, games, seed).items()
    }
    with written_whole(path) as aside:
        np.savez_compressed(aside, allow_pickle=False, **tables)


if __name__ == "__main__":
    fit_tables(chances.TABLES, sorted(REMOVED))
