"""What a player's cards would bring about in Kododo if nobody else laid any more."""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Int8
from kododo_env.games.kododo.display import KododoDisplay
from kododo_env.games.kododo.rules import KODODO_VALUE, Rules
from kododo_env.games.kododo.scoring import NOBODY, score_round
from kododo_env.games.kododo.text.cards import Tally, tally_of
from kododo_env.rendering.plain_words import Event, event

KODODOS = "kododo.kododo_cards"
LIMIT = "kododo.limit"
TIE = "kododo.tie"
MAJORITY = "kododo.theme.majority"


def reasons(game: KododoDisplay, number: int, player: int, index: int) -> list[Event]:
    """Return how an action would change the evaluation of the round, and who would score."""
    rules = game.rules
    table = game.table[index]
    slots = list(game.actions.locate(number)[1])
    laid = game.hands[index, player, slots]
    colours = np.unique(laid // rules.num_values).tolist()
    table_after = table.copy()
    table_after[player, np.flatnonzero(table[player] < 0)[: len(laid)]] = laid
    before = tally_of(rules, table)
    after = tally_of(rules, table_after)
    points = int(_points(rules, table_after)[player])
    if after.kododos_score:
        facts = {"seats": [player], "points": points, "count": after.kododos, "theme": KODODOS}
        return [event("kododo.would_score_kododos", "kododo-number", **facts)]
    events = []
    if (table >= 0).any():
        for colour in colours:
            events += _colour(colour, before, after, rules)
        events.append(_scoring(after, player, points))
    else:
        colours_in_hand = np.delete(game.hands[index, player], slots) // rules.num_values
        events = [_holding(colour, colours_in_hand.tolist().count(colour)) for colour in colours]
    return events + _kododos(before, after, rules)


def _scoring(after: Tally, player: int, points: int) -> Event:
    """Return which colour would score."""
    if after.colour == NOBODY:
        return event("kododo.would_score_nobody", "evaluation", theme=MAJORITY)
    count = after.counts[after.colour]
    facts = {"seats": [player], "colours": [after.colour], "count": count, "points": points}
    return event("kododo.would_score", "evaluation", **facts, theme=MAJORITY)


def _holding(colour: int, count: int) -> Event:
    """Return how many cards of a colour would stay in hand for the turns to come."""
    return event("kododo.would_hold", colours=[colour], count=count, theme=MAJORITY)


def _kododos(before: Tally, after: Tally, rules: Rules) -> list[Event]:
    """Return how far the Kododo cards are from their number, if the action lays some."""
    if before.kododos == after.kododos:
        return []
    exceeded = after.kododos > rules.kododo_number
    key = "kododo.would_be_too_many" if exceeded else "kododo.kododos_count"
    facts = {"count": after.kododos, "number": rules.kododo_number}
    return [event(key, "kododo-number", **facts, theme=KODODOS)]


def _colour(colour: int, before: Tally, after: Tally, rules: Rules) -> list[Event]:
    """Return whether a colour that the action lays would be out."""
    facts = {"count": after.counts[colour], "limit": rules.limit, "theme": LIMIT}
    if before.out[colour]:
        return [event("kododo.is_out", "limit", colours=[colour], **facts)]
    if after.out[colour]:
        return [event("kododo.would_reach_limit", "limit", colours=[colour], **facts)]
    rivals = [
        rival
        for rival, count in enumerate(after.counts)
        if rival != colour and count == after.counts[colour]
    ]
    if not (after.tied[colour] and rivals):
        return []
    colours = [colour, *rivals]
    return [event("kododo.would_tie", "ties", colours=colours, theme=TIE)]


def _points(rules: Rules, table: Int8) -> Int8:
    """Return the points of each player if the round ended with these cards."""
    colour, value = np.divmod(table.astype(np.int64), rules.num_values)
    of_colour = colour[:, None] == np.arange(rules.num_colours)[:, None]  # an empty place is none
    kododos = (table >= 0) & (value == KODODO_VALUE - 1)
    laid = np.hstack(
        [of_colour.sum(2), kododos.sum(1, keepdims=True), (of_colour * (value + 1)[:, None]).sum(2)]
    )
    together = laid[:, : rules.num_colours + 1].sum(0)
    return score_round(laid, together, rules.kododo_number, rules.limit)[0]
