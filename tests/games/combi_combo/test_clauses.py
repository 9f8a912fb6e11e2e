"""Combi-Combo's rules, clause by clause, following the rulebook and the rulings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kododo_env.core import REWARDS
from kododo_env.games.combi_combo import CombiComboGame, Rules
from kododo_env.games.combi_combo import scoring as score
from kododo_env.registry import words_of
from tests.games.combi_combo.written_deals import (
    card,
    cards,
    counted,
    deck_of,
    final_hands,
    give,
    hand_array,
    start,
)
from tests.helpers import play_random

PLAYERS = (4, 5)
RULES = Rules()
per_table = pytest.mark.parametrize("players", PLAYERS)


# --- the cards --------------------------------------------------------------------------


@per_table
def test_sixty_cards_in_six_colours_one_1_two_2s_three_3s_four_4s(players: int) -> None:
    deck = Rules(num_players=players).cards.tolist()
    assert len(deck) == 60
    assert Counter(deck) == {
        4 * colour + value - 1: value for colour in range(6) for value in (1, 2, 3, 4)
    }


# --- preparing --------------------------------------------------------------------------


@per_table
def test_everybody_gets_twelve_cards_and_takes_four_and_draws_one(players: int) -> None:
    game = CombiComboGame(1, Rules(num_players=players), seed=0)
    deck = game.sample_decks(1, np.random.default_rng(0))
    game.reset(decks=deck)
    assert game.draw_pile_size == 7
    for player in range(players):
        dealt = deck[0, 12 * player : 12 * player + 5]
        assert np.bincount(dealt, minlength=24).tolist() == game.hands[0, player].tolist()


def test_with_four_players_four_cards_are_turned_up_and_one_more_each_turn() -> None:
    central = "B4 G4 Y4 O4 V4 R4 B3 G3 Y3 O3 V3 R3"
    game = start(["", "", "", ""], central)
    for turn in range(8):
        assert game.face_up[0].tolist() == counted(central[: 3 * (5 + turn)])
        play_random(game, np.random.default_rng(turn), 1)
    assert game.face_up[0].tolist() == counted(central)


def test_with_five_players_all_cards_are_dealt() -> None:
    game = CombiComboGame(2, Rules(num_players=5), seed=0)
    play_random(game, np.random.default_rng(0), 3)
    assert not game.face_up.any()
    assert "face_up" not in game.view(0).pieces


# --- the turn ---------------------------------------------------------------------------


@per_table
def test_each_turn_everybody_draws_the_next_card_of_his_own_pile(players: int) -> None:
    game = CombiComboGame(1, Rules(num_players=players), seed=0)
    deck = game.sample_decks(1, np.random.default_rng(1))
    game.reset(decks=deck)
    piles = deck[0, : 12 * players].reshape(players, 12)
    for turn in range(7):
        # All players pass the first card of their pile that they still have.
        play_random(game, np.random.default_rng(turn), 1)
        drawn = [np.bincount(pile[: 6 + turn], minlength=24) for pile in piles]
        held = game.hands[0].astype(int) + game.passed[0] - game.received[0]
        assert held.tolist() == np.array(drawn).tolist()


@per_table
def test_the_card_passed_goes_to_the_next_seat_and_everybody_passes_at_once(players: int) -> None:
    piles = ["B4 G4 Y4 O4 V4", "B3 G3 Y3 O3 V3", "B2 G2 Y2 O2 V2", "B1 G1 Y1 O1 V1", "R4 R4 R3 R3"]
    game = start(piles[:players])
    cards_passed = ["B4", "G3", "Y2", "O1", "R3"][:players]
    before = game.hands[0].astype(int)
    give(game, " ".join(cards_passed))
    for player in range(players):
        arrival = cards_passed[player - 1]
        went = cards_passed[player]
        drawn = game.hands[0, player].astype(int) - before[player]
        drawn[card(arrival)] -= 1
        drawn[card(went)] += 1
        assert (drawn.sum(), drawn.min()) == (1, 0)  # and the card drawn in the next turn
        assert game.received[0, player].tolist() == counted(arrival)
        assert game.passed[0, player].tolist() == counted(went)


def test_the_card_just_drawn_may_be_passed() -> None:
    game = start(["B1 B2 B2 B3 R4", "", "", ""])
    assert game.legal_action_mask()[0, 0].nonzero()[0].tolist() == sorted(
        {card(name) for name in ("B1", "B2", "B3", "R4")}
    )
    play_first = [int(mask.argmax()) for mask in game.legal_action_mask()[0]]
    game.step([[card("R4"), *play_first[1:]]])
    assert game.received[0, 1].tolist() == counted("R4")


def test_the_card_received_may_be_passed_on_in_the_next_turn_only() -> None:
    game = start(
        ["R1 B4 B4 B4 B4 G4", "Y4 Y4 Y4 Y4 G4 G4", "V4 V4 V4 V4 O4 O4", "R4 R4 R4 R4 O4 O4"]
    )
    with pytest.raises(ValueError, match=r"player 1, action 20 .pass_card colour=5 value=0"):
        give(game, "R1 R1 V4 R4")
    for turn, passing in enumerate(("R1 Y4 V4 R4", "B4 R1 V4 R4", "B4 Y4 R1 R4", "B4 Y4 V4 R1")):
        give(game, passing)
        assert game.hands[0, (turn + 1) % 4, card("R1")] == 1
    assert game.hands[0, :, card("R1")].tolist() == [1, 0, 0, 0]


@per_table
def test_after_eight_turns_everybody_holds_twelve_cards_and_the_game_is_over(players: int) -> None:
    game = CombiComboGame(50, Rules(num_players=players), seed=3)
    for turn in range(8):
        assert game.turn == turn
        assert (game.hands.sum(axis=2) == 5 + turn).all()
        assert not game.terminated.any()
        assert not game.scores.any()
        play_random(game, np.random.default_rng(turn), 1)
    assert game.terminated.all()
    assert (game.hands.sum(axis=2) == 12).all()
    assert game.draw_pile_size == 0


# --- the score --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_ones", "expected"),
    [
        ([2, 1, 1, 1], [True, False, False, False]),
        ([0, 0, 1, 0], [False, False, True, False]),
        ([2, 2, 1, 0], [False] * 4),
        ([2, 1, 1, 2], [False] * 4),
        ([0, 0, 0, 0], [False] * 4),
        ([1, 1, 1, 3], [False, False, False, True]),
        ([1, 1, 1, 1, 1], [False] * 5),
        ([1, 1, 0, 2, 1], [False, False, False, True, False]),
    ],
)
def test_3_points_for_strictly_more_1s_than_every_other(
    num_ones: list[int], expected: list[bool]
) -> None:
    assert score.most_ones(np.array(num_ones)).tolist() == expected
    hands = np.zeros((6, 4, len(num_ones)), np.uint8)
    for player, number in enumerate(num_ones):
        hands[:number, 0, player] = 1
    lines = score.score_lines(hands, RULES)
    assert lines[0].tolist() == [3 * leads for leads in expected]


TWOS = "B2 G2 Y2 O2 V2 R2 " * 2
THREES = "B3 G3 Y3 O3 V3 R3 " * 2
LINES: dict[str, tuple[Callable[..., Any], dict[str, int]]] = {
    "4 points for each 1 2 3 4 of one colour": (
        score.sequence_points,
        {
            "B1 B2 B3 B4": 4,
            "B1 B2 B3 G4": 0,
            "B1 B2 B3 B3 B4 B4": 4,
            "B1 B2 B3 B4 R1 R2 R3 R4": 8,
            "B1 B2 B3 B4 R1 R2 R3 R4 Y1 Y2 Y3 Y4": 12,
            "B2 B2 B3 B4": 0,
            "B1 B2 B4 G3": 0,
            "": 0,
        },
    ),
    "3 points for every three 2s of whatever colour": (
        score.twos_points,
        {
            TWOS[: 3 * number]: points
            for number, points in enumerate([0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9, 12])
        },
    ),
    # Two 3s, Julien's, are -2 points in the rulebook; five, Délia's, are +1.
    "a point more or less for each 3 beyond or below four": (
        score.threes_points,
        {THREES[: 3 * number]: number - 4 for number in (0, 2, 4, 5, 12)},
    ),
    "points for 4s of three to six different colours": (
        score.fours_points,
        {
            "": 0,
            "B4 G4": 0,
            "B4 B4 B4 B4 G4 G4": 0,
            "B4 G4 Y4": 1,
            "B4 G4 Y4 Y4 O4": 2,
            "B4 G4 Y4 O4 V4": 4,
            "B4 G4 Y4 O4 V4 R4": 5,
            "B4 G4 Y4 O4 V4 R4 B4 B4 G4 G4 Y4 Y4": 5,
        },
    ),
}


@pytest.mark.parametrize("clause", LINES)
def test_a_line_of_the_score(clause: str) -> None:
    line, hands = LINES[clause]
    for hand, points in hands.items():
        assert line(hand_array(hand), RULES) == points, hand


def test_a_card_may_serve_several_lines() -> None:
    game = final_hands(
        [
            "B1 B2 B3 B4 G1 G2 G3 G4 Y2 Y4 Y3 R3",  # 1s 3, two sequences 8, 2s 3, 3s 0, 4s 1
            "O4 O4 O4 O4 V4 V4 V4 V4 B4 B4 B4 G4",
            "O3 O3 O3 V3 V3 V3 R3 R3 B3 B3 G3 G3",
            "O1 R1 R2 R2 R4 R4 R4 R4 G4 G4 Y4 Y4",
        ]
    )
    hands = game.hands[0].reshape(4, 6, 4).transpose(1, 2, 0)
    assert score.score_lines(hands, RULES)[:, 0].tolist() == [0, 8, 3, 0, 1]
    assert game.scores[0].tolist() == [12, -4 + 2, 8, -4 + 1]


def test_the_whole_score_of_four_hands() -> None:
    game = final_hands(
        [
            "B1 G1 Y1 B2 G2 Y2 B3 G3 Y3 B4 G4 Y4",  # 3 + 12 + 3 - 1 + 1
            "B2 G2 Y2 O2 V2 R2 O4 V4 O4 V4 O4 V4",  # 6 - 4
            "O3 O3 O3 V3 V3 V3 R3 R3 R3 R4 R4 R4",  # 5
            "O1 V1 O2 V2 R1 B3 B3 G3 G3 B4 G4 R4",  # 0 + 0 + 0 + 0 + 1; 1s are shared
        ]
    )
    assert game.scores[0].tolist() == [12 + 3 - 1 + 1, 6 - 4, 5, 1]
    assert game.outcome()[0].tolist() == [1, 0, 0, 0]


def test_own_points_are_all_lines_but_the_1s_for_any_number_of_hands() -> None:
    """The value of a possible hand, whoever has the most 1s."""
    rng = np.random.default_rng(0)
    hands = rng.integers(0, 3, (6, 4, 5, 7)).astype(np.uint8)
    lines = score.score_lines(hands, RULES)
    assert score.own_points(hands, RULES).tolist() == lines[1:].sum(axis=0).tolist()
    alone = score.own_points(hands[:, :, 2, 3], RULES)
    assert alone == lines[1:, 2, 3].sum()


def test_points_are_int16_as_the_scores_are() -> None:
    hands = np.ones((6, 4, 4, 3), np.uint8)
    for points in (
        score.held(hands, score.THREE),
        score.sequence_points(hands, RULES),
        score.twos_points(hands, RULES),
        score.threes_points(hands, RULES),
        score.fours_points(hands, RULES),
        score.own_points(hands, RULES),
        score.score_lines(hands, RULES),
        score.score_hands(hands, RULES),
    ):
        assert points.dtype == np.int16
        assert points.shape[-2:] == (4, 3)


def test_the_lines_come_in_their_order_and_the_score_is_their_sum() -> None:
    hands = np.stack([hand_array(f"{colour}2 {colour}2 {colour}3") for colour in "BGYO"], axis=-1)
    hands += hand_array("V1 V2 V3 V4 R4 B4")[..., None] * np.array([1, 0, 0, 0], np.uint8)
    lines = dict(zip(score.LINES, score.score_lines(hands, RULES)[:, 0].tolist(), strict=True))
    assert lines == {"ones": 3, "sequences": 4, "twos": 3, "threes": 2 - 4, "fours": 1}
    assert score.score_hands(hands, RULES).tolist() == [3 + 4 + 3 - 2 + 1, -3, -3, -3]


# --- the end ----------------------------------------------------------------------------


def test_the_highest_total_wins() -> None:
    game = final_hands(["", "", "", "", "B4 G4 Y4 O4 V4 R4 B3 G3 Y3 O3 V3 R3"])
    assert game.scores[0, 4] == 5 + 2
    best = int(game.scores[0].argmax())
    assert (game.scores[0] == game.scores[0, best]).sum() == 1
    assert game.outcome()[0].tolist() == [float(player == best) for player in range(5)]


TIED_BY_POINTS = [
    "B1 B4 G3 G4 Y1 O1 O4 V3 V4 R2 R3 R4",  # three 1s and one 2
    "B2 B4 B4 G1 G3 Y4 Y4 O3 V2 V4 R1 R2",
    "B3 B3 G2 G2 Y2 Y2 Y4 O2 O3 V4 R3 R4",
    "B2 B4 Y3 O3 O4 O4 V1 V2 V3 V4 R3 R4",  # one 1 and two 2s
]
TIED_BY_1S = [
    "B4 G1 Y4 Y4 O2 O4 O4 O4 V1 V2 V3 R1",
    "B4 B4 G2 G4 G4 Y3 Y3 O3 O4 V3 V3 R3",  # no 1 and one 2
    "B2 G2 G3 G3 Y1 Y2 O3 V2 V4 R2 R4 R4",
    "B2 B3 B3 B4 G4 Y3 O3 V4 V4 R2 R3 R3",  # no 1 and two 2s
]
TIED_BY_2S = [
    "B3 G2 G4 Y4 Y4 O2 O4 V1 V3 V4 V4 R4",
    "B3 B3 B4 G3 G4 Y2 Y3 V2 V3 R1 R3 R4",  # one 1
    "B2 G1 G4 Y1 Y2 O3 O3 O4 V4 V4 R2 R3",  # two 1s and three 2s
    "B1 B2 B4 G2 G3 G3 Y3 Y4 O1 O2 R4 R4",  # two 1s and three 2s
]


@pytest.mark.parametrize(
    ("hands", "scores", "shares"),
    [
        pytest.param(TIED_BY_POINTS, [6, 2, 4, 6], [1, 0, 0, 0], id="most 1s"),
        pytest.param(TIED_BY_1S, [1, 3, 2, 3], [0, 0, 0, 1], id="then most 2s"),
        pytest.param(TIED_BY_2S, [2, 3, 3, 3], [0, 0, 0.5, 0.5], id="then shared"),
    ],
)
def test_ties_go_to_most_1s_then_to_most_2s_and_then_are_shared(
    hands: list[str], scores: list[int], shares: list[float]
) -> None:
    game = final_hands(hands)
    assert game.scores[0].tolist() == scores
    assert game.outcome()[0].tolist() == shares


def test_all_points_come_as_the_reward_of_the_last_turn() -> None:
    game = CombiComboGame(20, Rules(), seed=5)
    play_random(game, np.random.default_rng(5), 7)
    for name in REWARDS:
        assert not REWARDS[name](game).any()
    play_random(game, np.random.default_rng(6), 1)
    assert (game.rewards == game.scores).all()
    assert (game.scores < 0).any()
    opponents = (game.scores.sum(axis=1, keepdims=True) - game.scores) / 3
    np.testing.assert_allclose(REWARDS["margin"](game), game.scores - opponents, atol=1e-6)
    np.testing.assert_allclose(REWARDS["win"](game), game.outcome() - 1 / 4, atol=1e-6)


def test_as_things_stand_the_hands_as_they_are_decide() -> None:
    game = start(["B1 B2 B3 B4 G4", "G1 G2 G3 Y4 Y4", "O4 O4 O4 V4 V4", "R4 R4 R4 R3 R3"])
    assert game.outcome()[0].tolist() == [1, 0, 0, 0]


# --- what a player knows ----------------------------------------------------------------


def test_a_player_sees_his_hand_what_he_passed_and_received_and_what_is_face_up() -> None:
    deck = deck_of(["B1 B2 B3 B4 G4", "G1 G2 G3 Y4 Y4", "O4 O4 O4 V4 V4", "R4 R4 R4 R3 R3"])
    game = CombiComboGame(1, Rules(), seed=0)
    game.reset(decks=[deck])
    give(game, "G4 Y4 O4 R4")
    give(game, "R4 Y4 Y4 O4")
    pieces = game.view(0).pieces
    assert pieces["passed"].reshape(-1).tolist() == counted("G4 R4")
    assert pieces["received"].reshape(-1).tolist() == counted("R4 O4")
    assert pieces["hand"].reshape(-1).tolist() == game.hands[0, 0].tolist()
    held = np.bincount([*cards("B1 B2 B3 B4 O4"), *deck[5:7]], minlength=24)
    assert game.hands[0, 0].tolist() == held.tolist()
    assert pieces["face_up"].reshape(-1).tolist() == game.face_up[0].tolist()
    assert pieces["face_up"].sum() == 4 + 3
    assert pieces["turn"][0].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    assert pieces["draw_pile"][0] == 5


def test_the_sums_of_the_hand_are_those_that_the_score_asks_for() -> None:
    game = start(["B1 B2 B3 B4 G4", "G4 G4 Y4 Y3 Y3", "O4 O4 O4 V4 V4", "R4 R4 R4 R3 R3"])
    pieces = game.view(0).pieces
    assert pieces["by_value"][0].tolist() == [1, 1, 1, 2]
    assert pieces["by_colour"][0].tolist() == [4, 1, 0, 0, 0, 0]
    assert pieces["fours"][0] == 2
    assert game.view(1).pieces["by_colour"][0].tolist() == [0, 1, 2, 0, 0, 0]
    assert game.view(2).pieces["fours"][0] == 2


def test_actions_are_types_of_cards_in_words() -> None:
    game = CombiComboGame(1, seed=0)
    assert game.num_actions == 24
    assert words_of(game).describe_action(card("Y3")) == "pass yellow 3 to the left"
    assert len({words_of(game).describe_action(action) for action in cards("B1 B2 R4")}) == 3
    large_game = CombiComboGame(1, Rules(num_colours=8, fours_points=(0,) * 9), seed=0)
    words = [words_of(large_game).describe_action(action) for action in (20, 24, 31)]
    assert words == [
        "pass red 1 to the left",
        "pass colour 6 1 to the left",
        "pass colour 7 4 to the left",
    ]
