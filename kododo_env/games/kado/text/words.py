"""Sentences for the players of KADO."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kododo_env.core.arrays import Int64
from kododo_env.games.kado.actions import moves
from kododo_env.games.kado.display import KadoDisplay
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.state import Phase
from kododo_env.games.kado.text.cards import (
    card_name,
    face,
    gift_name,
    gift_suit,
    ribbon_name,
    ribbon_suit,
    ribbon_words,
    shown_cells,
)
from kododo_env.rendering.languages import say
from kododo_env.rendering.plain_words import WAITS
from kododo_env.rendering.svg_cards import Blank, Card, Suit
from kododo_env.rendering.words import cards_left, counted, listed

RULES = (
    (" guesses | shows ", "challenge"),
    (" puts .* aside$", "duel"),
    (r" places .*: \d+ points?$|\d for (rows|columns|perfects)", "score"),
    ("^the game is over", "end"),
)
"""Patterns of sentences, each with the section of ``rules.md`` that explains them."""

SIDES = {
    (0, -1): "kado.side.right",
    (0, 1): "kado.side.left",
    (-1, 0): "kado.side.below",
    (1, 0): "kado.side.above",
}
"""The position of a cell relative to its neighbour."""


def title(game: KadoDisplay) -> str:
    """Return the name of the game."""
    return "KADO"


def moment(game: KadoDisplay, index: int, names: Sequence[str]) -> tuple[str, ...]:
    """Return the progress of the game in words."""
    if game.terminated[index]:
        return (say("game.end"),)
    seats = {"dealer": game.dealer, "challenger": game.challenger}
    if game.phase == Phase.PLACING:
        doing = say("kado.all_place")
    elif game.phase != Phase.CHALLENGE:
        doing = say("kado.player_deals", dealer=game.dealer)
    elif game.swapped[index]:
        doing = say("kado.challenge_success")
    else:
        doing = say("kado.player_may_challenge", **seats)
    return say("game.turn", turn=game.turn + 1, turns=game.rules.num_turns), doing


def action(game: KadoDisplay, number: int) -> str:
    """Return an action without the names of card and dealer."""
    return describe(game.rules, number)


def choice(game: KadoDisplay, number: int, player: int, index: int) -> str | None:
    """Return an action of a player with the names of card and dealer."""
    if number <= game.moves.discard:
        card = card_name(game.rules, int(game.offered[index]))
        return describe(game.rules, number, card, player)
    if game.moves.place <= number < game.no_op:
        return placing(game, number, player, index)
    return None


def describe(rules: Rules, action: int, card: str = "the card", dealer: int | None = None) -> str:
    """Return the meaning of an action in words, with the names of card and dealer, if known."""
    first = moves(rules)
    if action < first.discard:  # the first actions give the card to a seat
        if not action:
            return say("kado.keep", card=card)
        if dealer is None:
            return say("kado.give_left", card=card, n=action)
        seat = (dealer + action) % rules.num_players
        return say("kado.give", card=card, seat=seat)
    if first.guess <= action < first.place:
        gift, ribbon = divmod(action - first.guess, rules.num_ribbons)
        parts = {"gift": gift_name(gift), "ribbon": ribbon_words(ribbon)}
        return say("kado.guess", **parts)
    if first.place <= action < first.no_op:
        row, column = divmod(action - first.place, rules.board_columns)
        return say("kado.place_on_board", card=card, row=row, column=column)
    if action == first.discard:
        return say("kado.put_aside", card=card)
    return say("kado.pass") if action == first.pass_ else say("kado.wait")


def hand(game: KadoDisplay, player: int, index: int) -> list[Card]:
    """Return the card offered to a dealer, and the player's card of this turn if it is known."""
    offered = game.offered[index] if player == game.dealer else -1
    cards = (offered, game.held_as_seen_by(player)[index, player])
    faces = [face(game, int(card)) for card in cards]
    return [card for card in faces if not isinstance(card, Blank)]


def played(game: KadoDisplay, number: int, player: int, index: int) -> tuple[int, ...]:
    """Return the index in ``hand`` of the card that an action gives away or places, if any."""
    first = game.moves
    plays = number <= first.discard or first.place <= number < first.no_op
    return (0,) if plays else ()


