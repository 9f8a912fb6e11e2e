"""What a player of KADO knows, as pieces of an observation, and what the actions are."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.core.actions import ActionLayout, ActionPiece
from kododo_env.core.batch_game import from_own_seat
from kododo_env.core.deck import NONE
from kododo_env.core.observation import ObservationLayout, Piece, Symmetry
from kododo_env.core.rows import column
from kododo_env.games.kado.rules import Rules

if TYPE_CHECKING:
    from kododo_env.games.kado.game import KadoGame

Pieces = dict[str, npt.NDArray[Any]]


class Phase(IntEnum):
    """The phases of a turn."""

    DEALING = 0
    CHALLENGE = 1
    PLACING = 2


def observation_layout(rules: Rules) -> ObservationLayout:
    """The pieces of an observation; "seat" 0 is one's own, then the next ones in turn."""
    pieces = (*_tableau_pieces(rules), *_turn_pieces(rules), *_own_pieces(rules))
    alike = ("seat", "row", "column")
    if not rules.rotates:
        return ObservationLayout(pieces, alike=alike)
    # The gift of the card to be placed or dealt comes first, whichever it is: then where
    # it fits is always read off the same numbers.
    keys = ("card_gift", "offered_gift", "own_gifts", "own_ribbons")
    symmetry = Symmetry(("gift", "ribbon"), "rotations", keys)
    return ObservationLayout(pieces, symmetry, alike=alike)


def _tableau_pieces(rules: Rules) -> tuple[Piece, ...]:
    """The tableaus as scoring sees them: where in a row which gift lies makes no difference."""
    seats, rows, columns = rules.num_players, rules.board_rows, rules.board_columns
    gifts, ribbons, values = rules.num_gifts, rules.num_ribbons, rules.num_values
    by_gift, by_ribbon = ("seat", "row", "gift"), ("seat", "column", "ribbon")
    board = ((seats, rows, columns), ("seat", "row", "column"))

    def piece(
        name: str, maximum: int, text: str, shape: tuple[int, ...], axes: tuple[str, ...]
    ) -> Piece:
        return Piece(name, shape, maximum, text, axes)

    by_seat = ((seats,), ("seat",))
    row, column = rules.num_columns * values, rules.num_rows
    return (
        piece("row_points", row, "values of the cards in a row", (seats, rows, gifts), by_gift),
        piece("column_ribbons", column, "cards in a column", (seats, columns, ribbons), by_ribbon),
        piece("column_best", values, "highest value in a column", (seats, columns), by_ribbon[:2]),
        piece("filled", 1, "1 where a card lies", *board),
        piece("open", 1, "1 where the next card may go", *board),
        piece("scores", rules.max_score, "points so far: rows, full columns, perfects", *by_seat),
        piece("perfects", rules.num_turns, "perfects so far", *by_seat),
    )


def _turn_pieces(rules: Rules) -> tuple[Piece, ...]:
    """This turn: who deals, who has which card as far as the player has seen it, guesses."""
    seats, gifts, ribbons = rules.num_players, rules.num_gifts, rules.num_ribbons

    def piece(
        name: str, text: str, shape: tuple[int, ...] = (), axes: tuple[str, ...] = (), most: int = 1
    ) -> Piece:
        return Piece(name, shape, most, text, axes)

    by_seat = ((seats,), ("seat",))
    gift, ribbon = ((seats, gifts), ("seat", "gift")), ((seats, ribbons), ("seat", "ribbon"))
    dealt = rules.num_players + rules.max_discards
    value, kept = rules.num_values, "1 where a wrong guess has ruled it out for the dealer's card"
    return (
        piece("turns_left", "turns still to be ended", most=rules.num_turns),
        piece("phase", "dealing, challenge or placing (one-hot)", (len(Phase),), ("phase",)),
        piece("dealer", "who deals (one-hot)", *by_seat),
        piece("challenger", "who may challenge now (one-hot)", *by_seat),
        piece("dealt_as", "which card of the turn the player has, from 1", *by_seat, most=dealt),
        piece("put_aside", "which card of the turn has been put aside, from 1", most=dealt),
        piece(
            "card_gift", "gift of the card before the player, if it has been seen (one-hot)", *gift
        ),
        piece("card_ribbon", "its ribbon (one-hot)", *ribbon),
        piece("card_value", "its value", *by_seat, most=value),
        piece(
            "offered_gift",
            "gift of the card that the dealer looks at (one-hot)",
            (gifts,),
            ("gift",),
        ),
        piece("offered_ribbon", "its ribbon (one-hot)", (ribbons,), ("ribbon",)),
        piece("offered_value", "its value", most=value),
        piece("not_gift", kept, (gifts,), ("gift",)),
        piece("not_ribbon", kept, (ribbons,), ("ribbon",)),
    )


