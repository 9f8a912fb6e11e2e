"""The sentences in which games report events to players."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.bots.protocol import legal_actions, named_action, news, result
from kododo_env.core import BatchGame
from kododo_env.games.kado import Rules as KadoRules
from kododo_env.games.kododo import Rules as KododoRules
from kododo_env.games.kododo.text.words import evaluation
from kododo_env.registry import words_of
from kododo_env.rendering.words import card_words, counted, listed
from kododo_env.table.factory import make_table
from kododo_env.table.rules_page import sections
from tests.game_tables import EXTREMES, GAMES
from tests.games.combi_combo import written_deals as combi_combo
from tests.games.kado import written_deals as kado
from tests.games.kododo import written_deals as kododo
from tests.helpers import random_actions


def random_steps(game: BatchGame, rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Play at random to the end.

    Yields:
        The game before each step, the actions, (P,), and the rewards of all steps so far.
    """
    gained = []
    while not game.terminated[0]:
        before = game.clone()
        actions = random_actions(game, rng)
        game.step(actions)
        gained.append(game.rewards[0].tolist())
        yield before, actions[0], gained


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_the_points_of_a_game_add_up_in_its_own_terms(name: str, players: int) -> None:
    game = registry.batch_game(name, 1, seed=2, num_players=players)
    rng = np.random.default_rng(3)
    *_, (before, actions, gained) = random_steps(game, rng)
    *sheet, over = words_of(game).ending(gained)
    assert over["scores"] == game.scores[0].tolist()
    for seat, by_source in enumerate(sheet):
        points = sum(source["points"] for source in by_source["sources"])
        assert (by_source["seats"], points) == ([seat], game.scores[0, seat])
    lines = news(game, words_of(game).events(before, actions, 0, gained=gained))["lines"][
        -players - 1 : -1
    ]
    for seat, line in enumerate(lines):
        assert line.startswith(f"player_{seat}: ")
        assert line.endswith(f": {counted(game.scores[0, seat], 'game.points')}")


def lines_of_step(game: Any, actions: list[int], player: int | None = None) -> list[str]:
    """Play a step of a batch of one; return the sentences for a player."""
    before = game.clone()
    game.step([actions])
    words = words_of(game)
    return list(map(words.sentence, words.events(before, actions, player)))


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_a_hand_is_what_its_player_knows_and_actions_play_cards_of_it(
    name: str, players: int
) -> None:
    game = registry.batch_game(name, 1, seed=5, num_players=players)
    rng = np.random.default_rng(6)
    while not game.terminated[0]:
        for player in range(players):
            hand = [card_words(card) for card in words_of(game).hand(player)]
            world = game.determinize(player, rng, 1)
            assert hand == [card_words(card) for card in words_of(world).hand(player)]
            for action in np.flatnonzero(game.legal_action_mask()[0, player]).tolist():
                words = words_of(game).describe_choice(action, player)
                for place in words_of(game).cards_played(action, player):
                    assert hand[place] in words
        game.step(random_actions(game, rng))


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_everybody_is_told_something_and_nobody_what_is_hidden_from_them(
    name: str, players: int
) -> None:
    game = registry.batch_game(name, 1, seed=7, num_players=players)
    rng = np.random.default_rng(8)
    for before, actions, _ in random_steps(game, rng):
        stories = [words_of(game).events(before, actions, seat) for seat in (None, *range(players))]
        assert all(stories[1:])
        for seat, story in enumerate(stories[1:]):
            world = game.determinize(seat, rng, 1)
            assert words_of(world).events(before, actions, seat) == story
        assert words_of(game).events(before, actions.tolist()) == stories[0]
        for event in stories[1]:
            assert json.loads(json.dumps(event)) == event


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_a_short_form_is_an_action_in_letters_of_any_size_and_in_any_order(
    name: str, players: int
) -> None:
    game = registry.batch_game(name, 1, seed=9, num_players=players)
    rng = np.random.default_rng(8)
    while not game.terminated[0]:
        view = game.view(game.deciding()[0].argmax())
        for action, words in legal_actions(view).items():
            typed = ", ".join(
                reversed(words_of(view).short_form(action, view.player).lower().split())
            )
            assert words_of(view).describe_choice(named_action(typed, view), view.player) == words
        game.step(random_actions(game, rng))


