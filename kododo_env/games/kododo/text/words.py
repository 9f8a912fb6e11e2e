"""Sentences for the players of Kododo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from kododo_env.core.arrays import Int64
from kododo_env.games.kododo.display import KododoDisplay
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.scoring import NOBODY
from kododo_env.games.kododo.text.cards import Tally, face, tally
from kododo_env.rendering.languages import say
from kododo_env.rendering.svg_cards import Card, Suit
from kododo_env.rendering.svg_cards import suits as palette
from kododo_env.rendering.words import card_short, cards_in_words, cards_left, counted, listed

RULES = (
    (r"^\d+ Kododo cards?:", "kododo-number"),
    (r"the limit of \d+, out$", "limit"),
    ("as many of each, out$", "ties"),
    ("the colour that scores$|^nobody scores$|^player_\\d+ takes ", "evaluation"),
    ("dealt again$", "long-variant"),
    ("for round |^the game is over", "end"),
)
"""Patterns of sentences, each with the section of ``rules.md`` that explains them."""


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


def choice(game: KododoDisplay, number: int, player: int, index: int) -> str | None:
    """Return the cards that an action lays, in words."""
    if game.terminated[index]:
        return None
    faces = hand(game, player, index)
    slots = played(game, number, player, index)
    return say("kododo.lay", cards=cards_in_words([faces[slot] for slot in slots]))


def hand(game: KododoDisplay, player: int, index: int) -> list[Card]:
    """Return the cards in hand, by slot."""
    return [face(game, card) for card in game.hands[index, player].tolist() if card >= 0]


def played(game: KododoDisplay, number: int, player: int, index: int) -> tuple[int, ...]:
    """Return the indices in ``hand`` of the cards that an action lays."""
    return game.actions.locate(number)[1]


def short(game: KododoDisplay, number: int, player: int, index: int) -> str:
    """Return the short form of the cards that an action lays, such as "B3 Y2"."""
    faces = hand(game, player, index)
    return " ".join(card_short(faces[slot]) for slot in played(game, number, player, index))


def suits(game: KododoDisplay) -> tuple[tuple[Suit, ...]]:
    """Return the colours."""
    return (palette(game.rules.num_colours),)


def story(
    game: KododoDisplay, before: KododoDisplay, actions: Int64, player: int | None, index: int
) -> list[str]:
    """Return the events of a turn: cards laid, the evaluation of a round, cards drawn."""
    rules = game.rules
    turn = before.turn
    evaluated = turn == rules.num_turns - 1
    table = (game.last_table if evaluated else game.table)[index]
    first = rules.laid_before[turn]
    laid = table[:, first : first + rules.plays[turn]].tolist()
    lines = [
        say("kododo.player_lays", seat=seat, cards=_faces_in_words(game, cards))
        for seat, cards in enumerate(laid)
    ]
    if evaluated:
        lines += evaluation(game, index)
    dealt_again = evaluated and before.round_index == rules.num_rounds - 1
    if dealt_again and not game.terminated[index]:
        lines.append(say("kododo.deal_again"))
    elif player is not None:
        lines += _drawn(game, before, laid[player], player, index)
    return lines


def _drawn(
    game: KododoDisplay, before: KododoDisplay, laid: list[int], player: int, index: int
) -> list[str]:
    """Return the cards that a player has drawn."""
    hand_before = Counter(before.hands[index, player].tolist())
    hand_after = Counter(game.hands[index, player].tolist())
    drawn = hand_after - (hand_before - Counter(laid))
    cards = [card for card in sorted(drawn.elements()) if card >= 0]
    if not cards:
        return []
    return [say("game.player_draws", seat=player, cards=_faces_in_words(game, cards))]


def _faces_in_words(game: KododoDisplay, cards: list[int]) -> str:
    return cards_in_words([face(game, card) for card in cards])


def breakdown(game: KododoDisplay, gained: Int64, index: int) -> dict[str, list[int]]:
    """Return the points of each round."""
    rounds = gained.reshape(-1, game.rules.num_turns, game.num_players).sum(axis=1).tolist()
    return {say("kododo.round_number", number=k): points for k, points in enumerate(rounds, 1)}


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


def evaluation(game: KododoDisplay, index: int) -> list[str]:
    """Report how the last round was scored: colours out, scoring cards, and gains."""
    totals = tally(game, index)
    rules = game.rules
    kododos = counted(totals.kododos, "kododo.kododos")
    if totals.kododos_score:
        lines = [say("kododo.kododos_score", cards=kododos)]
    else:
        number = rules.kododo_number
        lines = [say("kododo.kododos_count", cards=kododos, number=number)]
        lines += _colours(totals, rules.limit)
    gains = game.rewards[index]
    for seat, row in enumerate(totals.table.tolist()):
        if gains[seat]:
            cards = [face(game, card) for card in row]
            scorers = [card for card in cards if totals.scores_card(card)]
            parts = {
                "cards": cards_in_words(scorers),
                "points": counted(int(gains[seat]), "game.points"),
            }
            lines.append(say("kododo.player_takes", seat=seat, **parts))
    return lines


def _colours(totals: Tally, limit: int) -> list[str]:
    """Report each colour, the highest count first, down to the one that scores."""
    lines = []
    order = np.argsort(-np.array(totals.counts), kind="stable").tolist()
    for count, group in groupby(order, lambda colour: totals.counts[colour]):
        colours = list(group)
        cards = listed(
            counted(count, "kododo.colour_cards", colour=say(totals.suits[colour].name))
            for colour in colours
        )
        if totals.out[colours[0]]:
            parts = {"cards": cards, "limit": limit}
            if count == limit:
                lines.append(say("kododo.colour_at_limit", **parts))
            else:
                lines.append(say("kododo.colour_over_limit", **parts))
        elif colours[0] == totals.colour:
            lines.append(say("kododo.colour_scores", cards=cards))
            break
        elif count:
            lines.append(say("kododo.colours_tie", cards=cards))
    return lines if totals.colour != NOBODY else [*lines, say("kododo.nobody_scores")]
