"""What a game says that an action would bring about is true, and contains nothing hidden."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.games.kado import Rules as KadoRules
from kododo_env.games.kododo import Rules as KododoRules
from kododo_env.games.kododo.text.reasons import _points
from kododo_env.registry import words_of
from kododo_env.rendering.languages import LANGUAGES, say, speaking
from tests.game_tables import EXTREMES
from tests.games.combi_combo import written_deals as combi_combo
from tests.games.kado import written_deals as kado
from tests.games.kododo import written_deals as kododo
from tests.helpers import random_actions


def reasons_of(game: Any, player: int) -> dict[str, list[str]]:
    """Return the sentences of the reasons of each legal action, by its words."""
    words = words_of(game)
    legal = np.flatnonzero(game.legal_action_mask()[0, player]).tolist()
    return {
        words.describe_choice(action, player): [
            words.sentence(reason) for reason in words.reasons(action, player)
        ]
        for action in legal
    }


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_reasons_are_the_same_in_every_world_that_the_player_thinks_possible(
    name: str, players: int
) -> None:
    game: Any = registry.batch_game(name, 1, seed=3, num_players=players)
    rng = np.random.default_rng(4)
    while not game.terminated[0]:
        for player in np.flatnonzero(game.deciding()[0]).tolist():
            world = game.determinize(player, rng, 1)
            for action in np.flatnonzero(game.legal_action_mask()[0, player]).tolist():
                reasons = words_of(game).reasons(action, player)
                assert words_of(world).reasons(action, player) == reasons
                assert json.loads(json.dumps(reasons)) == reasons
                for reason in reasons:
                    assert say(reason["theme"]) != reason["theme"]
        game.step(random_actions(game, rng))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_reasons_can_be_said_in_each_language(name: str, players: int, language: str) -> None:
    game: Any = registry.batch_game(name, 1, seed=5, num_players=players)
    rng = np.random.default_rng(6)
    with speaking(language):
        while not game.terminated[0]:
            player = int(game.deciding()[0].argmax())
            if game.steps_played % 5 == 0:
                assert any(reasons_of(game, player).values())
            game.step(random_actions(game, rng))


def test_an_action_that_is_not_legal_has_no_reasons() -> None:
    game: Any = registry.batch_game("kado", 1, seed=1)
    assert words_of(game).reasons(game.no_op, game.dealer) == []


# --- Kododo -------------------------------------------------------------------------------


def kododo_table(*laid: str, hand: str = "V2") -> Any:
    """Return a game of two players before its third turn: their three cards, and one to lay."""
    names = [f"{cards} {last}" for cards, last in zip(laid, (hand, "Y6"), strict=True)]
    game = kododo.start(KododoRules(num_players=2), [names], spares="O6 O5")
    for turn in kododo.TURNS[:2]:
        kododo.lay(game, [kododo.cards(cards)[turn] for cards in names])
    return game


BLUE_LEADS = ("B2 B3 B4", "B5 G3 G2")
BLUE_IS_OUT = ("B2 B3 B4", "B5 B2 G2")
BLUE_BEFORE_GREEN = ("B2 B3 G4", "B5 V2 G2")
THREE_KODODOS = ("B1 V1 G4", "O1 V2 G2")
FOUR_KODODOS = ("B1 V1 G1", "O1 V2 G2")


@pytest.mark.parametrize(
    ("laid", "last", "reasons"),
    [
        (BLUE_LEADS, "B6", ["blue would reach the limit of 5",
                            "green would score, with 2 cards: 0 points for you"]),
        (BLUE_LEADS, "O6", ["blue would score, with 4 cards: 9 points for you"]),
        (BLUE_IS_OUT, "B6", ["blue is out already",
                             "green would score, with 1 card: 0 points for you"]),
        (BLUE_IS_OUT, "O6", ["orange would tie with green", "nobody would score"]),
        (BLUE_BEFORE_GREEN, "G6", ["green would tie with blue",
                                   "violet would score, with 1 card: 0 points for you"]),
        (THREE_KODODOS, "G1", ["4 Kododo cards, exactly the number: they alone would score, "
                               "3 points for you"]),
        (FOUR_KODODOS, "Y1", ["yellow would tie with blue and orange", "nobody would score",
                              "5 Kododo cards would be too many: only exactly 4 score"]),
    ],
)  # fmt: skip
def test_what_a_card_of_kododo_would_bring_about(
    laid: tuple[str, str], last: str, reasons: list[str]
) -> None:
    game = kododo_table(*laid, hand="V3" if last == "O6" else last)
    name = words_of(game).describe_choice(
        kododo.action_for(game.hands[0, 0], kododo.cards(last)), 0
    )
    assert reasons_of(game, 0)[name] == reasons


def test_the_points_of_a_reason_are_those_of_the_evaluation() -> None:
    game: Any = registry.batch_game("kododo", 1, seed=7, num_players=4)
    rng = np.random.default_rng(8)
    while not game.terminated[0]:
        evaluated = game.turn == game.rules.num_turns - 1
        game.step(random_actions(game, rng))
        if evaluated:
            assert _points(game.rules, game.last_table[0]).tolist() == game.rewards[0].tolist()


def test_before_any_cards_lie_there_the_rest_of_the_hand_counts() -> None:
    names = ["B2 B3 B4 V2", "Y2 Y3 G4 G5"]
    game = kododo.start(KododoRules(num_players=2), [names], spares="O6 O5")
    assert reasons_of(game, 0)["lay blue 2 and violet 2"] == [
        "blue left in your hand: 2 cards",
        "violet left in your hand: 0 cards",
    ]


# --- Combi-Combo --------------------------------------------------------------------------


def test_what_passing_a_card_of_combi_combo_would_cost() -> None:
    piles = ["B1 B2 B3 B4 V4", "Y1 Y2 G2 V2 V4"]
    game = combi_combo.start([*piles, "R4", "R3"])
    reasons = reasons_of(game, 0)
    assert reasons["pass blue 1 to the left"] == [
        "4 points less for 1-2-3-4",
        "cards of value 1 in your hand: 0",
    ]
    assert reasons["pass blue 3 to the left"] == [
        "4 points less for 1-2-3-4",
        "1 point less for 3s",
    ]
    assert reasons["pass violet 4 to the left"] == ["costs no points"]
    assert reasons_of(game, 1)["pass yellow 2 to the left"] == [
        "3 points less for 2s",
        "cards of value 2 in your hand: 2; a series takes 3",
    ]


def test_a_card_of_combi_combo_may_be_there_twice_or_begin_a_sequence() -> None:
    game = combi_combo.start(["B1 B2 B4 V4 V4", "R4", "R3", "R2"])
    reasons = reasons_of(game, 0)
    assert reasons["pass violet 4 to the left"] == [
        "costs no points",
        "another violet 4 stays in your hand",
    ]
    assert reasons["pass blue 4 to the left"] == [
        "costs no points",
        "blue would need two cards for 1-2-3-4, not one",
    ]


# --- KADO ---------------------------------------------------------------------------------


def kado_table(*columns: str) -> Any:
    """Return a game of two before the placing of cards in a third turn."""
    game = kado.start(" ".join(columns), KadoRules(num_players=2, discards=0))
    kado.play_turn(game, [0], (0, 0))
    kado.play_turn(game, [0], (1, 0))
    kado.deal(game, [0])
    kado.pass_all(game)
    return game


def test_what_placing_a_card_of_kado_would_bring_about() -> None:
    # In each turn the dealer keeps the first card.
    game = kado_table("PG3 SV1", "SO2 CG2", "CG4 SV3")
    assert reasons_of(game, 0) == {
        "place cube 4 (green ribbon) above plush 3 (green ribbon)": [
            "a whole column of one ribbon: 4 points",
            "4 points more in this row",
        ],
        "place cube 4 (green ribbon) below cube 2 (green ribbon)": [
            "a whole column of one ribbon: 4 points",
            "4 points more in this row",
        ],
        "place cube 4 (green ribbon) left of plush 3 (green ribbon)": ["1 point more in this row"],
        "place cube 4 (green ribbon) right of plush 3 (green ribbon)": ["1 point more in this row"],
        "place cube 4 (green ribbon) left of cube 2 (green ribbon)": [
            "cube for the second time in this row",
            "4 points more in this row",
        ],
        "place cube 4 (green ribbon) right of cube 2 (green ribbon)": [
            "cube for the second time in this row",
            "4 points more in this row",
        ],
    }
    reasons = reasons_of(game, 1)
    assert reasons["place socks 3 (violet ribbon) above socks 1 (violet ribbon)"] == [
        "a second violet ribbon in this column",
        "3 points more in this row",
    ]


@pytest.mark.parametrize("players", [2, 3])
def test_a_reason_tells_all_points_of_a_placing(players: int) -> None:
    game: Any = registry.batch_game("kado", 1, seed=9, num_players=players)
    rng = np.random.default_rng(9)
    while not game.terminated[0]:
        legal = game.legal_action_mask()[0]
        for player in np.flatnonzero(game.deciding()[0]).tolist() if game.phase == 2 else ():
            for action in np.flatnonzero(legal[player]).tolist():
                trial = game.clone()
                actions = legal.argmax(axis=1)
                actions[player] = action
                trial.step([actions])
                reasons = words_of(game).reasons(action, player)
                points = sum(reason.get("points", 0) for reason in reasons)
                assert points == trial.rewards[0, player]
        game.step(random_actions(game, rng))


def test_what_a_guess_of_kado_rests_on() -> None:
    game = kado.start("SV1 CO3 PV4", KadoRules(num_players=3))
    kado.deal(game, [0, 1])
    kado.act(game, p1=kado.guess(3, "CG"))
    wrong = reasons_of(game, 2)["guess cube and blue ribbon"]
    assert wrong == [
        "ruled out by a wrong guess",
        "player_0 could gain up to 5 points with it",
        "player_2 could gain up to 5 points with it",
        "3 such cards not seen yet",
    ]
    assert reasons_of(game, 2)["pass"] == ["you keep the card that you were dealt"]


def test_to_whom_a_dealt_card_of_kado_would_be_useful() -> None:
    game = kado.start("PG3 SV1 SO2 CG2", KadoRules(num_players=2, discards=0))
    kado.play_turn(game, [0], (0, 0))
    assert reasons_of(game, 1) == {
        "keep socks 2 (orange ribbon)": ["player_1 could gain up to 2 points with it"],
        "give socks 2 (orange ribbon) to player_0": ["player_0 could gain up to 2 points with it"],
    }


def test_a_place_of_kado_is_named_by_the_cards_beside_it() -> None:
    """Regression: "row 4, column 2" of a board of three rows."""
    game: Any = registry.batch_game("kado", 1, seed=9, num_players=2)
    rng = np.random.default_rng(9)
    while not game.terminated[0]:
        if game.phase == 2:
            for player in np.flatnonzero(game.deciding()[0]).tolist():
                places = [*reasons_of(game, player)]
                legal = game.legal_action_mask()[0, player].sum()
                assert len(set(places)) == legal
                assert not any("row" in place for place in places)
                assert all(
                    " of " in place or "above" in place or "below" in place for place in places
                )
        game.step(random_actions(game, rng))


def test_equal_cards_of_kado_do_not_give_two_places_one_name() -> None:
    game: Any = registry.batch_game("kado", 1, seed=1, num_players=2, deck=(((5,) * 60,),))
    while game.turn < 3 or game.phase != 2:
        game.step(random_actions(game, np.random.default_rng(1)))
    places = [
        words_of(game).describe_choice(action, 0)
        for action in np.flatnonzero(game.legal_action_mask()[0, 0]).tolist()
    ]
    assert len(set(places)) == len(places) > 2
    assert any("(row " in place for place in places)
