"""Messages contain nothing that their receiver may not know."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.bots.protocol import position
from kododo_env.games.combi_combo.text import picture as combi_combo
from kododo_env.games.kado.cards import viewers_by_place
from kododo_env.games.kado.tables import tables
from kododo_env.games.kado.text import picture as kado
from kododo_env.games.kododo.text import picture as kododo
from kododo_env.rendering import svg_cards
from kododo_env.rendering.svg import PAPER, rectangle
from kododo_env.rendering.svg_cards import CARD, Card
from kododo_env.rendering.words import card_words
from kododo_env.table.factory import make_table
from tests.game_tables import EXTREMES
from tests.helpers import random_actions
from tests.play.people import People

# --- the cards that are shown, by game: written out here, so that nothing of the table is believed


def faces_of(game: Any) -> dict[int, Card]:
    """Return the face of each card that is unique in the deck."""
    once = [card for card, copies in Counter(game.cards.tolist()).items() if copies == 1]
    if game.name == "combi_combo":
        types = np.eye(game.num_actions, dtype=np.uint8)
        return {card: combi_combo.faces(game, types[card])[0] for card in once}
    face: Any = {"kododo": kododo.face, "kado": kado.face}[game.name]
    return {card: face(game, card) for card in once}


def shown_in_kododo(game: Any, seat: int) -> set[int]:
    return {*game.hands[0, seat].tolist(), *game.table.ravel(), *game.last_table.ravel()}


def shown_in_combi_combo(game: Any, seat: int) -> set[int]:
    if game.terminated[0]:
        return set(game.cards.tolist())
    return set(np.flatnonzero(game.hands[0, seat] + game.face_up[0]).tolist())


def shown_in_kado(game: Any, seat: int) -> set[int]:
    visible = viewers_by_place(game._state, game.rules, tables(game.rules))[:, 0] >> seat & 1
    return set(game._state.deck[:-1, 0][visible > 0].tolist())


SHOWN: dict[str, Callable[[Any, int], set[int]]] = {
    "kododo": shown_in_kododo, "combi_combo": shown_in_combi_combo, "kado": shown_in_kado,
}  # fmt: skip


def code(face: Card) -> str:
    """Return a card's code in texts, such as B3 or SV5."""
    return f"{face.suit.letter}{face.second.letter if face.second else ''}{face.value}"


def drawing(face: Card) -> str:
    """Return a card's drawing from the paper up: shadow and rim lie below it."""
    drawn = svg_cards._face(face)
    return drawn[drawn.index(rectangle(CARD, 7, PAPER)) :].removesuffix("</g>")


def cards_in(message: dict[str, Any], faces: dict[int, Card]) -> set[int]:
    """Return which of the cards a message shows, as words, in the text or as a face.

    The text of a table has cards as codes; "orange 6" in it is a count of orange cards.
    """
    pictures = [card["picture"] for card in message.get("hand", [])]
    drawn = "".join([*pictures, *message.get("scene", {}).get("faces", {}).values()])
    words = json.dumps({**message, "text": ""})
    named = {card_words(face): card for card, face in faces.items()}
    cards = {named[name] for name in re.findall("|".join(map(re.escape, named)), words)}
    codes = set(re.findall(r"\b[A-Z]+\d\b", message.get("text", "")))
    cards |= {card for card, face in faces.items() if code(face) in codes}
    return cards | {card for card, face in faces.items() if drawing(face) in drawn}


@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_no_message_of_whole_games_shows_a_hidden_card(game: str, players: int) -> None:
    """Two people send every kind of request."""
    opponents = ["random"] if players > 2 else []
    table = make_table(game, players, opponents, people=2, hints="heuristic", seed=players)
    faces = faces_of(table.game.batch)
    visible_cards: dict[int, set[int]] = {seat: set() for seat in table.people}
    cards_found: dict[int, set[int]] = {seat: set() for seat in table.people}

    def heard(seat: int, message: dict[str, Any]) -> None:
        for person, cards in visible_cards.items():
            cards |= SHOWN[game](table.game.batch, person)
        shown_cards = cards_in(message, faces)
        assert shown_cards <= visible_cards[seat], message["type"]
        cards_found[seat] |= shown_cards

    people = People(table, players, heard)
    goes_on = True
    while goes_on:
        for seat in table.people:
            people.say(seat, {"type": "hint", "step": table.step})
            people.say(seat, {"type": "act", "step": table.step, "action": 999})
            people.say(seat, {"type": "record"}) if not table.stage.over else None
        goes_on = people.choose()
    for seat, shown_cards in cards_found.items():
        # The search must find the cards that the player may see.
        assert shown_cards == visible_cards[seat] & set(faces), seat
        assert len(shown_cards) >= 3


@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_a_position_is_the_same_in_every_world_that_its_player_thinks_possible(
    game: str, players: int
) -> None:
    batch = registry.batch_game(game, 1, seed=3, num_players=players)
    rng = np.random.default_rng(4)
    while not batch.terminated[0]:
        for seat in range(players):
            world = batch.determinize(seat, rng, 1)
            assert position(world.view(seat), True) == position(batch.view(seat), True)
        batch.step(random_actions(batch, rng))
