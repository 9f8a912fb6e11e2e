"""Sentences for the players of Combi-Combo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Int64, Uint8
from kododo_env.games.combi_combo.display import CombiComboDisplay
from kododo_env.games.combi_combo.rules import COLOURS, VALUES, Rules
from kododo_env.games.combi_combo.scoring import ONE, TWO, by_colour, held
from kododo_env.games.combi_combo.text.cards import LINES, faces, line_points
from kododo_env.games.combi_combo.text.reasons import reasons as reasons
from kododo_env.rendering.languages import say
from kododo_env.rendering.plain_words import Event, event
from kododo_env.rendering.svg_cards import Card, Suit
from kododo_env.rendering.svg_cards import suits as palette
from kododo_env.rendering.words import cards_left

END = "end"
"""The section of ``rules.md`` about the end of a game."""


def title(game: CombiComboDisplay) -> str:
    """Return the name of the game."""
    return "Combi-Combo"


def moment(game: CombiComboDisplay, index: int, names: Sequence[str]) -> tuple[str, ...]:
    """Return the progress of the game in words."""
    if game.terminated[index]:
        return (say("game.end"),)
    return (
        say("game.turn", turn=game.turn + 1, turns=game.rules.num_turns),
        say("combi_combo.draws_left", n=game.draw_pile_size),
    )


def action(game: CombiComboDisplay, number: int) -> str:
    """Return the passing of a type of card."""
    return say("combi_combo.pass", card=card(game, number))


def choice(game: CombiComboDisplay, number: int, player: int, index: int) -> Event | None:
    """Return the card that an action passes."""
    return event("combi_combo.pass", cards=[number])


def card(game: CombiComboDisplay, number: int) -> str:
    """Return a type of card in words, such as "blue 3"; colours without a name are numbered."""
    colour, value = divmod(number, VALUES)
    return say("card.name", suit=_colour_name(colour), value=value + 1)


def _colour_name(colour: int) -> str:
    return say(f"card.suit.{COLOURS[colour]}") if colour < len(COLOURS) else f"colour {colour}"


def details(game: CombiComboDisplay, happening: Event) -> dict[str, Any]:
    """Return the line of the score and the colour of a reason in words."""
    words = {"line": say(happening["theme"])} if "theme" in happening else {}
    if "colour" in happening:
        words["colour"] = _colour_name(happening["colour"])
    return words


def hand(game: CombiComboDisplay, player: int, index: int) -> list[Card]:
    """Return the cards in hand by type; cards of a complete 1-2-3-4 are lit."""
    return faces(game, game.hands[index, player], in_hand=True)


def played(game: CombiComboDisplay, number: int, player: int, index: int) -> tuple[int, ...]:
    """Return the index in ``hand`` of the card that an action passes; of equal cards the first."""
    return (int(game.hands[index, player, :number].sum()),)


def short(game: CombiComboDisplay, number: int, player: int, index: int) -> str:
    """Return the short form of the card that an action passes, such as "B3"."""
    (place,) = played(game, number, player, index)
    return hand(game, player, index)[place].short


def suits(game: CombiComboDisplay) -> tuple[tuple[Suit, ...]]:
    """Return the colours."""
    return (palette(game.rules.num_colours),)


def events(
    game: CombiComboDisplay,
    before: CombiComboDisplay,
    actions: Int64,
    player: int | None,
    index: int,
) -> list[Event]:
    """Return the events of a turn: cards passed and received, new cards, the end."""
    turn_events = []
    for seat, number in enumerate(actions.tolist()):
        neighbour = (seat + 1) % game.num_players
        if player in (None, seat, neighbour):
            seats = [seat, neighbour]
            turn_events.append(event("combi_combo.player_passes", seats=seats, cards=[number]))
    if game.terminated[index]:
        return [*turn_events, event("combi_combo.all_show")]
    drawn = _drawn(game, before, actions)[index]
    for seat in range(game.num_players):
        if player in (None, seat):
            numbers = _numbers(drawn[seat])
            turn_events.append(event("game.player_draws", seats=[seat], cards=numbers))
    turned_up = game.face_up[index] - before.face_up[index]
    if turned_up.any():
        turn_events.append(event("combi_combo.card_turns_up", cards=_numbers(turned_up)))
    return turn_events


def _numbers(counts: Uint8) -> list[int]:
    """Return the numbers of cards that are counted by type."""
    numbers: list[int] = np.repeat(np.arange(len(counts)), counts).tolist()
    return numbers


def _drawn(game: CombiComboDisplay, before: CombiComboDisplay, actions: Int64) -> Uint8:
    """Return the cards drawn since then, by type, (N, P, C * 4)."""
    passed = np.eye(game.num_actions, dtype=np.uint8)[actions]
    return game.hands - (before.hands - passed + np.roll(passed, 1, axis=0))


def sources(game: CombiComboDisplay, gained: Int64, index: int) -> list[tuple[Event, list[int]]]:
    """Return the points of each line of the score."""
    players = [line_points(game, index, seat, None) for seat in range(game.num_players)]
    return [
        (event(key, "score"), [int(points) for points in line])
        for key, *line in zip(LINES, *players, strict=True)
    ]


def tie_breaks(game: CombiComboDisplay, index: int) -> dict[str, list[int]]:
    """Return the numbers of 1s and of 2s in hand."""
    hands = by_colour(game.hands[index][..., None], game.rules)
    return {
        key: held(hands, value)[:, 0].tolist()
        for key, value in (("combi_combo.line.ones", ONE), ("combi_combo.line.twos", TWO))
    }


def memory(rules: Rules, pieces: dict[str, Any]) -> dict[str, Any]:
    """Return the unseen cards by colour and value."""
    colours = palette(rules.num_colours)
    visible = pieces["hand"] + pieces.get("face_up", 0)
    names = [suit.name for suit in colours]
    values = range(1, VALUES + 1)
    copies = [rules.copies] * rules.num_colours
    title = "combi_combo.cards_left"
    return {"tables": [cards_left(title, names, values, copies, visible)], "ruled_out": []}
