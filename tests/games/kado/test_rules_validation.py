"""Bad input: each a ValueError of one line that says what was wrong. Rules that can be played."""

from __future__ import annotations

from typing import Any

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
from tests.helpers import differences

SIX = ((1, 2, 3, 4, 5, 6),)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_players": 5}, "KADO is for 2 to 4 players, not 5"),
        ({"num_players": 1}, "2 to 4 players, not 1"),
        ({"num_rows": 1, "num_columns": 1}, "at least two places, not 1 x 1"),
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


def test_the_rulebooks_numbers_stand_in_for_none() -> None:
    assert Rules() == Rules(num_players=3, discards=0)
    assert Rules(num_players=2) == Rules(num_players=2, discards=1)


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


def test_a_deck_given_as_a_list_is_dealt_from_the_front() -> None:
    game = KadoGame(1, Rules())
    deck = deck_of("PR3 SV1 CB5", Rules())
    game.reset(decks=[deck])
    assert game.offered[0] == card("PR3")
