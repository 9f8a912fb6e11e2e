"""Refit the tables of Kododo's heuristic: ``python -m benchmarks.kododo_fitting``.

The heuristic plays against itself, the follower and the random player, and sometimes chooses at
random, so that bad positions occur too. Its tables are fitted to the outcomes of all choices, and
the next games are played with the new tables. Each fit uses the later half of all games so far, as
in fictitious play (G. W. Brown 1951), because best responses to the latest tables alone would
cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from kododo_env.arrays.dtypes import Array
from kododo_env.baselines import kododo_values as probabilities
from kododo_env.baselines.kododo import FollowAgent, HeuristicAgent
from kododo_env.baselines.kododo_agent import choices_of_turn
from kododo_env.baselines.kododo_values import HeuristicView, LaidCards, Lookup, Tables
from kododo_env.commands.cli import run_cli
from kododo_env.core.agent import Agent, RandomAgent
from kododo_env.games.kododo import KododoGame, KododoView, Rules
from kododo_env.games.kododo.rules import REMOVED
from kododo_env.games.kododo.scoring import scoring_colours
from kododo_env.system.files import written_whole

SEATS = (0.5, 0.25, 0.25)  # frequencies of the heuristic, the follower and random play
ASTRAY = 0.1  # frequency of random choices
NOISE = 0.05  # of the heuristic's values during the fit, in points
PULL = 2.0  # strength of the prior on weights, in rows
MEAN_PULL = 5.0  # strength of the prior on means, in rows
RARE = -4.0  # initial weights of the Kododo clause; all others start at 0

# The table entries for a choice, and its outcome in each game. The outcome is a number, whose mean
# a table stores, or the number of an event, for which several tables have weights.
Lesson = tuple[dict[str, Lookup], Array]


def lessons(rules: Rules, num: int, heuristic: Agent, seed: int) -> Iterator[Lesson]:
    """Play games with mixed players, and yield the outcome of every choice."""
    rng = np.random.default_rng(seed)
    game = KododoGame(num, rules, seed)
    agents = (heuristic, FollowAgent(), RandomAgent())
    seats = rng.choice(3, size=(rules.num_players, num), p=SEATS)
    while not game.terminated.all():
        choices: list[tuple[HeuristicView, LaidCards]] = []
        for _ in range(rules.num_turns):
            where, slots = choices_of_turn(rules, game.turn)
            actions = []
            for player, seat in enumerate(seats):
                view = KododoView(game, player)
                agent = np.where(rng.random(num) < ASTRAY, 2, seat)
                actions.append(np.choose(agent, [candidate.act(view, rng) for candidate in agents]))
                situation = HeuristicView(view)
                choices.append((situation, situation.after(slots).only(actions[-1] - where.start)))
            game.step(np.stack(actions, axis=1))
        yield from lessons_of_round(choices, game.rewards.T)


def lessons_of_round(
    choices: list[tuple[HeuristicView, LaidCards]], points: Array
) -> Iterator[Lesson]:
    """Yield the outcomes of a round's choices, turn by turn, from the points of the round."""
    rules = choices[0][0].rules
    all_laid = [laid for _, laid in choices]
    exact = np.sum([laid.kododos[0] for laid in all_laid], axis=0) == rules.kododo_number
    totals = np.sum([laid.cards[0] for laid in all_laid], axis=0)
    wins = scoring_colours(totals, rules.limit) & ~exact
    # Events are numbered: the colours, then nobody, then the Kododo clause.
    event = np.vstack([wins, ~wins.any(axis=0) & ~exact, exact]).argmax(axis=0)
    for number, (situation, laid) in enumerate(choices):
        turn, seat = divmod(number, len(points))
        kododo = probabilities.kododo_lookup(situation, laid)
        if situation.turns_left == 0:
            following = all_laid[-len(points) :][(seat + 1) % len(points)].cards[0]
            card_points = laid.points[0][wins & (laid.cards[0] > 0)]
            yield kododo, exact
            yield probabilities.reply_lookups(situation, 1), following.argmax(axis=0)
            yield {f"{turn}/card_points": (np.zeros_like(card_points), 1)}, card_points
            continue
        nobody = {f"{turn}/nobody": (np.zeros_like(event), 1)}
        yield probabilities.probability_lookups(situation, laid) | nobody | kododo, event
        # Points that came later in the colour that scored.
        own_gain = points[seat] - situation.points[0] - laid.points[0]
        opponent_points = (points.sum(axis=0) - points[seat]) / (len(points) - 1)
        mean_gain = opponent_points - situation.opponent_points
        gains = zip(probabilities.gain_lookups(situation, laid), (own_gain, mean_gain), strict=True)
        for (name, (at, size)), gain in gains:
            yield {name: (at[0][wins], size)}, gain[wins]
        # Which share of the kept Kododo cards came later, by least squares.
        kododos_in_hand = laid.hand_kododos[0] * exact
        later = points[seat] - situation.table_kododos[0] - laid.kododos[0]
        shares = np.repeat(later / np.maximum(kododos_in_hand, 1), kododos_in_hand**2)
        yield {f"{turn}/more_kododos": (np.zeros(len(shares), int), 1)}, shares