def short(game: KadoDisplay, number: int, player: int, index: int) -> str:
    """Return the short form of an action: a player ("P1"), a guess, a cell ("R1 C2") or a word."""
    first = game.moves
    if number <= first.discard:
        to = f"P{(game.dealer + number) % game.num_players}" if number else "keep"
        return "aside" if number == first.discard else to
    if number == first.pass_:
        return "pass"
    if number < first.place:
        gift, ribbon = divmod(number - first.guess, game.rules.num_ribbons)
        gifts, ribbons = suits(game)
        return f"{gifts[gift].letter} {ribbons[ribbon].letter}"
    if number < first.no_op:
        row, column = cell(game, number, player, index)
        return f"R{row} C{column}"
    return WAITS


def suits(game: KadoDisplay) -> tuple[tuple[Suit, ...], tuple[Suit, ...]]:
    """Return the gifts and the ribbons."""
    rules = game.rules
    gifts = tuple(map(gift_suit, range(rules.num_gifts)))
    return gifts, tuple(map(ribbon_suit, range(rules.num_ribbons)))


def story(
    game: KadoDisplay, before: KadoDisplay, actions: Int64, player: int | None, index: int
) -> list[str]:
    """Return the events of a step, including the placing if the game performed it automatically."""
    lines = []
    if before.phase == Phase.DEALING:
        lines += dealing(game, before, int(actions[before.dealer]), player, index)
    elif before.phase == Phase.CHALLENGE:
        lines += challenge(before, int(actions[before.challenger]), index)
    if game.turn > before.turn:
        lines += _placing(game, before, index)
    elif game.phase == Phase.PLACING and player is not None:
        card = _card(game, game.held[index, player])
        lines.append(say("kado.player_has", seat=player, card=card))
    return lines


def _card(game: KadoDisplay, card: int) -> str:
    """Return a card in words; -1 is a card face down."""
    return card_name(game.rules, int(card)) if card >= 0 else say("kado.card")


def placing(game: KadoDisplay, action: int, player: int, index: int) -> str:
    """Return a placing in words."""
    row, column = cell(game, action, player, index)
    card = _card(game, game.held[index, player])
    return say("kado.place", card=card, row=row, column=column)


def cell(game: KadoDisplay, action: int, player: int, index: int) -> tuple[int, int]:
    """Return the row and column of a placing, counted from 1 in the visible part of the board."""
    row, column = divmod(action - game.moves.place, game.rules.board_columns)
    first_row, first_column = shown_cells(game, index, player)[1]
    return row - first_row + 1, column - first_column + 1


def _where(game: KadoDisplay, player: int, row: int, column: int, index: int) -> str:
    """Return the cards beside a cell; rows and columns shift while a tableau grows."""
    board = np.pad(game.tableaus[index, player], 1, constant_values=-1)
    beside = [
        say(side, card=_card(game, board[row + 1 + down, column + 1 + right]))
        for (down, right), side in SIDES.items()
        if board[row + 1 + down, column + 1 + right] >= 0
    ]
    return ", ".join(beside) or say("kado.first_card")


def dealing(
    game: KadoDisplay, before: KadoDisplay, action: int, player: int | None, index: int
) -> list[str]:
    """Report who was given a card; only the dealer sees the card."""
    dealer = before.dealer
    visible = player in (None, before.dealer)
    offered = _card(game, before.offered[index] if visible else -1)
    if action == before.moves.discard:
        lines = [say("kado.player_puts_aside", dealer=dealer, card=offered)]
        receiver = -1
    else:
        receiver = (dealer + action) % game.num_players
        lines = [_giving(dealer, receiver, offered)]
    for seat in range(game.num_players):
        if before.held[index, seat] < 0 <= game.held[index, seat] and seat != receiver:
            last = _card(game, game.held[index, seat] if visible else -1)
            lines.append(_giving(dealer, seat, last))
    return lines


def _giving(dealer: int, seat: int, card: str) -> str:
    if seat == dealer:
        return say("kado.player_keeps", dealer=dealer, card=card)
    return say("kado.player_gives", dealer=dealer, card=card, seat=seat)