def test_a_part_of_a_short_form_is_told_from_one_that_is_none() -> None:
    view = registry.batch_game("kododo", 1, seed=1).view(0)
    first, _, second = words_of(view).short_form(5, view.player).partition(" ")
    with pytest.raises(ValueError, match=f"'{first}' is only part .*choose from {first} "):
        named_action(first, view)
    assert named_action(f"{second}  {first}", view) == 5
    with pytest.raises(ValueError, match="illegal action 'X9'; choose from 5: lay "):
        named_action("X9", view)


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_points_and_the_end_name_a_section_of_the_rules(name: str, players: int) -> None:
    table = make_table(name, players, ["random"], seed=4, pictures=False)
    messages = table.talk(0, {"type": "look"})[0]
    while not table.stage.over:
        action = {"type": "act", "step": table.step, "action": messages[-1]["actions"][0]["action"]}
        messages = table.talk(0, action)[0]
    for step in messages[-1]["log"]:
        for event in step["events"]:
            assert event["rule"] or not re.search("points?$|over:", event["text"]), event


@pytest.mark.parametrize("name", GAMES)
def test_each_section_that_events_name_is_there(name: str) -> None:
    game = registry.batch_game(name, 1, seed=1)
    anchors = {section["anchor"] for section in sections(game, pictures=False)}
    rng = np.random.default_rng(1)
    for before, actions, gained in random_steps(game, rng):
        events = words_of(game).events(before, actions, gained=gained)
        rules = {event["rule"] for event in events}
        assert rules <= anchors | {None}
    assert {event["rule"] for event in words_of(game).ending(gained)} <= anchors


# --- Kododo -------------------------------------------------------------------------------


def evaluated(table: list[str]) -> list[str]:
    """Return the sentences about a round with this table."""
    game = kododo.start(KododoRules(num_players=len(table)), [table])
    kododo.play_round(game, table)
    return list(map(words_of(game).sentence, evaluation(game, 0)))


def test_a_colour_over_the_limit_is_out_and_the_next_one_scores() -> None:
    table = ["G2 G3 Y4 B2", "G2 G3 Y2 B3", "G2 G4 Y5 O2", "G3 G4 Y3 V2"]
    assert evaluated(table) == [
        "0 Kododo cards: only exactly 6 would score",
        "8 green cards: over the limit of 7, out",
        "yellow scores, with 4 cards",
        "player_0 takes yellow 4: 4 points",
        "player_1 takes yellow 2: 2 points",
        "player_2 takes yellow 5: 5 points",
        "player_3 takes yellow 3: 3 points",
    ]


def test_colours_with_as_many_cards_are_out_together() -> None:
    table = ["Y2 Y3 G2 O3", "Y2 G2 G3 O5", "Y3 Y2 G2 B2", "G3 O2 B2 V2"]
    assert evaluated(table)[1:3] == [
        "5 green cards and 5 yellow cards: a tie, out",
        "orange scores, with 3 cards",
    ]
    table = kododo.table_of("YYYYYGGGGGBBOOVV")
    assert evaluated(table)[1:] == [
        "5 green cards and 5 yellow cards: a tie, out",
        "2 blue cards, 2 orange cards and 2 violet cards: a tie, out",
        "nobody scores",
    ]


def test_exactly_the_kododo_number() -> None:
    table = ["B1 G1 G2 G3", "G1 Y1 G4 B2", "O1 V1 Y2 V2", "G5 B3 Y3 O2"]
    assert evaluated(table) == [
        "6 Kododo cards: exactly the number, so that they alone score",
        "player_0 takes blue 1 and green 1: 2 points",
        "player_1 takes green 1 and yellow 1: 2 points",
        "player_2 takes orange 1 and violet 1: 2 points",
    ]


