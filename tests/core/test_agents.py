"""Random legal play, and asking one agent in every seat."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core import View
from kododo_env.core.agent import RandomAgent, everybodys_choice, random_legal_actions
from tests.doors import TABLES
from tests.helpers import play_random


class Last:
    """Plays the last legal action and remembers who was asked, and with which generator."""

    name = "last"

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.rngs: list[np.random.Generator] = []

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        self.asked.append(view.player)
        self.rngs.append(rng)
        mask = view.legal_action_mask
        return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


def test_every_legal_action_has_the_same_chance_and_no_other_has_one() -> None:
    mask = np.array([[True, False, True, True], [False, True, False, False]])
    chosen = random_legal_actions(np.broadcast_to(mask, (30_000, 2, 4)), np.random.default_rng(0))
    assert chosen.shape == (30_000, 2)
    count = np.bincount(chosen[:, 0], minlength=4)
    assert count[1] == 0
    # Three bins of 10,000 with a standard deviation of 82 each.
    assert (abs(count[[0, 2, 3]] - 10_000) < 450).all()
    assert (chosen[:, 1] == 1).all()


def test_a_single_mask_gives_a_single_action() -> None:
    assert random_legal_actions(np.array([False, False, True]), np.random.default_rng(0)) == 2


def test_the_random_agent_plays_what_its_view_allows() -> None:
    game = registry.batch_game("kododo", 50, 0)
    view = game.view(2)
    chosen = RandomAgent().act(view, np.random.default_rng(3))
    same = random_legal_actions(view.legal_action_mask, np.random.default_rng(3))
    assert np.array_equal(chosen, same)
    assert len(set(chosen.tolist())) > 5


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_one_agent_in_every_seat_is_asked_by_those_who_decide(game: str, players: int) -> None:
    played = registry.batch_game(game, 3, 0, num_players=players)
    choices = np.random.default_rng(0)
    while not played.terminated.all():
        agent, rng = Last(), np.random.default_rng(1)
        before = played.state()
        chosen = everybodys_choice(agent, played, rng)
        mask, deciding = played.legal_action_mask(), played.deciding()
        assert agent.asked == np.flatnonzero(deciding.any(axis=0)).tolist()
        assert all(each is rng for each in agent.rngs)
        last = mask.shape[2] - 1 - mask[:, :, ::-1].argmax(axis=2)
        assert np.array_equal(chosen, last)
        assert played.steps_played == before["steps_played"]
        play_random(played, choices, 1)
