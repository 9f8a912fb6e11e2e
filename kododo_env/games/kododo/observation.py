"""What a player of Kododo knows, as pieces of an observation, and what the actions are."""

from __future__ import annotations

from kododo_env.core.actions import ActionLayout, SlotPiece
from kododo_env.core.observation import ObservationLayout, Piece, Symmetry
from kododo_env.games.kododo.rules import Rules


def observation_layout(rules: Rules) -> ObservationLayout:
    """The pieces of an observation; "seat" 0 is one's own, then the next ones in turn."""
    seats, colours, values = rules.num_players, rules.num_colours, rules.num_values
    table, by_type = rules.num_players * rules.round_cards, ("colour", "value")
    seat_colour, most = (seats, colours), rules.num_colours * max(rules.copies)

    def piece(
        name: str, maximum: int, text: str, shape: tuple[int, ...] = (), axes: tuple[str, ...] = ()
    ) -> Piece:
        return Piece(name, shape, max(1, maximum), text, axes)

    by_seat, by_colour = ((seats,), ("seat",)), ((colours,), ("colour",))
    both = (seat_colour, ("seat", "colour"))
    return ObservationLayout(
        (
            piece("hand", rules.hand_size, "own cards", (colours, values), by_type),
            piece("table_cards", rules.round_cards, "cards laid this round", *both),
            piece("table_points", rules.round_cards * values, "their values added up", *both),
            piece("table_kododos", rules.round_cards, "Kododo cards laid this round", *by_seat),
            piece("colour_totals", table, "cards on the table", *by_colour),
            piece("to_limit", rules.limit, "cards missing to the limit", *by_colour),
            piece("kododo_total", min(table, most), "Kododo cards on the table"),
            piece(
                "to_kododo_number",
                rules.kododo_number,
                "Kododo cards missing to the exact number, 0 from there on",
            ),
            piece("scores", rules.max_score, "points so far", *by_seat),
            piece(
                "pile_sizes",
                rules.num_rounds * rules.round_cards,
                "cards in the score pile, the tie-break",
                *by_seat,
            ),
            piece(
                "turn", 1, "which turn of the round it is (one-hot)", (rules.num_turns,), ("turn",)
            ),
            piece("rounds_left", rules.num_rounds, "rounds of this deal still to be ended"),
            piece("draw_pile", rules.draw_pile, "cards left to draw"),
            piece("later_deal", 1, "1 from the second deal of the long variant on"),
            piece(
                "seen",
                max(rules.copies),
                "cards revealed since the last shuffle",
                (colours, values),
                by_type,
            ),
        ),
        Symmetry(("colour",), "permutations", ("colour_totals", "hand")),
        ("scores", "pile_sizes", "table_points", "table_kododos"),
    )


def action_layout(rules: Rules) -> ActionLayout:
    """One action for each slot of the hand, then one for each pair of slots."""
    return ActionLayout(
        (
            SlotPiece("card", "hand", rules.hand_size, 1),
            SlotPiece("pair", "hand", rules.hand_size, 2),
        )
    )
