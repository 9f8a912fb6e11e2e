"""The state of a batch of KADO games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kododo_env.core.deck import NONE
from kododo_env.core.state import BatchState, Bool, Uint8, of_batch, per_game
from kododo_env.games.kado.observation import Phase

Places = npt.NDArray[np.intp]


@dataclass(slots=True, eq=False)
class KadoState(BatchState):
    """Cards not yet placed are kept as places in the deck of D cards, D standing for no place.

    Cards are ids, NONE where there is no card; the game axis of each array is the last.
    """

    turn: int = of_batch()
    phase: Phase = of_batch(Phase.DEALING)
    phase_step: int = of_batch()  # steps of this phase that have been played
    deck: Uint8 = per_game("num_places", fill=NONE)  # in the order of drawing, then no card
    drawn: Places = per_game(dtype=np.intp)  # the place of the next card to be drawn
    turn_start: Places = per_game(dtype=np.intp)  # what drawn was when the turn began
    held: Places = per_game("num_players", dtype=np.intp, fill="num_cards")  # before each player
    aside: Places = per_game(dtype=np.intp, fill="num_cards")  # the card put aside this turn
    known: Bool = per_game("num_players", "num_places", dtype=np.bool_)  # whether seen, by place
    seen: Uint8 = per_game("num_players", "num_card_types")  # cards that known tells of, by type
    public: Bool = per_game("num_players", dtype=np.bool_)  # whose card a swap has shown to all
    not_gift: Bool = per_game("num_gifts", dtype=np.bool_)  # ruled out by wrong guesses
    not_ribbon: Bool = per_game("num_ribbons", dtype=np.bool_)  # likewise
    tableau: Uint8 = per_game("num_players", "num_cells", fill=NONE)  # cards on the board
    open: Bool = per_game("num_players", "num_cells", dtype=np.bool_)  # where the next may go
    row_points: Uint8 = per_game("num_players", "board_rows", "num_gifts")  # values added up
    column_ribbons: Uint8 = per_game("num_players", "board_columns", "num_ribbons")  # cards
    column_best: Uint8 = per_game("num_players", "board_columns")  # highest values
    perfects: Uint8 = per_game("num_players")  # perfects so far
