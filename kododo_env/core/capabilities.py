"""What some games can do besides: a game declares it by its bases, whoever can use it asks.

``class KododoGame(BatchGame, PlaysRounds, TakesBack)``, and ``isinstance(game, PlaysRounds)``.
A game without any is played, searched and learned all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from kododo_env.core.batch_game import BatchGame


@runtime_checkable
class PlaysRounds(Protocol):
    """A game scored in rounds, so that it need not be played to its end to be judged."""

    @property
    def round_steps(self) -> int:
        """Steps until the round that is being played is scored, at least 1."""
        ...


@runtime_checkable
class DealsTogether(Protocol):
    """A game that deals several cards at once, in an order that makes no difference.

    So decks can be counted that are dealt differently.
    """

    @property
    def dealt_together(self) -> tuple[int, ...]:
        """A number for each place of the deck: cards of places with the same one are alike."""
        ...


class Past(NamedTuple):
    """The position before a step.

    Attributes:
        game: N games.
        shown: Which actions of each player would have shown what was seen of that step,
            shape (N, P, A).
    """

    game: BatchGame
    shown: npt.NDArray[np.bool_]


@runtime_checkable
class TakesBack(Protocol):
    """A game of which the last steps can be taken back, as far as all have seen them.

    So dealt worlds can be judged by what the others did in them.
    """

    @property
    def known_past(self) -> int:
        """How many of the last steps ``before_last_step`` can take back."""
        ...

    def before_last_step(self, rng: np.random.Generator) -> Past:
        """The position before the last step, and what can have been done there.

        Where this position does not tell how that one was, it is dealt evenly among all that
        lead here.

        Args:
            rng: The source of that randomness; the batch's own is not touched.

        Raises:
            ValueError: ``known_past`` is 0.
        """
        ...
