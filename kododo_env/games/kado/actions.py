"""The actions of KADO and their numbers."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from kododo_env.games.kado.rules import Rules
from kododo_env.layouts.actions import ActionLayout, ActionPiece


class Moves(NamedTuple):
    """The first action number of each kind.

    Attributes:
        give: Give the card to the seat k places to the dealer's left by ``give + k``; the dealer
            keeps it by ``give``.
        discard: Put the card aside, in the duel.
        pass_: Do not challenge.
        guess: Guess a gift and a ribbon by ``guess + gift * B + ribbon``.
        place: Place the card by ``place + row * columns + column``, counted on the board.
        no_op: Do nothing, the only action of a player who has nothing to decide.
    """

    give: int
    discard: int
    pass_: int
    guess: int
    place: int
    no_op: int


def action_layout(rules: Rules) -> ActionLayout:
    """Return the actions in the order of their numbers; see ``Moves`` for their meaning."""
    guesses = (rules.num_gifts, rules.num_ribbons)
    board = (rules.board_rows, rules.board_columns)
    return ActionLayout(
        (
            ActionPiece("give", (rules.num_players,), ("seat",)),
            ActionPiece("discard"),
            ActionPiece("pass"),
            ActionPiece("guess", guesses, ("gift", "ribbon")),
            ActionPiece("place", board, ("row", "column")),
            ActionPiece("no_op"),
        )
    )


@cache
def moves(rules: Rules) -> Moves:
    """Return the numbers of the actions under these rules."""
    layout = action_layout(rules)
    return Moves(*(layout.where(name.rstrip("_")).start for name in Moves._fields))
