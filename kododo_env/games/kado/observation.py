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
from kododo_env.core.observation import ObservationLayout, Piece, Symmetry, gathered, numbered
from kododo_env.core.rows import column, read_only
from kododo_env.games.kado.rules import Rules

if TYPE_CHECKING:
    from kododo_env.games.kado.game import KadoGame


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


def observation(game: KadoGame, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
    """What each player knows, (P, F, N), in ``out`` if given; in the order of ``known_rows``."""
    state, dtype = game._state, game.layout.dtype
    known = (
        state.row_points, state.column_ribbons, state.column_best, state.tableau != NONE,
        state.open, state.scores.astype(dtype), state.perfects, game._order_of(state.held),
        # As wide as the observation: a whole tableau of one gift may be worth more than a row.
        np.add.reduce(state.row_points, axis=1, dtype=dtype),
        np.add.reduce(state.column_ribbons, axis=1, dtype=np.uint8),
        state.seen, _cards(game), game._order_of(state.aside), state.not_gift, state.not_ribbon,
        _schedule(game),
    )  # fmt: skip
    return gathered(known, game._tables.known, dtype, out)


def _cards(game: KadoGame) -> npt.NDArray[np.uint8]:
    """Parts of the cards before the players, the own first, and of the one that is offered.

    As far as each player sees them, (P, P + 1, G + B + 1, N): gift, ribbon, value.
    """
    tables, players = game._tables, game.num_players
    gifts, ribbons = column(game.rules.num_gifts), column(game.rules.num_ribbons)
    cards = np.concatenate([game._cards_at(game._state.held), game._offered()[None]])[:, None]
    is_gift, is_ribbon = tables.gift.take(cards) == gifts, tables.ribbon.take(cards) == ribbons
    parts = np.concatenate([is_gift, is_ribbon, tables.value.take(cards)], axis=1)
    seen = np.zeros((players, players + 1, 1, game.num_envs), np.bool_)
    seen[:, :-1, 0] = game._sees_held()
    seen[game.dealer, -1] = True
    return parts.take(card_places(players), axis=0) * seen.view(np.uint8)


@cache
def card_places(num_players: int) -> npt.NDArray[np.intp]:
    """Whose card each player sees where, and last the one that is offered; (P, P + 1)."""
    offered = np.full((num_players, 1), num_players)
    return read_only(np.hstack([from_own_seat(num_players), offered]))


def _schedule(game: KadoGame) -> npt.NDArray[np.uint8]:
    """What is the same in all games, (2 * P + 4, N): turns left, phase, who deals, who guesses."""
    dealers, challengers = (4 + each * game.num_players for each in range(2))
    numbers = np.zeros((4 + 2 * game.num_players, 1), np.uint8)
    if not game._over:
        numbers[0] = game.rules.num_turns - game.turn
        numbers[1 + game.phase] = numbers[dealers + game.dealer] = 1
        numbers[challengers + game.challenger] = game.phase == Phase.CHALLENGE
    return numbers.repeat(game.num_envs, axis=1)


def known_rows(rules: Rules) -> npt.NDArray[np.intp]:
    """Where each number of an observation stands in all that is known, (P, F); see ``gathered``."""
    players, gifts, ribbons = rules.num_players, rules.num_gifts, rules.num_ribbons
    rows, columns, seats = rules.board_rows, rules.board_columns, from_own_seat(players)
    known = numbered(
        row_points=(players, rows, gifts), column_ribbons=(players, columns, ribbons),
        column_best=(players, columns), filled=(players, rows, columns),
        open=(players, rows, columns), scores=(players,), perfects=(players,),
        dealt_as=(players,), own_gifts=(players, gifts), own_ribbons=(players, ribbons),
        seen=(players, gifts, ribbons, rules.num_values),
        cards=(players, players + 1, gifts + ribbons + 1), put_aside=(), not_gift=(gifts,),
        not_ribbon=(ribbons,), turns_left=(), phase=(len(Phase),), dealer=(players,),
        challenger=(players,),
    )  # fmt: skip
    cards = known.pop("cards")
    by_seat = {
        piece.name: known[piece.name][seats]
        for piece in observation_layout(rules).pieces
        if piece.name in known and piece.axes[:1] == ("seat",)
    }
    parts: dict[str, Any] = {"gift": slice(gifts), "ribbon": slice(gifts, -1), "value": -1}
    held = {f"card_{name}": cards[:, :-1, part] for name, part in parts.items()}
    offered = {f"offered_{name}": cards[:, -1, part] for name, part in parts.items()}
    return observation_layout(rules).filled(known | by_seat | held | offered, players)
