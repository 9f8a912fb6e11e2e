"""What a player of Kododo knows, as pieces of an observation, and what the actions are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.actions import ActionLayout, SlotPiece
from kododo_env.core.batch_game import from_own_seat
from kododo_env.core.observation import ObservationLayout, Piece, Symmetry
from kododo_env.games.kododo.rules import Rules

if TYPE_CHECKING:
    from kododo_env.games.kododo.game import KododoGame


def observation_layout(rules: Rules) -> ObservationLayout:
    """The pieces of an observation; "seat" 0 is one's own, then the next ones in turn."""
    types, by_type = (rules.num_colours, rules.num_values), ("colour", "value")
    seen = "cards revealed since the last shuffle"
    return ObservationLayout(
        (
            _piece("hand", rules.hand_size, "own cards", types, by_type),
            *_table_pieces(rules),
            *_deal_pieces(rules),
            _piece("seen", max(rules.copies), seen, types, by_type),
        ),
        Symmetry(("colour",), "permutations", ("colour_totals", "hand")),
        alike=("seat", "colour"),
    )


def _piece(
    name: str, maximum: int, text: str, shape: tuple[int, ...] = (), axes: tuple[str, ...] = ()
) -> Piece:
    return Piece(name, shape, max(1, maximum), text, axes)


def _table_pieces(rules: Rules) -> tuple[Piece, ...]:
    """What lies on the table, by player and altogether."""
    seats, colours, cards = rules.num_players, rules.num_colours, rules.round_cards
    by_seat, by_colour = ((seats,), ("seat",)), ((colours,), ("colour",))
    both = ((seats, colours), ("seat", "colour"))
    kododos = min(seats * cards, colours * max(rules.copies))
    missing = "Kododo cards missing to the exact number, 0 from there on"
    return (
        _piece("table_cards", cards, "cards laid this round", *both),
        _piece("table_points", cards * rules.num_values, "their values added up", *both),
        _piece("table_kododos", cards, "Kododo cards laid this round", *by_seat),
        _piece("colour_totals", seats * cards, "cards on the table", *by_colour),
        _piece("to_limit", rules.limit, "cards missing to the limit", *by_colour),
        _piece("kododo_total", kododos, "Kododo cards on the table"),
        _piece("to_kododo_number", rules.kododo_number, missing),
    )


def _deal_pieces(rules: Rules) -> tuple[Piece, ...]:
    """Who has what, and where the deal stands."""
    by_seat, by_turn = ((rules.num_players,), ("seat",)), ((rules.num_turns,), ("turn",))
    pile = "cards in the score pile, the tie-break"
    return (
        _piece("scores", rules.max_score, "points so far", *by_seat),
        _piece("pile_sizes", rules.num_rounds * rules.round_cards, pile, *by_seat),
        _piece("turn", 1, "which turn of the round it is (one-hot)", *by_turn),
        _piece("rounds_left", rules.num_rounds, "rounds of this deal still to be ended"),
        _piece("draw_pile", rules.draw_pile, "cards left to draw"),
        _piece("later_deal", 1, "1 from the second deal of the long variant on"),
    )


def action_layout(rules: Rules) -> ActionLayout:
    """One action for each slot of the hand, then one for each pair of slots."""
    return ActionLayout(
        (
            SlotPiece("card", "hand", rules.hand_size, 1),
            SlotPiece("pair", "hand", rules.hand_size, 2),
        )
    )


def write_observation(game: KododoGame, into: dict[str, npt.NDArray[Any]]) -> None:
    """Fill the observation's pieces: each an array (P, \\*piece.shape, N)."""
    state, rules, most = game._state, game.rules, game._tables.most
    seats, colours = from_own_seat(game.num_players), rules.num_colours
    total = np.add.reduce(state.laid[:, : colours + 1], axis=0, dtype=np.uint8)
    missing = most - np.minimum(total, most)
    by_seat = state.laid.take(seats, axis=0)
    into["hand"][:] = state.held_types.reshape(into["hand"].shape)
    into["table_cards"][:] = by_seat[:, :, :colours]
    into["table_points"][:] = by_seat[:, :, colours + 1 :]
    into["table_kododos"][:] = by_seat[:, :, colours]
    into["scores"][:] = state.scores.take(seats, axis=0)
    into["pile_sizes"][:] = state.pile_sizes.take(seats, axis=0)
    into["colour_totals"][:] = total[:colours]
    into["to_limit"][:] = missing[:colours]
    into["kododo_total"][:] = total[colours]
    into["to_kododo_number"][:] = missing[colours]
    into["turn"][:] = 0
    into["turn"][:, state.turn] = 1
    into["rounds_left"][:] = rules.num_rounds - state.round_index
    into["draw_pile"][:] = game.draw_pile_size
    if rules.variant == "long":  # else it is 0 from the start
        into["later_deal"][:] = state.deals > 0
    into["seen"][:] = state.seen.reshape(rules.num_colours, rules.num_values, -1)
