"""Optional abilities of games, declared as base classes and checked with ``isinstance``.

For example ``class KododoGame(BatchGame, RoundPlay, UndoSupport)`` and
``isinstance(game, RoundPlay)``. Play, search and training also work without any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from kododo_env.arrays.dtypes import Bool

if TYPE_CHECKING:
    from kododo_env.core.batch_game import BatchGame


@runtime_checkable
class RoundPlay(Protocol):
    """A game scored in rounds, so that a search can stop at the end of a round."""

    @property
    def round_steps(self) -> int:
        """The number of steps until the current round is scored, at least 1."""


@runtime_checkable
class StepSkipping(Protocol):
    """A game that skips steps in which no player of the batch has a choice.

    Larger batches skip fewer steps, because a step is skipped only for all games together.
    """

    @property
    def steps_passed(self) -> int:
        """The number of steps skipped since the deal, which ``steps_played`` does not count."""


@runtime_checkable
class JointDeals(Protocol):
    """A game that deals several cards at once, so that their order makes no difference.

    Used to enumerate the decks that lead to different deals.
    """

    @property
    def dealt_together(self) -> tuple[int, ...]:
        """A group number for each place of the deck; cards of the same group can be swapped."""


class PreviousPosition(NamedTuple):
    """The position before a step.

    Attributes:
        game: N games.
        consistent: Which actions of each player are consistent with what that step made
            public, shape (N, P, A).
    """

    game: BatchGame
    consistent: Bool


@runtime_checkable
class UndoSupport(Protocol):
    """A game that can undo its last steps, using only what the step made public.

    Used to weight sampled worlds by the probability of the other players' last actions.
    """

    @property
    def undoable_steps(self) -> int:
        """The number of steps that ``before_last_step`` can undo."""

    def before_last_step(self, rng: np.random.Generator) -> PreviousPosition:
        """Return a position before the last step, and the actions that may have been played.

        If several positions lead to the current one, one of them is drawn uniformly.

        Args:
            rng: The source of randomness; the batch's own generator is not used.

        Raises:
            ValueError: ``undoable_steps`` is 0.
        """
