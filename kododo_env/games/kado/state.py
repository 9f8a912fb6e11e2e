"""The state of a batch of KADO games."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from kododo_env.arrays.dtypes import Bool, Intp, Uint8
from kododo_env.arrays.rows import numbers
from kododo_env.core.deck import NONE
from kododo_env.core.state import BatchState, of_batch, per_game
from kododo_env.games.kado.rules import Rules


class Phase(IntEnum):
    """The phases of a turn."""

    DEALING = 0
    CHALLENGE = 1
    PLACING = 2


@dataclass(slots=True, eq=False)
class KadoState(BatchState):
    """The state. The game axis of each array is the last.

    Cards of the deck and on the boards are ids, or NONE. Cards that are not placed yet are stored
    as places in the deck of D cards, or D for no card. In ``viewers`` equal cards are in the order
    of the deck.
    """

    turn: int = of_batch()
    phase: Phase = of_batch(Phase.DEALING)
    phase_step: int = of_batch()  # the number of steps played in this phase
    deck: Uint8 = per_game("num_places", fill=NONE)  # in the order of drawing, then NONE
    drawn: Intp = per_game(dtype=np.intp)  # the place of the next card to be drawn
    turn_start: Intp = per_game(dtype=np.intp)  # ``drawn`` at the start of the turn
    held: Intp = per_game("num_holders", dtype=np.intp, fill="num_cards")  # by player, then aside
    # The bit mask of players who have seen each card, in the order of ``Rules.cards``.
    viewers: Uint8 = per_game("num_cards")
    public: Bool = per_game("num_players", dtype=np.bool_)  # whose card a swap has shown to all
    ruled_out: Bool = per_game("num_parts", dtype=np.bool_)  # gifts and ribbons guessed wrongly
    tableau: Uint8 = per_game("num_players", "num_cells", fill=NONE)  # cards on the board
    open: Bool = per_game("num_players", "num_cells", dtype=np.bool_)  # cells for the next card
    sums: Uint8 = per_game("num_players", "num_sums")  # of the tableau; see ``scoring.parted``
    perfects: Uint8 = per_game("num_players")  # perfects so far

    @property
    def games(self) -> Intp:
        """The indices of all games, (N,)."""
        return numbers(len(self.terminated))

    @property
    def dealer(self) -> int:
        """The dealer of this turn, the same in all games."""
        return self.turn % len(self.perfects)

    @property
    def challenger(self) -> int:
        """The player who may challenge now, in the challenge phase."""
        return (self.dealer + 1 + self.phase_step) % len(self.perfects)

    def is_over(self, rules: Rules) -> bool:
        """Return whether all turns have been played; the games of a batch end together."""
        return self.turn == rules.num_turns
