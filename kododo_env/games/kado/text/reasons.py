"""What an action of KADO would bring about on the tableaus, as its player sees them."""

from __future__ import annotations

import numpy as np

from kododo_env.games.kado.display import KadoDisplay
from kododo_env.rendering.plain_words import Event, event

GUESS = "kado.theme.guess"
DEAL = "kado.theme.deal"


def reasons(game: KadoDisplay, number: int, player: int, index: int) -> list[Event]:
    """Return what a placing, a guess or a gift would bring about."""
    first = game.moves
    if first.place <= number < first.no_op:
        return _placing(game, number - first.place, player, index)
    if first.guess <= number < first.place:
        gift, ribbon = divmod(number - first.guess, game.rules.num_ribbons)
        return _guess(game, gift, ribbon, player, index)
    if number == first.pass_:
        return [event("kado.would_keep", theme=GUESS)]
    if number >= first.discard:
        return []
    seat = (player + number) % game.num_players
    return _best_places(game, [int(game.offered[index])], [seat], DEAL, index)


def _placing(game: KadoDisplay, cell: int, player: int, index: int) -> list[Event]:
    """Return what a card would add to its row and its column."""
    rules = game.rules
    card = int(game.held[index, player])
    gift, ribbon, _ = rules.parts(card)
    row, column = divmod(cell, rules.board_columns)
    tableau = game.tableaus[index, player]
    gifts = [rules.parts(number)[0] for number in tableau[row].tolist() if number >= 0]
    ribbons = [rules.parts(number)[1] for number in tableau[:, column].tolist() if number >= 0]
    row_gains, column_gains = game.placing_gains(card, index)
    parts = {"seats": [player], "gift": gift, "ribbon": ribbon}
    in_row = {**parts, "theme": "game.axis.row"}
    in_column = {**parts, "theme": "game.axis.column"}
    events = []
    if column_points := int(column_gains[cell, player]):
        events.append(event("kado.would_fill_column", "score", **in_column, points=column_points))
    elif ribbon in ribbons:
        count = ribbons.count(ribbon) + 1
        events.append(event("kado.would_repeat_ribbon", "score", **in_column, count=count))
    if len({*ribbons, ribbon}) > len({*ribbons}) == 1:
        in_column["ribbon"] = ribbons[0]
        events.append(event("kado.would_mix_ribbons", "score", **in_column))
    if gift in gifts:
        count = gifts.count(gift) + 1
        events.append(event("kado.would_repeat_gift", "score", **in_row, count=count))
    row_points = int(row_gains[cell, player])
    events.append(event("kado.would_add_to_row", "score", **in_row, points=row_points))
    return events


def _guess(game: KadoDisplay, gift: int, ribbon: int, player: int, index: int) -> list[Event]:
    """Return what the player knows about a guess, and whom such a card would help."""
    parts = {"gift": gift, "ribbon": ribbon, "theme": GUESS}
    events = []
    if game.ruled_out_gifts[index, gift] or game.ruled_out_ribbons[index, ribbon]:
        events.append(event("kado.is_ruled_out", "challenge", **parts))
    cards = _unseen(game, gift, ribbon, player, index)
    if cards:
        # The dealer has kept what is of use to the dealer; after a swap the player would have it.
        events += _best_places(game, cards, [game.dealer, player], GUESS, index)
    return [*events, event("kado.cards_unseen", "challenge", **parts, count=len(cards))]


def _unseen(game: KadoDisplay, gift: int, ribbon: int, player: int, index: int) -> list[int]:
    """Return the cards of a gift and a ribbon that the player has not seen."""
    rules = game.rules
    copies = np.bincount(rules.cards, minlength=rules.num_card_types)
    visible = game.view(player).pieces["seen"][index].ravel().astype(int)
    unseen = np.repeat(np.arange(rules.num_card_types), copies - visible).tolist()
    return [card for card in unseen if rules.parts(card)[:2] == (gift, ribbon)]


def _best_places(
    game: KadoDisplay, cards: list[int], seats: list[int], theme: str, index: int
) -> list[Event]:
    """Return what each of some players could gain at most by placing one of these cards."""
    best_gains = np.zeros(game.num_players, np.int16)
    closed = ~game.open_cells[index].reshape(game.num_players, -1).T
    for card in {*cards}:
        row_gains, column_gains = game.placing_gains(card, index)
        gains = np.where(closed, 0, row_gains + column_gains)
        best_gains = np.maximum(best_gains, gains.max(axis=0))
    return [
        event("kado.could_gain", "score", seats=[seat], points=int(best_gains[seat]), theme=theme)
        for seat in seats
    ]
