"""Games between agents: which agents act, what is dealt, and the effect of duplicate deals."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env.arena.match import Chunk, play, play_chunk
from kododo_env.core import Agent, RandomAgent, View
from kododo_env.core.agent import LastAgent
from tests.arena.players import FirstActionAgent, batch, tournament
from tests.game_tables import TABLES


class Choosy(RandomAgent):
    """Complains if it is asked although it has no choice in any game."""

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        assert (view.legal_action_mask.sum(axis=1) > 1).any()
        return super().act(view, rng)


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_every_game_is_played_to_its_end_and_shares_sum_to_one(game: str, players: int) -> None:
    games = batch(6, players, game)
    decks = games.sample_decks(6, np.random.default_rng(1))
    played = play([RandomAgent()] * players, games, decks, np.random.default_rng(2))
    assert games.terminated.all()
    np.testing.assert_allclose(played.shares.sum(axis=1), 1)
    np.testing.assert_array_equal(played.points, games.scores)
    assert played.shares.shape == (6, players)


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_a_player_who_has_nothing_to_decide_is_not_asked(game: str, players: int) -> None:
    games = batch(1, players, game)
    decks = games.sample_decks(1, np.random.default_rng(1))
    play([Choosy()] * players, games, decks, np.random.default_rng(2))


def test_each_agent_sits_where_it_was_put_and_is_asked_once_for_all_games() -> None:
    first = FirstActionAgent()
    games = batch(5)
    play(
        [LastAgent(), first, LastAgent(), first], games, games.sample_decks(5, games.rng), games.rng
    )
    turns = games.rules.num_rounds * games.rules.num_turns
    assert first.calls == {1: turns, 3: turns}


def test_the_given_decks_are_what_is_dealt() -> None:
    games = batch(8)
    rng = np.random.default_rng(0)
    decks = games.sample_decks(8, rng)
    agents: list[Agent] = [FirstActionAgent(), LastAgent(), FirstActionAgent(), LastAgent()]
    once = play(agents, games, decks, rng)
    repeated = play(agents, games, decks, np.random.default_rng(99))
    np.testing.assert_array_equal(once.points, repeated.points)
    other_decks = play(agents, games, games.sample_decks(8, rng), rng)
    assert (once.points != other_decks.points).any()


def test_as_many_agents_as_seats() -> None:
    games = batch(2)
    with pytest.raises(ValueError, match="4 agents"):
        play([FirstActionAgent()] * 3, games, games.sample_decks(2, games.rng), games.rng)


def test_duplicates_give_each_place_of_the_lineup_each_seat() -> None:
    lineup: list[Agent] = [FirstActionAgent(), LastAgent(), LastAgent(), FirstActionAgent()]
    games = batch(7)
    played = play_chunk(Chunk(0, (0, 1, 2, 3), 7), lineup, games, 3)
    decks = games.decks.copy()
    points = np.zeros((7, 4))
    shares = np.zeros((7, 4))
    for turn in range(4):  # the clockwise order stays: the player in seat s was in seat s + 1
        seated = lineup[turn:] + lineup[:turn]
        once = play(seated, games, decks, np.random.default_rng(0))
        points += np.roll(once.points, turn, axis=1) / 4
        shares += np.roll(once.shares, turn, axis=1) / 4
    np.testing.assert_allclose(played.points, points)
    np.testing.assert_allclose(played.shares, shares)
    np.testing.assert_allclose(played.shares.sum(axis=1), 1)


def test_a_chunk_depends_on_seed_and_number_alone() -> None:
    def points(index: int, seed: int, size: int = 6) -> npt.NDArray[Any]:
        chunk = Chunk(index, (0, 1, 2, 2), 6)
        return play_chunk(chunk, tournament().load_agents(), batch(size), seed).points

    np.testing.assert_array_equal(points(3, 5), points(3, 5))
    assert (points(3, 5) != points(4, 5)).any()
    assert (points(3, 5) != points(3, 6)).any()
