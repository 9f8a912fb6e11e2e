"""The scripted players of Combi-Combo: their choices in clear cases."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env.baselines.combi_combo import (
    ExpectedCards,
    GreedyAgent,
    HeuristicAgent,
    neighbours_gain,
)
from kododo_env.core import Agent
from kododo_env.games.combi_combo import CombiComboGame, Rules
from kododo_env.games.combi_combo.scoring import ONE, TWO
from tests.games.combi_combo.written_deals import card, start
from tests.helpers import play_random


def choice(agent: Agent, game: CombiComboGame, player: int = 0) -> int:
    return int(agent.act(game.view(player), np.random.default_rng(0))[0])


@pytest.mark.parametrize("agent", [GreedyAgent(), HeuristicAgent()], ids=lambda agent: agent.name)
def test_they_keep_a_whole_sequence_and_pass_a_second_4(agent: Agent) -> None:
    game = start(["B1 B2 B3 B4 B4", "", "", ""])
    assert choice(agent, game) == card("B4")


def test_a_card_is_worth_more_to_a_neighbour_who_kept_others_of_its_colour() -> None:
    game = start(["G3 G4 B2 G2 O3 V3", "", "", ""])
    for name in ("G3", "G4"):
        replies = [int(mask.argmax()) for mask in game.legal_action_mask()[0, 1:]]
        game.step([[card(name), *replies]])
    situation = ExpectedCards(game.view(0))
    low_gain, high_gain = (
        neighbours_gain(situation, keep_probability)[:, TWO, 0] for keep_probability in (0.0, 0.9)
    )
    blue = 0
    green = 1
    assert high_gain[green] > low_gain[green] + 0.2
    assert high_gain[blue] == low_gain[blue]


def test_the_heuristic_minds_the_neighbour_as_much_as_its_weight_says() -> None:
    """Without regard to the neighbour it would pass a 1 that it can hardly use."""
    game = CombiComboGame(300, Rules(), seed=7)
    play_random(game, np.random.default_rng(7), 7)
    shares = [
        float((agent.act(game.view(0), np.random.default_rng(0)) % 4 == ONE).mean())
        for agent in (
            HeuristicAgent(neighbour_weight=0),
            HeuristicAgent(),
            HeuristicAgent(neighbour_weight=2),
        )
    ]
    assert shares[0] > 2 * shares[1]
    assert shares[1] >= shares[2]
