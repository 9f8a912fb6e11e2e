"""Sentences for the players of KADO."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Int64
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
from kododo_env.games.kado.text.reasons import reasons as reasons
from kododo_env.rendering.languages import say
from kododo_env.rendering.plain_words import WAITS, Event, event
from kododo_env.rendering.svg_cards import Blank, Card, Suit
from kododo_env.rendering.words import cards_left, counted, listed

END = "end"
"""The section of ``rules.md`` about the end of a game."""

ORDINALS = {2: "game.ordinal.2", 3: "game.ordinal.3", 4: "game.ordinal.4"}
"""The keys of the words for the second, third and fourth of a kind."""

SIDES = {(0, -1): "right", (0, 1): "left", (-1, 0): "below", (1, 0): "above"}
"""The position of a cell relative to its neighbour."""


def title(game: KadoDisplay) -> str:
    """Return the name of the game."""
    return "KADO"


def moment(game: KadoDisplay, index: int, names: Sequence[str]) -> tuple[str, ...]:
    """Return the progress of the game in words."""
    if game.terminated[index]:
        return (say("game.end"),)
    if game.phase == Phase.PLACING:
        doing = say("kado.all_place")
    elif game.phase != Phase.CHALLENGE:
        doing = say("kado.player_deals", player=names[game.dealer])
    elif game.swapped[index]:
        doing = say("kado.challenge_success")
    else:
        doing = say(
            "kado.player_may_challenge",
            player=names[game.challenger],
            other=names[game.dealer],
        )
    return say("game.turn", turn=game.turn + 1, turns=game.rules.num_turns), doing


def action(game: KadoDisplay, number: int) -> str:
    """Return an action without the names of card and receiver."""
    first = game.moves
    rules = game.rules
    card = "the card"
    if number < first.discard:  # the first actions give the card to a seat
        key = "kado.give_left" if number else "kado.keep"
        return say(key, card=card, n=number)
    if first.guess <= number < first.place:
        gift, ribbon = divmod(number - first.guess, rules.num_ribbons)
        return say("kado.guess", gift=gift_name(gift), ribbon=ribbon_words(ribbon))
    if first.place <= number < first.no_op:
        row, column = divmod(number - first.place, rules.board_columns)
        return say("kado.place_on_board", card=card, row=row, column=column)
    if number == first.discard:
        return say("kado.put_aside", card=card)
    return say("kado.pass") if number == first.pass_ else say("kado.wait")


def choice(game: KadoDisplay, number: int, player: int, index: int) -> Event | None:
    """Return what an action does with a card."""
    if game.moves.place <= number < game.no_op:
        return _place(game, number, player, index)
    if number > game.moves.discard:
        return None
    offered = int(game.offered[index])
    if number == game.moves.discard:
        return event("kado.put_aside", cards=[offered])
    key = "kado.give" if number else "kado.keep"
    return event(key, seats=[(player + number) % game.num_players], cards=[offered])


def _place(game: KadoDisplay, number: int, player: int, index: int) -> Event:
    """Return where an action places the card: beside which card."""
    row, column = divmod(number - game.moves.place, game.rules.board_columns)
    beside = _beside(game, player, row, column, index)
    cards = [int(game.held[index, player])]
    open_cells = np.argwhere(game.open_cells[index, player]).tolist()
    equal_places = [
        (row, column)
        for row, column in open_cells
        if _beside(game, player, row, column, index) == beside
    ]
    if len(equal_places) < 2:
        return event("kado.place", cards=cards, beside=beside)
    # Only decks with equal cards have two such places.
    row, column = cell(game, number, player, index)
    return event("kado.place_exactly", cards=cards, beside=beside, row=row, column=column)


def labels(game: KadoDisplay, number: int, names: Sequence[str]) -> dict[str, str]:
    """Return the gift and the ribbon of a guess, or the receiver of a card."""
    piece, place = game.actions.locate(number)
    if piece.name == "guess":
        return {"gift": gift_name(place[0]), "ribbon": ribbon_words(place[1])}
    if piece.name == "give":
        return {"seat": names[(game.dealer + number) % game.num_players]}
    return {axis: str(k + 1) for axis, k in zip(("row", "column"), place, strict=False)}


def card(game: KadoDisplay, number: int | None) -> str:
    """Return a card in words, such as "plush 3 (green ribbon)"."""
    return say("kado.card") if number is None else card_name(game.rules, number)


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


def events(
    game: KadoDisplay, before: KadoDisplay, actions: Int64, player: int | None, index: int
) -> list[Event]:
    """Return the events of a step, including the placing if the game performed it automatically."""
    step_events = []
    if before.phase == Phase.DEALING:
        step_events += dealing(game, before, int(actions[before.dealer]), player, index)
    elif before.phase == Phase.CHALLENGE:
        step_events += challenge(before, int(actions[before.challenger]), index)
    if game.turn > before.turn:
        step_events += _placing(game, before, index)
    elif game.phase == Phase.PLACING and player is not None:
        held = int(game.held[index, player])
        step_events.append(event("kado.player_has", seats=[player], cards=[held]))
    return step_events


def cell(game: KadoDisplay, action: int, player: int, index: int) -> tuple[int, int]:
    """Return the row and column of a placing, counted from 1 in the visible part of the board."""
    row, column = divmod(action - game.moves.place, game.rules.board_columns)
    first_row, first_column = shown_cells(game, index, player)[1]
    return row - first_row + 1, column - first_column + 1


def _beside(game: KadoDisplay, player: int, row: int, column: int, index: int) -> dict[str, int]:
    """Return the first card beside a cell, by its side; none for the first card of a tableau.

    Rows and columns shift while a tableau grows.
    """
    board = np.pad(game.tableaus[index, player], 1, constant_values=-1)
    for (down, right), side in SIDES.items():
        neighbour = int(board[row + 1 + down, column + 1 + right])
        if neighbour >= 0:
            return {side: neighbour}
    return {}


def dealing(
    game: KadoDisplay, before: KadoDisplay, action: int, player: int | None, index: int
) -> list[Event]:
    """Return who was given a card; only the dealer sees the card."""
    dealer = before.dealer
    visible = player in (None, before.dealer)
    offered = int(before.offered[index]) if visible else None
    if action == before.moves.discard:
        deal_events = [event("kado.player_puts_aside", "duel", seats=[dealer], cards=[offered])]
        receiver = -1
    else:
        receiver = (dealer + action) % game.num_players
        deal_events = [_giving(dealer, receiver, offered)]
    for seat in range(game.num_players):
        if before.held[index, seat] < 0 <= game.held[index, seat] and seat != receiver:
            last = int(game.held[index, seat]) if visible else None
            deal_events.append(_giving(dealer, seat, last))
    return deal_events


def _giving(dealer: int, seat: int, card: int | None) -> Event:
    if seat == dealer:
        return event("kado.player_keeps", seats=[dealer], cards=[card])
    return event("kado.player_gives", seats=[dealer, seat], cards=[card])


def challenge(before: KadoDisplay, action: int, index: int) -> list[Event]:
    """Return a guess, the part of it that is right, and the resulting swap."""
    seat = before.challenger
    dealer = before.dealer
    rules = before.rules
    if action == before.moves.no_op:  # after a swap nobody may challenge
        return []
    if action == before.moves.pass_:
        return [event("kado.player_passes", seats=[seat])]
    gift, ribbon = divmod(action - before.moves.guess, rules.num_ribbons)
    swapped = [int(before.held[index, holder]) for holder in (dealer, seat)]
    true_gift, true_ribbon, _ = rules.parts(swapped[0])
    facts = {"seats": [seat], "gift": gift, "ribbon": ribbon}
    if gift != true_gift and ribbon != true_ribbon:
        return [event("kado.player_guesses_wrong", "challenge", **facts)]
    if gift == true_gift and ribbon == true_ribbon:
        points = rules.perfect_points
        guess = event("kado.player_guesses_perfect", "challenge", **facts, points=points)
    else:
        right = "gift" if gift == true_gift else "ribbon"
        guess = event("kado.player_guesses_right", "challenge", **facts, right=right)
    return [guess, event("kado.players_swap", "challenge", seats=[dealer, seat], cards=swapped)]


def _placing(game: KadoDisplay, before: KadoDisplay, index: int) -> list[Event]:
    """Return where the cards were placed, and the points."""
    place_events = []
    points_after, points_before = (
        position.scores[index] - position.perfects[index] * np.int16(position.rules.perfect_points)
        for position in (game, before)
    )
    gains = (points_after - points_before).tolist()
    for seat, points in enumerate(gains):
        filled = (game.tableaus[index, seat] >= 0) & (before.tableaus[index, seat] < 0)
        row, column = (int(place) for place in np.argwhere(filled)[0])
        facts: dict[str, Any] = {
            "seats": [seat],
            "cards": [int(game.tableaus[index, seat, row, column])],
            "beside": _beside(game, seat, row, column, index),
        }
        if points:
            place_events.append(event("kado.player_scores", "score", **facts, points=points))
        else:
            place_events.append(event("kado.player_places", **facts))
    if not game.terminated[index]:
        turn = game.turn + 1
        place_events.append(event("kado.player_deals_turn", seats=[game.dealer], turn=turn))
    return place_events


def details(game: KadoDisplay, happening: Event) -> dict[str, Any]:
    """Return a guess in words, and where a card was placed."""
    words: dict[str, Any] = {}
    if "gift" in happening:
        parts = {"gift": gift_name(happening["gift"]), "ribbon": ribbon_words(happening["ribbon"])}
        words = {"guess": listed(parts.values()), "part": parts.get(happening.get("right", ""))}
        words |= parts
    if "count" in happening:
        count = happening["count"]
        words["cards"] = counted(count, "kado.such_cards")
        words["ordinal"] = say(ORDINALS.get(count, "game.ordinal.more"), n=count)
    if "beside" in happening:
        sides = [
            say(f"kado.side.{side}", card=card(game, number))
            for side, number in happening["beside"].items()
        ]
        words = {"where": ", ".join(sides) or say("kado.first_card")}
    return words


def sources(game: KadoDisplay, gained: Int64, index: int) -> list[tuple[Event, list[int]]]:
    """Return the points for rows, columns and perfects."""
    rows, columns = (points[index].sum(-1).tolist() for points in game.points_by_line())
    perfects = game.perfects[index].astype(np.int64) * game.rules.perfect_points
    return [
        (event("kado.source.rows", "score"), rows),
        (event("kado.source.columns", "score"), columns),
        (event("kado.source.perfects", "score"), perfects.tolist()),
    ]


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