def test_cards_laid_by_all_and_drawn_by_oneself() -> None:
    first = ["B1 B2 G3 G3", "V2 V3 Y5 Y6"]
    game = kododo.start(KododoRules(num_players=2), [first, ["O1 O2 O3 O4", "Y2 Y2 Y3 Y3"]])
    hands = game.hands[0].tolist()
    laid = [kododo.cards(names)[:2] for names in first]
    actions = [kododo.action_for(*pair) for pair in zip(hands, laid, strict=True)]
    for player, drawn in ((0, "orange 1 and orange 2"), (1, "yellow 2 and yellow 2"), (None, "")):
        lines = lines_of_step(game.clone(), actions, player)
        assert lines[:2] == [
            "player_0 lays blue 1 and blue 2",
            "player_1 lays violet 2 and violet 3",
        ]
        assert lines[2:] == ([f"player_{player} draws {drawn}"] if drawn else [])


def test_a_long_game_is_dealt_again() -> None:
    game = registry.batch_game("kododo", 1, seed=0, variant="long")
    rng = np.random.default_rng(0)
    lines: list[str] = []
    while "dealt again" not in "".join(lines):
        lines = lines_of_step(game, random_actions(game, rng)[0].tolist(), 0)
    assert game.deal_index[0] == 1
    assert "draws" not in "".join(lines)


# --- Combi-Combo --------------------------------------------------------------------------


def test_a_card_passed_is_seen_by_its_giver_and_its_receiver() -> None:
    piles = ["B2 B2 G2 G2 G3 O4", "V1 V2 V2 V3 V3 O3", "Y2 Y2 Y3 Y3 Y3 O2", "R2 R2 R3 R3 R3 B1"]
    actions = [combi_combo.card(name) for name in ("B2", "V1", "Y3", "R2")]
    passes = [
        "player_0 passes blue 2 to player_1",
        "player_1 passes violet 1 to player_2",
        "player_2 passes yellow 3 to player_3",
        "player_3 passes red 2 to player_0",
    ]
    game = combi_combo.start(piles, "B3 B3 B3 G4 G4 V4")
    assert lines_of_step(game.clone(), actions, 1) == [
        *passes[:2], "player_1 draws orange 3", "violet 4 is turned up",
    ]  # fmt: skip
    assert lines_of_step(game.clone(), actions, 0) == [
        passes[0], passes[3], "player_0 draws orange 4", "violet 4 is turned up",
    ]  # fmt: skip
    assert lines_of_step(game, actions)[:4] == passes


def test_a_line_names_its_players_and_emphasises_them_and_points() -> None:
    game = combi_combo.start(
        ["B2 B2 G2 G2 G3 O4", "V1 V2 V2 V3 V3 O3", "Y2 Y2 Y3 Y3 Y3 O2", "R2 R2 R3 R3 R3 B1"],
        "B3 B3 B3 G4 G4 V4",
    )
    words = words_of(game)
    names = ["Ann", "player_3", "Cem", "Di"]
    event = {"key": "combi_combo.player_passes", "seats": [0, 1], "cards": [1], "rule": None}
    line = words.line(event, names)
    assert line["text"] == "Ann passes blue 2 to player_3"
    ann = {"player": 0, "text": "Ann"}
    assert line["parts"] == [ann, " passes blue 2 to ", {"player": 1, "text": "player_3"}]
    sheet = words.line(words.ending(np.zeros((8, 4)))[0], names)
    assert sheet["parts"][-1] == {"points": 0, "text": "0 points"}


def test_a_tie_break_is_told_and_the_winners_are_those_of_the_outcome() -> None:
    """Regression: a tie broken by 1s in Combi-Combo was not explained."""
    rng = np.random.default_rng(0)
    for seed in range(200):
        game = registry.batch_game("combi_combo", 1, seed=seed)
        while not game.terminated[0]:
            game.step(random_actions(game, rng))
        leaders = np.flatnonzero(game.scores[0] == game.scores[0].max())
        if len(leaders) > 1 and game.outcome().max() == 1:
            break
    num_ones = game.hands[0].reshape(4, -1, 4)[..., 0].sum(axis=1)
    tie_break = listed(f"{num_ones[seat]} (player_{seat})" for seat in leaders)
    assert f" wins; tie-break by 1s: {tie_break}; " in result(game)