def fit(examples: Iterable[Lesson], tables: Tables, steps: int) -> None:
    """Fit tables to outcomes: means directly, weights by optimisation from their current values.

    Args:
        examples: The outcomes.
        tables: The tables, which are changed.
        steps: The number of optimisation steps.
    """
    groups: dict[tuple[str, ...], list[Lesson]] = {}
    for lesson in examples:
        groups.setdefault(tuple(lesson[0]), []).append(lesson)
    for group in groups.values():
        outcomes = np.concatenate([outcome for _, outcome in group])
        lookups = {
            name: (
                np.concatenate(
                    [lookups_of_lesson[name][0] for lookups_of_lesson, _ in group], axis=-1
                ),
                size,
            )
            for name, (_, size) in group[0][0].items()
        }
        if len(lookups) > 1:
            _fit_weights(lookups, outcomes, tables, steps)
            continue
        ((name, (at, size)),) = lookups.items()
        number = np.bincount(at.ravel(), minlength=size)
        total = np.bincount(at.ravel(), outcomes, size)
        means = (total + MEAN_PULL * total.sum() / max(1, len(outcomes))) / (number + MEAN_PULL)
        tables[name] = means.astype(np.float32)


def _fit_weights(lookups: dict[str, Lookup], outcomes: Array, tables: Tables, steps: int) -> None:
    """Fit tables of weights, whose softmax gives the probabilities of the events."""
    starts = []
    weights = []
    places = []
    for name, (at, size) in lookups.items():
        starts.append(np.full(size, RARE if name.endswith("/kododo") else 0.0))
        weights.append(torch.tensor(tables.get(name, starts[-1])).double().requires_grad_())
        places.append(torch.tensor(at).long().view(-1, len(outcomes)))
    start = torch.tensor(np.concatenate(starts))
    events = torch.tensor(outcomes).long()
    optimiser = torch.optim.LBFGS(weights, max_iter=steps, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        rows = [weight[place] for weight, place in zip(weights, places, strict=True)]
        colours = torch.stack([row for row in rows if len(row) > 1]).sum(dim=0)
        logits = torch.cat([colours, *(row for row in rows if len(row) == 1)])
        away = torch.cat(weights) - start
        total: torch.Tensor = cross_entropy(logits.T, events) + PULL * away @ away / len(outcomes)
        total.backward()
        return total

    optimiser.step(loss)
    tables.update(
        zip(lookups, (weight.detach().float().numpy() for weight in weights), strict=True)
    )


def tables_from_play(rules: Rules, rounds: int = 32, games: int = 1000, seed: int = 0) -> Tables:
    """Alternate playing and fitting; return the last tables.

    Args:
        rules: The rules.
        rounds: How often games are played and tables are fitted. In the first round the follower
            plays in place of the heuristic.
        games: The number of games of each round.
        seed: The seed of everything random.
    """
    tables: Tables = {}
    batches: list[list[Lesson]] = []
    for index in range(rounds):
        heuristic = HeuristicAgent(NOISE, tables) if index else FollowAgent()
        batches.append([*lessons(rules, games, heuristic, seed + index)])
        later = [lesson for batch in batches[len(batches) // 2 :] for lesson in batch]
        fit(later, tables, steps=60 if index in (0, rounds - 1) else 12)
    return tables


@dataclass(frozen=True)
class FittingConfig:
    """Refit the tables of Kododo's heuristic."""


def fit_all(_: FittingConfig) -> None:
    """Fit the tables of all numbers of players."""
    tables = {number: tables_from_play(Rules(number)) for number in sorted(REMOVED)}
    arrays = {
        f"{number}/{name}": table for number in tables for name, table in tables[number].items()
    }
    with written_whole(probabilities.TABLES) as aside:
        np.savez_compressed(aside, allow_pickle=False, **arrays)


if __name__ == "__main__":
    run_cli(FittingConfig, fit_all)
