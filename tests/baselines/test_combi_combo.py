"""The scripted players: what they pass in clear cases, and how they fare."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env.baselines.combi_combo import (
    BASELINES,
    HELD_OUT,
    GreedyAgent,
    HeuristicAgent,
    Situation,
    neighbours_gain,
)
from kododo_env.core import Agent, RandomAgent
from kododo_env.games.combi_combo import CombiComboGame, Rules
from kododo_env.games.combi_combo.scoring import ONE, TWO
from tests.games.combi_combo.written_deals import card, start
from tests.helpers import play_random


def choice(agent: Agent, game: CombiComboGame, player: int = 0) -> int:
    return int(agent.act(game.view(player), np.random.default_rng(0))[0])


def share(one: Agent, others: Agent, players: int, games: int) -> float:
    """The share of the victory of one agent against copies of another, each seat in turn."""
    rng, total = np.random.default_rng(players), 0.0
    for seat in range(players):
        game = CombiComboGame(games, Rules(num_players=players), seed=100 + seat)
        agents = [others] * players
        agents[seat] = one
        while not game.terminated.all():
            actions = [agents[p].act(game.view(p), rng) for p in range(players)]
            game.step(np.stack(actions, axis=1))
        total += float(game.outcome()[:, seat].mean()) / players
    return total


SCRIPTED = {**BASELINES, **HELD_OUT}


@pytest.mark.parametrize("name", list(SCRIPTED))
@pytest.mark.parametrize("players", [4, 5])
def test_they_pass_only_cards_in_hand_and_act_alike_in_batches(name: str, players: int) -> None:
    agent = SCRIPTED[name]()
    assert agent.name == name
    game = CombiComboGame(40, Rules(num_players=players), seed=1)
    while not game.terminated.all():
        for player in range(players):
            chosen = agent.act(game.view(player), np.random.default_rng(0))
            assert chosen.shape == (40,)
            assert game.legal_action_mask()[np.arange(40), player, chosen].all()
        play_random(game, np.random.default_rng(game.turn), 1)


@pytest.mark.parametrize("agent", [GreedyAgent(), HeuristicAgent()], ids=lambda agent: agent.name)
def test_they_keep_a_whole_sequence_and_pass_a_second_4(agent: Agent) -> None:
    game = start(["B1 B2 B3 B4 B4", "", "", ""])
    assert choice(agent, game) == card("B4")


def test_a_card_is_worth_more_to_a_neighbour_who_kept_others_of_its_colour() -> None:
    game = start(["G3 G4 B2 G2 O3 V3", "", "", ""])
    for mine in ("G3", "G4"):
        others = [int(mask.argmax()) for mask in game.legal_action_mask()[0, 1:]]
        game.step([[card(mine), *others]])
    now = Situation(game.view(0))
    gone, kept = (neighbours_gain(now, kept)[:, TWO, 0] for kept in (0.0, 0.9))
    blue, green = 0, 1
    assert kept[green] > gone[green] + 0.2
    assert kept[blue] == gone[blue]


def test_the_heuristic_minds_the_neighbour_as_much_as_it_is_told() -> None:
    """It would give away a 1 that it can hardly use, if the neighbour were nobody."""
    game = CombiComboGame(300, Rules(), seed=7)
    play_random(game, np.random.default_rng(7), 7)
    ones = [
        float((agent.act(game.view(0), np.random.default_rng(0)) % 4 == ONE).mean())
        for agent in (HeuristicAgent(left=0), HeuristicAgent(), HeuristicAgent(left=2))
    ]
    assert ones[0] > 2 * ones[1]
    assert ones[1] >= ones[2]


@pytest.mark.parametrize(
    ("one", "others", "players", "at_least"),
    [
        (GreedyAgent(), RandomAgent(), 4, 0.43),
        (GreedyAgent(), RandomAgent(), 5, 0.37),
        (HeuristicAgent(), RandomAgent(), 4, 0.75),
        (HeuristicAgent(), RandomAgent(), 5, 0.69),
        (HeuristicAgent(), GreedyAgent(), 4, 0.53),
        (HeuristicAgent(), GreedyAgent(), 5, 0.44),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_the_better_one_wins_clearly_more_than_its_share(
    one: Agent, others: Agent, players: int, at_least: float
) -> None:
    """At this seed; the bounds lie five standard errors below what was measured at length."""
    assert share(one, others, players, 400) > at_least


def test_one_greedy_among_heuristics_gets_little() -> None:
    assert share(GreedyAgent(), HeuristicAgent(), 4, 400) < 0.09
