"""The core against the slow referee, over many whole games on the same decks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

from kododo_env.games.combi_combo import CombiComboGame, Rules
from tests.games.referees import combi_combo as referee
from tests.games.referees.combi_combo import Card, Numbers, Referee
from tests.games.rules_strategies import AT_THE_BOUNDS, SEEDS, combi_combo_rules, short_name
from tests.helpers import enough, few


def number_of(one: Card) -> int:
    """The core's type of a card of the referee's."""
    return 4 * one[0] + one[1] - 1


def by_type(cards: Sequence[Card], numbers: Numbers) -> list[int]:
    count = Counter(number_of(one) for one in cards)
    return [count[each] for each in range(4 * numbers.colours)]


def set_up(num_players: int, num: int) -> tuple[CombiComboGame, list[Referee]]:
    """The same shuffled decks for the core and for as many referees."""
    rng, deck = np.random.default_rng([num_players, num]), referee.RULEBOOK.full_deck()
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
        expected = [
            [by_type(getattr(one, name)[player], one.numbers) for player in players]
            for one in referees
        ]
        assert getattr(game, name).tolist() == expected, name
    assert game.face_up.tolist() == [by_type(one.face_up, one.numbers) for one in referees]
    assert {game.turn} == {one.turn for one in referees}
    assert {game.draw_pile_size} == {len(pile) for one in referees for pile in one.piles}
    winners = [referee.winners(one.hands, one.numbers) for one in referees]
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
            hand, numbers = one.hands[player], one.numbers
            fours = {colour for colour, value in hand if value == 4}
            expected = {
                "hand": by_type(hand, numbers),
                "passed": by_type(one.passed[player], numbers),
                "received": by_type(one.received[player], numbers),
                "by_value": [referee.count(hand, value) for value in (1, 2, 3, 4)],
                "by_colour": [
                    len({value for colour, value in hand if colour == wanted})
                    for wanted in range(numbers.colours)
                ],
                "fours": len(fours),
                "turn": [int(turn == one.turn) for turn in range(numbers.turns)],
                "draw_pile": len(one.piles[player]),
            }
            if one.face_up:
                expected["face_up"] = by_type(one.face_up, numbers)
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


@pytest.mark.parametrize("mostly_fours", [False, True], ids=["any card", "mostly 4s"])
@pytest.mark.parametrize("num_players", [4, 5])
def test_the_games_above_meet_ties_and_high_and_low_scores(
    num_players: int, mostly_fours: bool
) -> None:
    game, referees = set_up(num_players, 600)
    rng = np.random.default_rng([num_players, mostly_fours])
    for _ in range(8):
        play_turn(game, referees, rng, mostly_fours)
    assert (game.outcome() == 1 / 2).any()
    assert game.scores.min() < 0
    assert game.scores.max() > (10 if mostly_fours else 8)


@pytest.mark.parametrize("num_players", [4, 5])
def test_legal_actions_and_observations_are_the_referees(num_players: int) -> None:
    game, referees = set_up(num_players, enough(60))
    rng = np.random.default_rng(num_players)
    for _ in range(8):
        assert_same_legal_actions(game, referees)
        assert_same_observations(game, referees)
        play_turn(game, referees, rng, mostly_fours=False)
    assert_same_legal_actions(game, referees)
    assert_same_observations(game, referees)


# --- other rules than the rulebook's ----------------------------------------------------


def numbers_of(rules: Rules) -> Numbers:
    """The rules as the referee takes them."""
    left = rules.num_cards - rules.num_players * (rules.opening_hand + rules.num_turns)
    return Numbers(
        rules.num_colours,
        rules.copies,
        rules.opening_hand,
        rules.num_turns,
        max(0, left - rules.num_turns),
        rules.ones_points,
        rules.sequence_points,
        rules.twos_points,
        rules.twos_in_series,
        rules.threes_par,
        rules.fours_points,
    )


def play_beside_the_referee(rules: Rules, rng: np.random.Generator) -> None:
    """Two games under any rules, every number of theirs counted by the referee too."""
    numbers = numbers_of(rules)
    deck = numbers.full_deck()
    decks = [[deck[place] for place in rng.permutation(len(deck))] for _ in range(2)]
    game = CombiComboGame(2, rules, seed=0)
    game.reset(decks=[[number_of(one) for one in each] for each in decks])
    referees = [Referee(rules.num_players, each, numbers) for each in decks]
    for turn in range(rules.num_turns + 1):
        assert (game.observe() <= game.layout.maxima).all()
        assert_same_position(game, referees)
        assert_same_observations(game, referees)
        if turn < rules.num_turns:
            play_turn(game, referees, rng, mostly_fours=bool(rng.integers(2)))
    assert game.terminated.all()


@pytest.mark.parametrize("rules", AT_THE_BOUNDS["combi_combo"], ids=short_name)
def test_at_the_bounds_of_the_rules_nothing_overflows(rules: Rules) -> None:
    play_beside_the_referee(rules, np.random.default_rng(1))


@few(40)
@given(combi_combo_rules(), SEEDS)
def test_any_rules_are_played_as_the_referee_plays_them(rules: Rules, seed: int) -> None:
    play_beside_the_referee(rules, np.random.default_rng(seed))
