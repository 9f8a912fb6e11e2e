"""The core against the slow referee, over many whole games on the same decks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from kododo_env.games.combi_combo import CombiComboGame, Rules
from tests.helpers import enough
from tests.referees import combi_combo as referee
from tests.referees.combi_combo import Card, Referee


def number_of(one: Card) -> int:
    """The core's type of a card of the referee's."""
    return 4 * one[0] + one[1] - 1


def by_type(cards: Sequence[Card]) -> list[int]:
    count = Counter(number_of(one) for one in cards)
    return [count[each] for each in range(24)]


def set_up(num_players: int, num: int) -> tuple[CombiComboGame, list[Referee]]:
    """The same shuffled decks for the core and for as many referees."""
    rng, deck = np.random.default_rng([num_players, num]), referee.full_deck()
    decks = [[deck[place] for place in rng.permutation(len(deck))] for _ in range(num)]
    game = CombiComboGame(num, Rules(num_players=num_players))
    game.reset(decks=[[number_of(one) for one in each] for each in decks])
    return game, [Referee(num_players, each) for each in decks]


def play_turn(
    game: CombiComboGame, referees: Sequence[Referee], rng: np.random.Generator, mostly_fours: bool
) -> None:
    """Play one turn, the same in the core and with the referees.

    Cards are chosen at random, or with ``mostly_fours`` so that many points are made.
    """
    chosen = []
    for one in referees:
        cards = []
        for player in range(game.num_players):
            choices = one.choices(player)
            if mostly_fours:
                choices = [card for card in choices if card[1] == 4] or choices
            cards.append(choices[rng.integers(len(choices))])
        one.play(cards)
        chosen.append([number_of(card) for card in cards])
    game.step(chosen)


def assert_same_position(game: CombiComboGame, referees: Sequence[Referee]) -> None:
    """All that the core shows is what the referees have."""
    players = range(game.num_players)
    assert game.terminated.tolist() == [one.finished for one in referees]
    assert game.scores.tolist() == [one.scores() for one in referees]
    assert game.rewards.tolist() == game.scores.tolist()
    for name in ("hands", "passed", "received"):
        expected = [[by_type(getattr(one, name)[player]) for player in players] for one in referees]
        assert getattr(game, name).tolist() == expected, name
    assert game.face_up.tolist() == [by_type(one.face_up) for one in referees]
    assert {game.turn} == {one.turn for one in referees}
    assert {game.draw_pile_size} == {len(pile) for one in referees for pile in one.piles}
    winners = [referee.winners(one.hands) for one in referees]
    shares = [[(player in won) / len(won) for player in players] for won in winners]
    np.testing.assert_allclose(game.outcome(), shares)


def assert_same_legal_actions(game: CombiComboGame, referees: Sequence[Referee]) -> None:
    mask = game.legal_action_mask()
    for index, one in enumerate(referees):
        for player in range(game.num_players):
            legal = [number_of(card) for card in one.choices(player)] or [game.no_op]
            assert mask[index, player].nonzero()[0].tolist() == legal


def assert_same_observations(game: CombiComboGame, referees: Sequence[Referee]) -> None:
    for player in range(game.num_players):
        pieces = {name: each.tolist() for name, each in game.view(player).pieces.items()}
        for index, one in enumerate(referees):
            hand = one.hands[player]
            fours = {colour for colour, value in hand if value == 4}
            expected = {
                "hand": by_type(hand),
                "passed": by_type(one.passed[player]),
                "received": by_type(one.received[player]),
                "by_value": [referee.count(hand, value) for value in (1, 2, 3, 4)],
                "by_colour": [
                    len({value for colour, value in hand if colour == wanted})
                    for wanted in range(6)
                ],
                "fours": len(fours),
                "turn": [int(turn == one.turn) for turn in range(8)],
                "draw_pile": len(one.piles[player]),
            }
            if game.num_players == 4:
                expected["face_up"] = by_type(one.face_up)
            assert set(pieces) == set(expected)
            for name, numbers in expected.items():
                assert np.ravel(pieces[name][index]).tolist() == np.ravel(numbers).tolist(), name


@pytest.mark.parametrize("mostly_fours", [False, True], ids=["any card", "mostly 4s"])
@pytest.mark.parametrize("num_players", [4, 5])
def test_the_core_plays_as_the_referee_does(num_players: int, mostly_fours: bool) -> None:
    game, referees = set_up(num_players, enough(600))
    rng = np.random.default_rng([num_players, mostly_fours])
    for _ in range(8):
        assert_same_position(game, referees)
        play_turn(game, referees, rng, mostly_fours)
    assert_same_position(game, referees)
    assert game.terminated.all()
    # The games were worth watching.
    assert (game.outcome() == 1 / 2).any()
    assert game.scores.min() < 0
    assert game.scores.max() > (10 if mostly_fours else 8)


@pytest.mark.parametrize("num_players", [4, 5])
def test_legal_actions_and_observations_are_the_referees(num_players: int) -> None:
    game, referees = set_up(num_players, 60)
    rng = np.random.default_rng(num_players)
    for _ in range(8):
        assert_same_legal_actions(game, referees)
        assert_same_observations(game, referees)
        play_turn(game, referees, rng, mostly_fours=False)
    assert_same_legal_actions(game, referees)
    assert_same_observations(game, referees)
