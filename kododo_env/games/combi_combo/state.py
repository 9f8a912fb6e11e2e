"""The state of a batch of Combi-Combo games."""

from __future__ import annotations

from dataclasses import dataclass

from kododo_env.arrays.dtypes import Uint8
from kododo_env.core.state import BatchState, of_batch, per_game


@dataclass(slots=True, eq=False)
class CombiComboState(BatchState):
    """The state; cards are types or NONE (unknown), and the game axis of each array is the last."""

    turn: int = of_batch()  # 0 to 7, and 8 when all games are over
    deck: Uint8 = per_game("num_cards")  # the players' piles, then the central pile
    hands: Uint8 = per_game("num_players", "num_card_types")  # cards in hand, by type
    passes: Uint8 = per_game("num_turns", "num_players")  # the card passed in each turn
    passed: Uint8 = per_game("num_players", "num_card_types")  # cards passed, by type
    face_up: Uint8 = per_game("num_card_types")  # cards turned up in the middle, by type
