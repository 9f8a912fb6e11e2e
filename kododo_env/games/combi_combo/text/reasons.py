"""What passing a card would do to the hand of a player of Combi-Combo."""

from __future__ import annotations

import numpy as np

from kododo_env.games.combi_combo.display import CombiComboDisplay
from kododo_env.games.combi_combo.rules import VALUES
from kododo_env.games.combi_combo.scoring import ONE, TWO, by_colour, held, score_lines
from kododo_env.games.combi_combo.text.cards import LINES
from kododo_env.rendering.plain_words import Event, event

ONES, SEQUENCES, TWOS, *_ = LINES


def reasons(game: CombiComboDisplay, number: int, player: int, index: int) -> list[Event]:
    """Return the points that the cards in hand would lose, and what they are about to make."""
    rules = game.rules
    hand = game.hands[index, player]
    hand_after = hand.copy()
    hand_after[number] -= 1
    hands = by_colour(np.stack([hand, hand_after], axis=-1)[None], rules)  # before and after
    events = []
    # The points for 1s depend on the other hands.
    for line, (before, after) in zip(LINES[1:], score_lines(hands, rules)[1:, 0], strict=True):
        if before > after:
            points = int(before - after)
            events.append(event("combi_combo.would_cost", "score", points=points, theme=line))
    if not events:
        events.append(event("combi_combo.would_cost_nothing", theme="combi_combo.theme.spare"))
    return [*events, *_prospects(game, number, player, index)]


def _prospects(game: CombiComboDisplay, number: int, player: int, index: int) -> list[Event]:
    """Return what a card is good for without having points yet, or that there is another one."""
    rules = game.rules
    hand = game.hands[index, player]
    if hand[number] > 1:
        theme = "combi_combo.theme.spare"
        return [event("combi_combo.would_keep_another", cards=[number], theme=theme)]
    colour, value = divmod(number, VALUES)
    by_value = hand.reshape(rules.num_colours, VALUES)
    events = []
    if np.count_nonzero(by_value[colour]) == VALUES - 1:
        facts = {"colour": colour, "theme": SEQUENCES}
        events.append(event("combi_combo.would_break_sequence", "score", **facts))
    count = int(held(by_value, value)) - 1
    if value == ONE:
        events.append(event("combi_combo.would_keep_ones", "score", count=count, theme=ONES))
    if value == TWO:
        facts = {"count": count, "series": rules.twos_in_series, "theme": TWOS}
        events.append(event("combi_combo.would_keep_twos", "score", **facts))
    return events