# --- KADO ---------------------------------------------------------------------------------


def test_only_the_dealer_sees_which_card_goes_where() -> None:
    game = kado.start("SV1 CV2 PV4", KadoRules(num_players=3))
    give = kado.give
    no_op = kado.no_op(3)
    for player, words in ((0, "socks 1 (violet ribbon)"), (1, "a card"), (2, "a card")):
        lines = lines_of_step(game.clone(), [give(1), no_op, no_op], player)
        assert lines == [f"player_0 gives {words} to player_1"]
    kado.act(game, p0=give(1))
    assert lines_of_step(game, [give(0), no_op, no_op], 1) == [
        "player_0 keeps a card", "player_0 gives a card to player_2",
    ]  # fmt: skip


def test_a_card_put_aside_in_the_duel() -> None:
    game = kado.start("SV1 CV2 PV4", KadoRules(num_players=2))
    actions = [kado.discard(2), kado.no_op(2)]
    assert lines_of_step(game.clone(), actions, 1) == ["player_0 puts a card aside"]
    assert lines_of_step(game, actions, 0) == ["player_0 puts socks 1 (violet ribbon) aside"]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("CO", "player_1 guesses cube and orange ribbon: wrong"),
        ("SO", "player_1 guesses socks and orange ribbon: socks is right"),
        ("CV", "player_1 guesses cube and violet ribbon: violet ribbon is right"),
        ("SV", "player_1 guesses socks and violet ribbon: a perfect, 2 points"),
    ],
)
def test_a_guess_and_the_swap_that_it_brings(kind: str, words: str) -> None:
    game = kado.start("SV1 CO3 PV4", KadoRules(num_players=3))
    kado.deal(game, [0, 1])
    lines = lines_of_step(game, [kado.no_op(3), kado.guess(3, kind), kado.no_op(3)], 2)
    assert lines[0] == words
    if "wrong" in words:
        assert lines == [words]
        return
    cards_shown = "player_0 shows socks 1 (violet ribbon), player_1 shows cube 3 (orange ribbon)"
    assert lines[1:] == [
        f"{cards_shown}, and they swap",
        "player_0 places cube 3 (orange ribbon) as the first card: 3 points",
        "player_1 places socks 1 (violet ribbon) as the first card: 1 point",
        "player_2 places plush 4 (violet ribbon) as the first card: 4 points",
        "turn 2: player_1 deals",
    ]


def test_a_player_sees_their_card_before_placing_it_and_where_it_lies() -> None:
    game = kado.start("SV1 CO3 PV4 SV3 CO1 PV1", KadoRules(num_players=3))
    kado.play_turn(game, [0, 1], (0, 0))
    kado.deal(game, [0, 1])
    no_op = kado.no_op(3)
    assert lines_of_step(game, [no_op, no_op, kado.no_challenge(3)], 2) == ["player_2 passes"]
    lines = lines_of_step(game, [kado.no_challenge(3), no_op, no_op], 2)
    assert lines == ["player_0 passes", "player_2 has cube 1 (orange ribbon)"]
    lines = lines_of_step(game, [kado.place(3, 0, 1)] * 3, 0)
    where = "right of plush 4 (violet ribbon)"
    assert lines[2] == f"player_2 places cube 1 (orange ribbon) {where}"


def test_a_place_has_the_words_of_the_log() -> None:
    """Regression: rows and columns were counted with empty ones, to "row 4" of three."""
    game = kado.start("SV1 CO3 PV4 SV3 CO1 PV1", KadoRules(num_players=3))
    kado.play_turn(game, [0, 1], (0, 0))
    kado.deal(game, [0, 1])
    kado.pass_all(game)
    words = [words_of(game).describe_choice(kado.place(3, *cell), 2) for cell in ((-1, 0), (0, 1))]
    card = "place cube 1 (orange ribbon)"
    neighbour = "plush 4 (violet ribbon)"
    assert words == [f"{card} above {neighbour}", f"{card} right of {neighbour}"]