def _named(gift: int, ribbon: int) -> tuple[str, str]:
    return gift_name(gift), ribbon_words(ribbon)


def challenge(before: KadoDisplay, action: int, index: int) -> list[str]:
    """Report a guess, the part of it that is right, and the resulting swap."""
    seat = before.challenger
    dealer = before.dealer
    rules = before.rules
    if action == before.moves.no_op:  # after a swap nobody may challenge
        return []
    if action == before.moves.pass_:
        return [say("kado.player_passes", seat=seat)]
    guess = _named(*divmod(action - before.moves.guess, rules.num_ribbons))
    dealer_card, challenger_card = (int(before.held[index, holder]) for holder in (dealer, seat))
    true = _named(*rules.parts(dealer_card)[:2])
    right = [name for name, fact in zip(guess, true, strict=True) if name == fact]
    parts = {"seat": seat, "guess": listed(guess)}
    if not right:
        return [say("kado.player_guesses_wrong", **parts)]
    if len(right) == 2:
        points = counted(rules.perfect_points, "game.points")
        sentence = say("kado.player_guesses_perfect", **parts, points=points)
    else:
        sentence = say("kado.player_guesses_right", **parts, part=right[0])
    swap = say(
        "kado.players_swap",
        dealer=dealer,
        kept=_card(before, dealer_card),
        seat=seat,
        other=_card(before, challenger_card),
    )
    return [sentence, swap]


def _placing(game: KadoDisplay, before: KadoDisplay, index: int) -> list[str]:
    """Report where the cards were placed, and the points."""
    lines = []
    points_after, points_before = (
        position.scores[index] - position.perfects[index] * np.int16(position.rules.perfect_points)
        for position in (game, before)
    )
    gains = points_after - points_before
    for seat in range(game.num_players):
        filled = (game.tableaus[index, seat] >= 0) & (before.tableaus[index, seat] < 0)
        row, column = (int(place) for place in np.argwhere(filled)[0])
        card = _card(game, game.tableaus[index, seat, row, column])
        where = _where(game, seat, row, column, index)
        lines.append(say("kado.player_places", seat=seat, card=card, where=where))
        lines[-1] += f": {counted(gains[seat], 'game.points')}" if gains[seat] else ""
    if not game.terminated[index]:
        turn = game.turn + 1
        dealer = game.dealer
        lines.append(say("kado.player_deals_turn", turn=turn, dealer=dealer))
    return lines


def breakdown(game: KadoDisplay, gained: Int64, index: int) -> dict[str, list[int]]:
    """Return the points for rows, columns and perfects."""
    rows, columns = game.points_by_axis()
    perfects = game.perfects[index].astype(np.int64) * game.rules.perfect_points
    return {
        say("kado.source.rows"): rows[index].tolist(),
        say("kado.source.columns"): columns[index].tolist(),
        say("kado.source.perfects"): perfects.tolist(),
    }


def memory(rules: Rules, pieces: dict[str, Any]) -> dict[str, Any]:
    """Return the unseen cards, and the excluded gifts and ribbons."""
    gifts = range(rules.num_gifts)
    ribbons = range(rules.num_ribbons)
    copies = np.bincount(rules.cards, minlength=rules.num_card_types).reshape(pieces["seen"].shape)
    names = list(map(gift_name, gifts))
    bows = list(map(ribbon_name, ribbons))
    values = range(1, rules.num_values + 1)
    tables = [
        cards_left("kado.cards_left_by_value", names, values, copies.sum(1), pieces["seen"].sum(1)),
        cards_left("kado.cards_left_by_ribbon", names, bows, copies.sum(2), pieces["seen"].sum(2)),
    ]
    wrong = [{axis: int(number)} for axis in ("gift", "ribbon")
             for number in np.flatnonzero(pieces[f"not_{axis}"])]  # fmt: skip
    exhausted = np.argwhere((copies - pieces["seen"]).sum(2) == 0).tolist()
    return {"tables": tables, "ruled_out": wrong + [{"gift": g, "ribbon": r} for g, r in exhausted]}
