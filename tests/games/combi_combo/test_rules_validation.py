"""Bad input: each a ValueError of one line that says what was wrong. Rules that can be played."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env import combi_combo_v0
from kododo_env.games.combi_combo import CombiComboGame, Rules
from tests.games.combi_combo.written_deals import card, cards, start
from tests.helpers import differences, play_random


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_players": 3}, "Combi-Combo is for 4 or 5 players, not 3"),
        ({"num_players": 6}, "4 or 5 players, not 6"),
        ({"num_players": 0}, "4 or 5 players, not 0"),
        ({"num_players": 4.0}, "players must be a whole number, not 4.0"),
        ({"num_players": "4"}, "players must be a whole number, not '4'"),
        ({"num_players": None}, "players must be a whole number, not None"),
        ({"num_players": [4]}, r"players must be a whole number, not \[4\]"),
        ({"num_colours": 0}, "num_colours must be 1 to 26, not 0"),
        ({"num_colours": 6.0}, "num_colours must be a whole number, not 6.0"),
        ({"num_colours": True}, "num_colours must be a whole number, not True"),
        ({"copies": (1, 2, 3)}, r"copies must count the cards of the values 1 to 4 .*\(1, 2, 3\)"),
        ({"copies": (1, 2, 3, -1)}, "each of copies must be 0 to 250, not -1"),
        ({"copies": (0, 0, 0, 0)}, r"copies must count .* not \(0, 0, 0, 0\)"),
        ({"copies": (1, 2, 3, 4.0)}, "each of copies must be a whole number, not 4.0"),
        ({"copies": 10}, "copies must be a tuple of whole numbers, not 10"),
        ({"copies": (20, 20, 20, 20)}, "at most 250 cards, not 480"),
        ({"num_turns": 0}, "num_turns must be 1 to 62, not 0"),
        ({"opening_hand": -1}, "opening_hand must be 0 to 61, not -1"),
        ({"num_turns": 12}, "60 cards do not reach for 4 piles of 16; .* at least 64"),
        ({"num_players": 5, "opening_hand": 5}, "60 cards do not reach for 5 piles of 13"),
        ({"opening_hand": 6}, "4 cards are left over, too few to turn one up in each of 8 turns"),
        ({"twos_in_series": 0}, "twos_in_series must be 1 to 250, not 0"),
        ({"twos_in_series": 40_000}, "twos_in_series must be 1 to 250, not 40000"),
        ({"fours_points": (0, 0, 0, 1)}, "fours_points needs 7 entries, .* not 4"),
        ({"fours_points": (0,) * 28}, "fours_points .* has 27 at most, not 28"),
        ({"fours_points": (0,) * 6 + (101,)}, "each of fours_points must be -100 to 100, not 101"),
        ({"ones_points": 101}, "ones_points must be -100 to 100, not 101"),
        ({"threes_par": -101}, "threes_par must be -100 to 100, not -101"),
        ({"sequence_points": 1.5}, "sequence_points must be a whole number, not 1.5"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Rules(**changes)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=message):
        combi_combo_v0.parallel_env(**changes)


def test_rules_are_frozen_and_can_be_compared() -> None:
    assert Rules() == Rules(num_players=4, copies=[1, 2, 3, 4])  # type: ignore[arg-type]
    assert hash(Rules()) == hash(Rules(copies=[1, 2, 3, 4]))  # type: ignore[arg-type]
    assert Rules() != Rules(num_players=5)
    with pytest.raises(FrozenInstanceError):
        Rules().num_players = 5  # type: ignore[misc]


@pytest.mark.parametrize(
    "rules",
    [
        Rules(num_players=5, num_colours=2, copies=(2, 1, 4, 3), opening_hand=2, num_turns=2),
        Rules(num_colours=3, copies=(1, 2, 2, 3), opening_hand=1, num_turns=4),
        Rules(num_colours=8, fours_points=(0,) * 9),
        Rules(opening_hand=0, num_turns=1),
        Rules(opening_hand=7, num_turns=8),
        Rules(num_colours=1, copies=(0, 0, 0, 9), opening_hand=1, num_turns=1),
        Rules(ones_points=-3, sequence_points=0, twos_in_series=2, threes_par=0),
    ],
    ids=lambda rules: f"{rules.num_players} players, {rules.num_cards} cards",
)
def test_variants_play_through(rules: Rules) -> None:
    game = CombiComboGame(5, rules, seed=1)
    rng = np.random.default_rng(1)
    while not game.terminated.all():
        assert (game.observe() <= game.layout.maxima).all()
        game.view(1).determinize(rng, 2)
        assert "turn" in game.text(1, 0)
        play_random(game, rng, steps=1)
    assert (game.hands.sum(axis=2) == rules.pile_size).all()
    assert "game over" in game.text()
    assert game.svg().startswith("<svg")


# --- decks ------------------------------------------------------------------------------


def good_decks() -> npt.NDArray[np.int64]:
    return CombiComboGame(2).sample_decks(2, np.random.default_rng(1)).astype(np.int64)


def replaced(old: str, new: int) -> npt.NDArray[np.int64]:
    """In the second deck, another card in place of one."""
    decks = good_decks()
    decks[1, np.flatnonzero(decks[1] == card(old))[0]] = new
    return decks


@pytest.mark.parametrize(
    ("decks", "message"),
    [
        (good_decks()[:, :59], r"decks of combi_combo must have the shape \(2, 60\)"),
        (good_decks()[:1], r"must have the shape \(2, 60\), not \(1, 60\)"),
        (good_decks()[:, None].repeat(2, 1), r"must have the shape \(2, 60\)"),
        (good_decks().astype(float), "must be integers, not float64"),
        (replaced("B1", card("G1")), "deck 1 is not the deck of combi_combo: it has 0 of card 0"),
        (replaced("R4", card("B1")), "deck 1 is not the deck of combi_combo: it has 2 of card 0"),
        (replaced("R4", 24), "deck 1 is not the deck of combi_combo"),
        (replaced("R4", -1), "deck 1 is not the deck of combi_combo"),
    ],
)
def test_decks_that_are_not_the_games_are_refused(decks: Any, message: str) -> None:
    game = CombiComboGame(2, seed=1)
    play_random(game, np.random.default_rng(2), steps=4)
    before = game.state()
    with pytest.raises(ValueError, match=message):
        game.reset(seed=3, decks=decks)
    assert differences(before, game.state()) == []


# --- actions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ("B1 Y3 O4 R4", "game 0, player 1, action 10 .pass yellow 3 to the left.; legal now: 4, 5"),
        ("B1 G1 B1 R4", "game 0, player 2, action 0 .pass blue 1 to the left."),
    ],
)
def test_a_card_one_does_not_have_cannot_be_passed(actions: str, message: str) -> None:
    game = start(["B1 B2 B3 B4 B4", "G1 G2 G3 G4 G4", "O4 O4 O4 V4 V4", "R4 R4 R4 R3 R3"])
    before = game.state()
    with pytest.raises(ValueError, match=f"illegal action in combi_combo: {message}"):
        game.step([cards(actions)])
    assert differences(before, game.state()) == []


@pytest.mark.parametrize("action", [-1, 24, 1000, -24])
def test_there_are_24_actions(action: int) -> None:
    game = start(["B1 B2 B3 B4 B4", "G1 G2 G3 G4 G4", "O4 O4 O4 V4 V4", "R4 R4 R4 R3 R3"])
    with pytest.raises(ValueError, match=f"player 3, action {action} .no such action."):
        game.step([[*cards("B1 G1 O4"), action]])


def test_a_finished_game_takes_only_the_no_op() -> None:
    game = CombiComboGame(1, seed=0)
    play_random(game, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"player 0, action 5 .*legal now: 0"):
        game.step([[5, 0, 0, 0]])
    before = game.scores.copy()
    game.step([[0, 0, 0, 0]])
    assert (game.scores == before).all()
    assert not game.rewards.any()
