"""The state of a batch of KADO games."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from kododo_env.core.arrays import Bool, Intp, Uint8
from kododo_env.core.deck import NONE
from kododo_env.core.rows import numbers
from kododo_env.core.state import BatchState, of_batch, per_game
from kododo_env.games.kado.rules import Rules


class Phase(IntEnum):
    """The phases of a turn."""

    DEALING = 0
    CHALLENGE = 1
    PLACING = 2


@dataclass(slots=True, eq=False)
class KadoState(BatchState):
    """The state; cards not yet placed are stored as places in the deck of D cards, D for none.

    Equal cards have the same order in ``viewers`` as in the deck. Cards are ids or NONE, and the
    game axis of each array is the last.
    """

    turn: int = of_batch()
    phase: Phase = of_batch(Phase.DEALING)
    phase_step: int = of_batch()  # steps of this phase that have been played
    deck: Uint8 = per_game("num_places", fill=NONE)  # in the order of drawing, then no card
    drawn: Intp = per_game(dtype=np.intp)  # the place of the next card to be drawn
    turn_start: Intp = per_game(dtype=np.intp)  # the place when the turn began
    held: Intp = per_game("num_holders", dtype=np.intp, fill="num_cards")  # by player, then aside
    viewers: Uint8 = per_game("num_cards")  # by whom, bit by bit, in the order of ``Rules.cards``
    public: Bool = per_game("num_players", dtype=np.bool_)  # whose card a swap has shown to all
    ruled_out: Bool = per_game("num_parts", dtype=np.bool_)  # gifts, ribbons: by wrong guesses
    tableau: Uint8 = per_game("num_players", "num_cells", fill=NONE)  # cards on the board
    open: Bool = per_game("num_players", "num_cells", dtype=np.bool_)  # where the next may go
    sums: Uint8 = per_game("num_players", "num_sums")  # of the tableau; see ``scoring.parted``
    perfects: Uint8 = per_game("num_players")  # perfects so far

    @property
    def games(self) -> Intp:
        """The numbers of all games, (N,)."""
        return numbers(len(self.terminated))

    @property
    def dealer(self) -> int:
        """The dealer of this turn, the same in all games."""
        return self.turn % len(self.perfects)

    @property
    def challenger(self) -> int:
        """The player whose challenge it is in the challenge phase."""
        return (self.dealer + 1 + self.phase_step) % len(self.perfects)

    def is_over(self, rules: Rules) -> bool:
        """Whether all turns have been played; the games of a batch end together."""
        return self.turn == rules.num_turns
