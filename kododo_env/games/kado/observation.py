"""What a player of KADO knows, as pieces of an observation, and what the actions are."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.core.actions import ActionLayout, ActionPiece
from kododo_env.core.deck import NONE
from kododo_env.core.observation import (
    ObservationLayout,
    Piece,
    Symmetry,
    from_own_seat,
    gathered,
    numbered,
)
from kododo_env.core.rows import column, for_all, read_only
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.scoring import parted

if TYPE_CHECKING:
    from kododo_env.games.kado.game import KadoGame


FEW = 256  # games, up to which it pays to keep what is known of the tableaus


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
    rows = game._tables.known[game.dealer][stage(game)]
    return gathered((*_boards(game), *_turn(game)), rows, game.layout.dtype, out)


def _boards(game: KadoGame) -> tuple[npt.NDArray[Any], ...]:
    """What is known of the tableaus, which change once in a turn.

    With few games put together once, too: an observation of one takes .75 of the time then. With
    thousands it takes 1.2 times as long, since they are more than the cache holds.
    """
    state, dtype = game._state, game.layout.dtype
    if game._kept is None or game._kept[0] is not state or game._kept[1] != state.turn:
        row_points, column_ribbons, _ = parted(state.sums, game.rules)
        boards = (
            state.sums, state.tableau != NONE, state.open,
            # As wide as the observation: a whole tableau of one gift may be worth more than a row.
            np.add.reduce(row_points, axis=1, dtype=dtype),
            np.add.reduce(column_ribbons, axis=1, dtype=np.uint8),
        )  # fmt: skip
        if game.num_envs > FEW:
            return boards
        together = np.concatenate(boards, axis=None, dtype=dtype, casting="unsafe")
        game._kept = state, state.turn, together.reshape(-1, game.num_envs)
    return (game._kept[2],)


def _turn(game: KadoGame) -> tuple[npt.NDArray[Any], ...]:
    """What else is known: of this turn, and of the cards seen so far."""
    state, rules, tables = game._state, game.rules, game._tables
    cards = game._cards_at(np.concatenate([state.held, state.drawn[None]]))
    parts = tables.parts.take(cards, axis=1)
    seen = state.seen >> column(rules.num_players)[:, :, None]
    seen &= 1
    if rules.max_copies > 1:
        seen = np.add.reduceat(seen, tables.kinds, axis=1, dtype=np.uint8)
    return (
        state.scores, state.perfects, seen, game._order(), parts,
        parts[:, : rules.num_players] * state.public, state.ruled_out,
        for_all(tables.schedule[state.turn], game.num_envs),
    )  # fmt: skip


def stage(game: KadoGame) -> int:
    """How far the turn is, the same in all games: dealing, each challenge, placing; all is over."""
    if game._over:
        return game.num_players + 1
    return (0, 1 + game.phase_step, game.num_players)[game.phase]


def schedules(rules: Rules) -> npt.NDArray[np.uint8]:
    """What the turn alone tells, (turns + 1, 3, 1): turns left; 0 and 1, for what is one-hot."""
    left = np.arange(rules.num_turns, -1, -1, dtype=np.uint8)[:, None]
    return np.stack([left, np.zeros_like(left), np.ones_like(left)], axis=1)


def known_rows(rules: Rules) -> list[list[npt.NDArray[np.intp]]]:
    """Where each number of an observation stands in all that is known.

    Returns:
        By the dealer and the stage of the turn, P and P + 2: that these decide who sees which
        card, but for those that a swap has shown, saves a third of what is known.
    """
    players, gifts, ribbons = rules.num_players, rules.num_gifts, rules.num_ribbons
    board, parts = (players, rules.board_rows, rules.board_columns), rules.num_parts + 1
    types = np.unique(rules.cards)
    rows = numbered(
        sums=(players, rules.num_sums), filled=board, open=board, own_gifts=(players, gifts),
        own_ribbons=(players, ribbons), scores=(players,), perfects=(players,),
        seen=(players, len(types)), dealt_as=(players,), put_aside=(),
        parts=(parts, players + 2), shown=(parts, players), not_gift=(gifts,),
        not_ribbon=(ribbons,), turns_left=(), zero=(), one=(),
    )  # fmt: skip
    known: dict[str, Any] = dict(rows)
    layout, seats, zero = observation_layout(rules), from_own_seat(players), known["zero"]
    names = ("row_points", "column_ribbons", "column_best")
    known |= dict(zip(names, parted(known["sums"], rules), strict=True))
    seen = np.full((players, rules.num_card_types), zero)
    seen[:, types] = known["seen"]
    known["seen"] = seen.reshape(players, gifts, ribbons, rules.num_values)
    known |= {
        piece.name: known[piece.name][seats]
        for piece in layout.pieces
        if piece.name in known and piece.axes[:1] == ("seat",)
    }
    return [
        [
            read_only(layout.filled(known | _staged(rules, known, dealer, at), players))
            for at in range(players + 2)
        ]
        for dealer in range(players)
    ]


def _staged(rules: Rules, known: dict[str, Any], dealer: int, at: int) -> dict[str, Any]:
    """The pieces that stand elsewhere in each stage of a turn."""
    players, gifts = rules.num_players, rules.num_gifts
    seats, zero, one = from_own_seat(players), known["zero"], known["one"]
    placing, over = at == players, at > players
    whole = column(players) == dealer  # who sees all cards of the turn
    whole = whole | (placing & (np.arange(players) == 0))
    card = np.where(whole[:, :, None], known["parts"].T[seats], known["shown"].T[seats])
    offered = np.full((players, rules.num_parts + 1), zero)
    if at == 0:
        offered[dealer] = known["parts"].T[-1]
    phase = Phase.PLACING if placing else Phase(min(at, 1))
    found = {
        "phase": (np.arange(len(Phase)) == phase) & (not over),
        "dealer": (seats == dealer) & (not over),
        "challenger": (seats == (dealer + at) % players) & (0 < at < players),
    }
    staged: dict[str, Any] = {name: np.where(here, one, zero) for name, here in found.items()}
    for name, part in (("gift", slice(gifts)), ("ribbon", slice(gifts, -1)), ("value", -1)):
        staged |= {f"card_{name}": card[..., part], f"offered_{name}": offered[:, part]}
    return staged
