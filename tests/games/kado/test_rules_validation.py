"""Bad input: each a ValueError of one line that says what was wrong. Rules that can be played."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env.games.kado import KadoGame, Rules
from tests.games.kado.written_deals import (
    act,
    card,
    deck_of,
    give,
    guess,
    no_challenge,
    no_op,
    place,
    start,
)
from tests.helpers import differences, play_random

SIX = ((1, 2, 3, 4, 5, 6),)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_players": 5}, "KADO is for 2 to 4 players, not 5"),
        ({"num_players": 1}, "2 to 4 players, not 1"),
        ({"num_players": 0}, "2 to 4 players, not 0"),
        ({"num_players": 3.0}, "players must be a whole number, not 3.0"),
        ({"num_players": "3"}, "players must be a whole number, not '3'"),
        ({"num_players": None}, "players must be a whole number, not None"),
        ({"num_players": [3]}, r"players must be a whole number, not \[3\]"),
        ({"num_rows": 0}, "num_rows must be 1 to 83, not 0"),
        ({"num_rows": 1, "num_columns": 1}, "at least two places, not 1 x 1"),
        ({"num_columns": -4}, "num_columns must be 1 to 83, not -4"),
        ({"num_rows": 3.0}, "num_rows must be a whole number, not 3.0"),
        ({"num_columns": "4"}, "num_columns must be a whole number, not '4'"),
        ({"perfect_points": -1}, "perfect_points must be 0 to 250, not -1"),
        ({"perfect_points": 251}, "perfect_points must be 0 to 250, not 251"),
        ({"perfect_points": 1.5}, "perfect_points must be a whole number, not 1.5"),
        ({"discards": 2}, "discards must be 0 to 1, not 2"),
        ({"discards": -1}, "discards must be 0 to 1, not -1"),
        ({"discards": True}, "discards must be a whole number, not True"),
        ({"num_players": 4, "discards": 1}, "65 cards do not reach for 12 turns, .* take 71"),
        ({"num_rows": 5}, "65 cards do not reach for 20 turns, which may take 79"),
        ({"deck": ()}, "deck must give values for each gift with the same ribbons"),
        ({"deck": ((),)}, "deck must give values for each gift with the same ribbons"),
        ({"deck": (((1,), (2,)), ((3,),))}, "deck must give values .* the same ribbons"),
        ({"deck": (((),),)}, "deck must hold cards"),
        ({"deck": (((0, 1),),)}, "each of the values in deck must be 1 to 127, not 0"),
        ({"deck": (((1.5,),),)}, "each of the values in deck must be a whole number, not 1.5"),
        ({"deck": 65}, "deck must hold values by gift and ribbon, not 65"),
        ({"deck": (1, 2, 3)}, "deck must hold values by gift and ribbon"),
        ({"deck": (((1, 64), (2,)),)}, "at most 127 types of cards .*, not 128"),
        ({"deck": (((1, 128),),)}, "each of the values in deck must be 1 to 127, not 128"),
        ({"deck": (((1,) * 251,),)}, "at most .* 250 cards, not 1 and 251"),
        ({"deck": (((100,) * 50,),)}, "in a row may be worth 255 at most, not 4 times 100"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Rules(**changes)
    assert "\n" not in str(caught.value)


def test_rules_are_frozen_and_can_be_compared() -> None:
    assert Rules() == Rules(num_players=3, discards=0)
    assert Rules(num_players=2) == Rules(num_players=2, discards=1)
    assert hash(Rules()) == hash(Rules(num_players=3))
    assert Rules() != Rules(num_players=4)
    with pytest.raises(FrozenInstanceError):
        Rules().num_players = 4  # type: ignore[misc]


def test_lists_for_the_tuples_of_the_deck_make_the_same_rules() -> None:
    rules = Rules(deck=[[list(values) for values in ribbons] for ribbons in Rules().deck])  # type: ignore[arg-type]
    assert rules == Rules()
    assert hash(rules) == hash(Rules())


@pytest.mark.parametrize(
    "rules",
    [
        Rules(num_players=2, deck=(SIX, SIX), num_rows=2, num_columns=1, discards=0),
        Rules(num_players=3, deck=(SIX, SIX), num_rows=1, num_columns=3),
        Rules(num_players=3, discards=1),
        Rules(num_players=4, deck=((*SIX, *SIX), (*SIX, *SIX)), num_rows=2, num_columns=2),
        Rules(num_players=2, deck=(((1,) * 60, (2,) * 60),), num_rows=5, num_columns=6),
        Rules(num_players=2, perfect_points=0),
        Rules(num_players=2, perfect_points=250),
    ],
    ids=lambda rules: f"{rules.num_players} players, {rules.num_rows} x {rules.num_columns}",
)
def test_variants_play_through(rules: Rules) -> None:
    game = KadoGame(5, rules, seed=1)
    rng = np.random.default_rng(1)
    while not game.terminated.all():
        assert (game.observe() <= game.layout.maxima).all()
        game.text(1, 0)
        play_random(game, rng, steps=1)
    assert ((game.tableaus >= 0).sum(axis=(2, 3)) == rules.num_turns).all()
    assert (game.scores <= rules.max_score).all()
    assert "points" in game.text()
    assert game.svg().startswith("<svg")


# --- decks ------------------------------------------------------------------------------


def good_decks() -> npt.NDArray[np.int64]:
    return KadoGame(2).sample_decks(2, np.random.default_rng(1)).astype(np.int64)


def replaced(old: str, new: int) -> npt.NDArray[np.int64]:
    """In the second deck, another card in place of one."""
    decks = good_decks()
    decks[1, decks[1] == card(old)] = new
    return decks


@pytest.mark.parametrize(
    ("decks", "message"),
    [
        (good_decks()[:, :64], r"decks of kado must have the shape \(2, 65\), not \(2, 64\)"),
        (good_decks()[:1], r"must have the shape \(2, 65\), not \(1, 65\)"),
        (good_decks()[:, None].repeat(2, 1), r"must have the shape \(2, 65\), not \(2, 2, 65\)"),
        (good_decks().astype(float), "must be integers, not float64"),
        (replaced("SV3", card("SV1")), "deck 1 is not the deck of kado: it has 2 of card 0"),
        (replaced("SV3", card("SV2")), "deck 1 is not the deck of kado: it has 1 of card 1, .* 0"),
        (replaced("SV3", -1), "deck 1 is not the deck of kado"),
        (replaced("SV3", 125), "deck 1 is not the deck of kado"),
    ],
)
def test_decks_that_are_not_the_games_are_refused(decks: Any, message: str) -> None:
    game = KadoGame(2, seed=1)
    play_random(game, np.random.default_rng(2), steps=4)
    before = game.state()
    with pytest.raises(ValueError, match=message):
        game.reset(seed=3, decks=decks)
    assert differences(before, game.state()) == []


# --- actions ----------------------------------------------------------------------------


def refused(game: KadoGame, message: str, **moves: int) -> None:
    """A step of a batch of one that must not be accepted, and must not change anything."""
    before = game.state()
    with pytest.raises(ValueError, match=message) as caught:
        act(game, **moves)
    assert "\n" not in str(caught.value)
    assert differences(before, game.state()) == []


def test_illegal_dealing() -> None:
    game = start("PR3 SV1 CB5", Rules())
    act(game, p0=give(1))
    refused(game, r"illegal action in kado: game 0, player 0, action 1 \(give the card to", p0=1)
    refused(game, r"action 3 \(put the card aside\); legal now: 0, 2", p0=3)
    refused(game, r"player 0, action 65 \(nothing to decide\)", p0=no_op(3))
    refused(game, r"player 2, action 0 \(keep the card\); legal now: 65", p0=0, p2=0)


def test_a_guess_out_of_turn() -> None:
    game = start("PR3 SV1 CB5", Rules())
    refused(game, "player 1, action 19 .*guess plush .*legal now: 65", p0=0, p1=guess(3, "PR"))
    for recipient in (0, 1):
        act(game, p0=recipient)
    refused(game, "player 2, action 19 .*guess", p1=no_challenge(3), p2=guess(3, "PR"))
    refused(game, "player 0, action 19 .*guess", p1=no_challenge(3), p0=guess(3, "PR"))
    refused(game, r"player 1, action 0 \(keep", p1=0)


def test_an_illegal_cell() -> None:
    game = start("PR3 SV1 CB5 FV2 HO2 CG1", Rules())
    for turn in range(2):
        for recipient in (0, 1):
            act(game, **{f"p{turn}": recipient})
        for step in (1, 2):
            act(game, **{f"p{(turn + step) % 3}": no_challenge(3)})
    right = place(3, 0, 1)
    taken, diagonal, far = place(3, 0, 0), place(3, 1, 1), place(3, 0, 2)
    for wrong in (taken, diagonal, far):
        refused(game, rf"player 1, action {wrong} \(place", p0=right, p1=wrong, p2=right)
    refused(game, r"player 2, action 65 \(nothing to decide\)", p0=right, p1=right)
    refused(game, "player 0, action -1 .*no such action", p0=-1, p1=right, p2=right)
    refused(game, "player 0, action 66 .*no such action", p0=66, p1=right, p2=right)


def test_a_finished_game_takes_only_the_no_op() -> None:
    game = KadoGame(1, Rules(), seed=1)
    play_random(game, np.random.default_rng(1))
    refused(game, "player 0, action 0 .*legal now: 65", p0=0)
    before = game.state()
    act(game)
    after = game.state()
    assert not after.pop("_rewards").any()
    before.pop("_rewards")
    before["_just"][:] = False
    assert differences(before, after) == []


def test_a_deck_given_as_a_list_is_dealt_from_the_front() -> None:
    game = KadoGame(1, Rules())
    deck = deck_of("PR3 SV1 CB5", Rules())
    game.reset(decks=[deck])
    assert game.offered[0] == card("PR3")
