"""The state of a batch of Kododo games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kododo_env.arrays.dtypes import Int16, Uint8
from kododo_env.core.deck import NONE
from kododo_env.core.state import BatchState, of_batch, per_game


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
    counts: Uint8 = per_game("count_rows", "count_columns")  # of cards; see ``CountFields``
    pile_sizes: Int16 = per_game("num_players", dtype=np.int16)  # cards scored in this deal
