"""The state of a batch of Kododo games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kododo_env.core.deck import NONE
from kododo_env.core.state import BatchState, Int16, Uint8, of_batch, per_game


@dataclass(slots=True, eq=False)
class KododoState(BatchState):
    """Cards are ids, NONE where there is no card; the game axis of each array is the last."""

    turn: int = of_batch()  # of the round, 0 to 2
    round_index: int = of_batch()  # of the deal
    deck: Uint8 = per_game("num_cards")  # in the order of drawing
    given: Uint8 = per_game("num_cards", any_number=True)  # decks given for later deals
    next_given: Int16 = per_game(dtype=np.int16)  # which of them comes next
    deals: Int16 = per_game(dtype=np.int16)  # deals before this one
    hands: Uint8 = per_game("num_players", "hand_size", fill=NONE)  # sorted, NONE last
    table: Uint8 = per_game("num_players", "round_cards", fill=NONE)  # laid this round, in order
    last_table: Uint8 = per_game("num_players", "round_cards", fill=NONE)  # the round before
    # What each player has laid this round, cards by colour, Kododos, points by colour, and then
    # the hand by type. At last for all together, without points, and what they laid in this deal.
    counts: Uint8 = per_game("num_counters", "num_counted")
    pile_sizes: Int16 = per_game("num_players", dtype=np.int16)  # cards scored in this deal
