"""Sentences for the players of Kododo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Int64
from kododo_env.games.kododo.display import KododoDisplay
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.text.cards import Tally, face, tally
from kododo_env.games.kododo.text.reasons import reasons as reasons
from kododo_env.rendering.languages import say
from kododo_env.rendering.plain_words import Event, event
from kododo_env.rendering.svg_cards import Card, Suit
from kododo_env.rendering.svg_cards import suits as palette
from kododo_env.rendering.words import (
    card_words,
    cards_left,
    counted,
    listed,
)

END = "end"
"""The section of ``rules.md`` about the end of a game."""


def title(game: KododoDisplay) -> str:
    """Return the name of the game."""
    return "Kododo"


def moment(game: KododoDisplay, index: int, names: Sequence[str]) -> tuple[str, ...]:
    """Return the round, the turn and the size of the draw pile in words."""
    if game.terminated[index]:
        return (say("game.end"),)
    rules = game.rules
    return (
        say("kododo.round", round=game.round_index + 1, rounds=rules.num_rounds),
        say("game.turn", turn=game.turn + 1, turns=rules.num_turns),
        say("kododo.draws_left", n=game.draw_pile_size),
    )


def action(game: KododoDisplay, number: int) -> str:
    """Return an action by its slots."""
    _, slots = game.actions.locate(number)
    if len(slots) == 1:
        return say("kododo.lay_slot", slot=slots[0])
    return say("kododo.lay_slots", one=slots[0], other=slots[1])


def choice(game: KododoDisplay, number: int, player: int, index: int) -> Event | None:
    """Return the cards that an action lays."""
    if game.terminated[index]:
        return None
    held = game.hands[index, player]
    laid = [int(held[slot]) for slot in played(game, number, player, index)]
    return event("kododo.lay", cards=laid)


def card(game: KododoDisplay, number: int) -> str:
    """Return a card in words, such as "blue 3"."""
    return card_words(face(game, number))


def hand(game: KododoDisplay, player: int, index: int) -> list[Card]:
    """Return the cards in hand, by slot."""
    return [face(game, card) for card in game.hands[index, player].tolist() if card >= 0]


def played(game: KododoDisplay, number: int, player: int, index: int) -> tuple[int, ...]:
    """Return the indices in ``hand`` of the cards that an action lays."""
    return game.actions.locate(number)[1]


def short(game: KododoDisplay, number: int, player: int, index: int) -> str:
    """Return the short form of the cards that an action lays, such as "B3 Y2"."""
    faces = hand(game, player, index)
    return " ".join(faces[slot].short for slot in played(game, number, player, index))


def suits(game: KododoDisplay) -> tuple[tuple[Suit, ...]]:
    """Return the colours."""
    return (palette(game.rules.num_colours),)


def events(
    game: KododoDisplay, before: KododoDisplay, actions: Int64, player: int | None, index: int
) -> list[Event]:
    """Return the events of a turn: cards laid, the evaluation of a round, cards drawn."""
    rules = game.rules
    turn = before.turn
    evaluated = turn == rules.num_turns - 1
    table = (game.last_table if evaluated else game.table)[index]
    first = rules.laid_before[turn]
    laid = table[:, first : first + rules.plays[turn]].tolist()
    turn_events = [
        event("kododo.player_lays", seats=[seat], cards=cards) for seat, cards in enumerate(laid)
    ]
    if evaluated:
        turn_events += evaluation(game, index)
    dealt_again = evaluated and before.round_index == rules.num_rounds - 1
    if dealt_again and not game.terminated[index]:
        turn_events.append(event("kododo.deal_again", "long-variant"))
    elif player is not None:
        turn_events += _draw(game, before, laid[player], player, index)
    return turn_events


def _draw(
    game: KododoDisplay, before: KododoDisplay, laid: list[int], player: int, index: int
) -> list[Event]:
    """Return the cards that a player has drawn, as an event if there are any."""
    hand_before = Counter(before.hands[index, player].tolist())
    hand_after = Counter(game.hands[index, player].tolist())
    difference = hand_after - (hand_before - Counter(laid))
    drawn = [number for number in sorted(difference.elements()) if number >= 0]
    return [event("game.player_draws", seats=[player], cards=drawn)] if drawn else []


def details(game: KododoDisplay, happening: Event) -> dict[str, Any]:
    """Return the numbers of cards in an evaluation in words."""
    count = happening.get("count", 0)
    if "colours" not in happening:
        return {"cards": counted(count, "kododo.kododos")} if "count" in happening else {}
    colours = [say(suits(game)[0][colour].name) for colour in happening["colours"]]
    cards = [counted(count, "kododo.colour_cards", colour=colour) for colour in colours]
    return {
        "colour": colours[0],
        "rivals": listed(colours[1:]) if len(colours) > 1 else "",
        "count": counted(count, "game.cards"),
        "cards": listed(cards),
    }


def sources(game: KododoDisplay, gained: Int64, index: int) -> list[tuple[Event, list[int]]]:
    """Return the points of each round."""
    rounds = gained.reshape(-1, game.rules.num_turns, game.num_players).sum(axis=1).tolist()
    return [
        (event("kododo.round_number", "end", number=number), points)
        for number, points in enumerate(rounds, 1)
    ]


def tie_breaks(game: KododoDisplay, index: int) -> dict[str, list[int]]:
    """Return the numbers of cards won."""
    return {"kododo.pile_size": game.pile_sizes[index].tolist()}


def memory(rules: Rules, pieces: dict[str, Any]) -> dict[str, Any]:
    """Return the unseen cards since the last shuffle, by colour and value."""
    values = range(1, rules.num_values + 1)
    copies = [rules.copies] * rules.num_colours
    visible = pieces["hand"] + pieces["seen"]
    names = [suit.name for suit in palette(rules.num_colours)]
    return {
        "tables": [cards_left("kododo.cards_left", names, values, copies, visible)],
        "ruled_out": [],
    }


# --- the evaluation of a round ------------------------------------------------------------


def evaluation(game: KododoDisplay, index: int) -> list[Event]:
    """Return how the last round was scored: colours out, scoring cards, and gains."""
    totals = tally(game, index)
    rules = game.rules
    facts: dict[str, Any] = {"count": totals.kododos, "number": rules.kododo_number}
    if totals.kododos_score:
        events = [event("kododo.kododos_score", "kododo-number", **facts)]
    else:
        events = [event("kododo.kododos_count", "kododo-number", **facts)]
        events += _colours(totals, rules.limit)
    gains = game.rewards[index]
    for seat, row in enumerate(totals.table.tolist()):
        if gains[seat]:
            facts = {
                "seats": [seat],
                "cards": [number for number in row if totals.scores_card(face(game, number))],
                "points": int(gains[seat]),
            }
            events.append(event("kododo.player_takes", "evaluation", **facts))
    return events


def _colours(totals: Tally, limit: int) -> list[Event]:
    """Return what becomes of each colour, the highest count first, down to the one that scores."""
    events = []
    order = np.argsort(-np.array(totals.counts), kind="stable").tolist()
    for count, group in groupby(order, lambda colour: totals.counts[colour]):
        facts = {"colours": list(group), "count": count}
        colour = facts["colours"][0]
        if totals.out[colour]:
            key = "kododo.colour_at_limit" if count == limit else "kododo.colour_over_limit"
            events.append(event(key, "limit", **facts, limit=limit))
        elif colour == totals.colour:
            return [*events, event("kododo.colour_scores", "evaluation", **facts)]
        elif count:
            events.append(event("kododo.colours_tie", "ties", **facts))
    return [*events, event("kododo.nobody_scores", "evaluation")]