def _own_pieces(rules: Rules) -> tuple[Piece, ...]:
    """The own tableau in short, by which gifts and ribbons can be told apart; cards seen."""
    gifts, ribbons, values = rules.num_gifts, rules.num_ribbons, rules.num_values
    most, types = rules.num_turns * values, ("gift", "ribbon", "value")
    seen = "cards seen so far: revealed, dealt or put aside by oneself, placed by anybody"
    return (
        Piece("own_gifts", (gifts,), most, "values of the cards in the own tableau", ("gift",)),
        Piece("own_ribbons", (ribbons,), rules.num_turns, "cards in the own tableau", ("ribbon",)),
        Piece("seen", (gifts, ribbons, values), rules.max_copies, seen, types),
    )


class Moves(NamedTuple):
    """Numbers of the actions: where each kind begins.

    Attributes:
        give: Plus how many seats to the dealer's left, 0 for the dealer, so P actions.
        discard: Put the card aside, in the duel.
        pass_: Do not challenge.
        guess: Plus gift * B + ribbon.
        place: Plus row * columns + column on the board.
        no_op: Nothing to decide.
    """

    give: int
    discard: int
    pass_: int
    guess: int
    place: int
    no_op: int


def action_layout(rules: Rules) -> ActionLayout:
    """The actions in the order of their numbers; see ``Moves`` for what they mean."""
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
    """The numbers of the actions under these rules."""
    layout = action_layout(rules)
    return Moves(*(layout.where(name.rstrip("_")).start for name in Moves._fields))


def write_tableaus(game: KadoGame, into: Pieces) -> None:
    """Fill the pieces that change only when cards are placed: each (P, \\*piece.shape, N)."""
    state, seats, shape = game._state, from_own_seat(game.num_players), into["open"].shape
    into["row_points"][:] = state.row_points.take(seats, axis=0)
    into["column_ribbons"][:] = state.column_ribbons.take(seats, axis=0)
    into["column_best"][:] = state.column_best.take(seats, axis=0)
    into["filled"][:] = (state.tableau != NONE).take(seats, axis=0).reshape(shape)
    into["open"][:] = state.open.take(seats, axis=0).reshape(shape)
    # As wide as the observation: a whole tableau of one gift may be worth more than a row.
    own_gifts = np.add.reduce(state.row_points, axis=1, dtype=game.layout.dtype)
    into["own_gifts"][:] = own_gifts
    into["own_ribbons"][:] = np.add.reduce(state.column_ribbons, axis=1, dtype=np.uint8)


def write_turn(game: KadoGame, into: Pieces) -> None:
    """Fill all other pieces."""
    state, seats, running = game._state, from_own_seat(game.num_players), not game._over
    into["scores"][:] = state.scores.take(seats, axis=0)
    into["perfects"][:] = state.perfects.take(seats, axis=0)
    into["turns_left"][:] = game.rules.num_turns - state.turn
    into["phase"][:] = (column(len(Phase)) == state.phase) & running
    into["dealer"][:] = ((seats == game.dealer) & running)[:, :, None]
    challenge = state.phase == Phase.CHALLENGE
    into["challenger"][:] = ((seats == game.challenger) & challenge)[:, :, None]
    into["dealt_as"][:] = game._order_of(state.held).take(seats, axis=0)
    into["put_aside"][:] = game._order_of(state.aside)
    into["not_gift"][:] = state.not_gift
    into["not_ribbon"][:] = state.not_ribbon
    into["seen"][:] = state.seen.reshape(into["seen"].shape)
    _write_cards(game, into)


def _write_cards(game: KadoGame, into: Pieces) -> None:
    """The cards of this turn, as far as each player has seen them."""
    tables, cards = game._tables, game._held_seen()
    gifts, ribbons = column(game.rules.num_gifts), column(game.rules.num_ribbons)
    into["card_gift"][:] = tables.gift.take(cards)[:, :, None] == gifts
    into["card_ribbon"][:] = tables.ribbon.take(cards)[:, :, None] == ribbons
    into["card_value"][:] = tables.value.take(cards)
    for name in ("offered_gift", "offered_ribbon", "offered_value"):
        into[name][:] = 0
    if game.phase == Phase.DEALING and not game._over:
        offered, dealer = game._cards_at(game._state.drawn), game.dealer
        into["offered_gift"][dealer] = tables.gift.take(offered) == gifts
        into["offered_ribbon"][dealer] = tables.ribbon.take(offered) == ribbons
        into["offered_value"][dealer] = tables.value.take(offered)
