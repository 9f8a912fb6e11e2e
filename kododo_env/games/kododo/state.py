"""The state of a batch of Kododo games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kododo_env.core.arrays import Int16, Uint8
from kododo_env.core.deck import NONE
from kododo_env.core.state import BatchState, of_batch, per_game
from kododo_env.games.kododo.rules import Rules


@dataclass(slots=True, eq=False)
class KododoState(BatchState):
    """The state; cards are ids or NONE, and the game axis of each array is the last."""

    turn: int = of_batch()  # the index of the turn in the round, 0 to 2
    round_index: int = of_batch()  # the index of the round in the deal
    deck: Uint8 = per_game("num_cards")  # in the order of drawing
    later_decks: Uint8 = per_game("num_cards", any_number=True)  # for later deals, from reset
    next_later_deck: Int16 = per_game(dtype=np.int16)  # the index of the next of these decks
    deals: Int16 = per_game(dtype=np.int16)  # the number of deals before this one
    hands: Uint8 = per_game("num_players", "hand_size", fill=NONE)  # sorted, NONE last
    table: Uint8 = per_game("num_players", "round_cards", fill=NONE)  # laid this round, in order
    last_table: Uint8 = per_game("num_players", "round_cards", fill=NONE)  # of the previous round
    counts: Uint8 = per_game("num_counters", "num_counted")  # see ``Counts``
    pile_sizes: Int16 = per_game("num_players", dtype=np.int16)  # cards scored in this deal


@dataclass(slots=True, eq=False)
class Counts:
    """Counts of cards by place, for C colours and T types of cards: views of the state's array.

    The row of a player in ``counts`` has the cards that the player laid, and then those in hand.
    The last row has the totals of cards laid, and then all revealed cards.
    """

    colours: Uint8  # cards by colour that each player has laid this round, (P, C, N)
    kododos: Uint8  # Kododo cards that each player has laid this round, (P, N)
    points: Uint8  # sums of the values by colour that each player has laid, (P, C, N)
    laid: Uint8  # these three concatenated, (P, 2 * C + 1, N)
    held: Uint8  # the hands by type, (P, T, N)
    total: Uint8  # all cards laid this round by colour, then all Kododo cards, (C + 1, N)
    revealed: Uint8  # all cards laid in this deal by type, (T, N)

    @classmethod
    def of(cls, counts: Uint8, rules: Rules) -> Counts:
        """Return the views of ``KododoState.counts``, or of a part of its games."""
        players = counts[:-1]
        together = counts[-1]
        colours = rules.num_colours
        laid = players[:, : rules.num_counts]
        return cls(
            laid[:, :colours],
            laid[:, colours],
            laid[:, colours + 1 :],
            laid,
            players[:, rules.num_counts :],
            together[: colours + 1],
            together[rules.num_counts :],
        )
