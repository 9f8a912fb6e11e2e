"""The parameters of Combi-Combo's rules, and their checks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
import numpy.typing as npt

from kododo_env.checks.bounds import Bound, check_players, check_settings
from kododo_env.checks.numbers import quote, whole_tuple

COLOURS = ("blue", "green", "yellow", "orange", "violet", "red")
VALUES = 4
"""The number of card values; each has its own line in the score."""
MOST_CARDS = 250  # every count of cards fits a uint8
MOST_COLOURS = 26
MOST_POINTS = 100  # points of a line, so that the sum of all lines fits an int16
Points = Annotated[int, Bound(-MOST_POINTS, MOST_POINTS)]


@dataclass(frozen=True)
class Rules:
    """The rules of a game of Combi-Combo; the defaults are the real game's.

    All numbers are integers and are stored as Python's int. Points are -100 to 100 in each line of
    the score. Within the bounds no array of a game overflows its dtype.

    Args:
        num_players: 4 or 5.
        num_colours: C, 1 to 26.
        copies: The numbers of cards of value 1, 2, 3 and 4 in each colour; the deck has 1 to 250
            cards.
        opening_hand: Cards in hand before the first turn, 0 to 61.
        num_turns: Turns, 1 to 62, for which the deck must have enough cards; in each turn
            everybody draws a card and passes one.
        ones_points: Points for the player who has more 1s than every other player.
        sequence_points: Points for each colour held in all four values.
        twos_points: Points for each series of 2s.
        twos_in_series: The number of 2s in a series, 1 to 250.
        threes_par: The points for 3s are their number minus this, -100 to 100.
        fours_points: Points for 4s of 0, 1, 2, ... different colours; at least
            ``num_colours`` + 1 and at most 27 entries.

    Raises:
        ValueError: A number is not an integer or out of bounds, or the rules contradict each
            other.
    """

    num_players: int = 4
    num_colours: Annotated[int, Bound(1, MOST_COLOURS)] = 6
    copies: tuple[int, ...] = (1, 2, 3, 4)
    opening_hand: Annotated[int, Bound(0, 61)] = 4
    num_turns: Annotated[int, Bound(1, 62)] = 8
    ones_points: Points = 3
    sequence_points: Points = 4
    twos_points: Points = 3
    twos_in_series: Annotated[int, Bound(1, MOST_CARDS)] = 3
    threes_par: Points = 4
    fours_points: tuple[int, ...] = (0, 0, 0, 1, 2, 4, 5)

    def __post_init__(self) -> None:
        check_players(self, "combi_combo", 4, 5)
        check_settings(self)
        copies = whole_tuple(self.copies, "copies", 0, MOST_CARDS)
        object.__setattr__(self, "copies", copies)
        fours = whole_tuple(self.fours_points, "fours_points", -MOST_POINTS, MOST_POINTS)
        object.__setattr__(self, "fours_points", fours)
        self._check_deck()
        self._check_deal()
        self._check_points()

    def _check_deck(self) -> None:
        if len(self.copies) != VALUES or sum(self.copies) == 0:
            raise ValueError(
                "copies must have a number for each of the values 1 to 4, at least one above 0, "
                f"not {quote(self.copies)}"
            )
        if self.num_cards > MOST_CARDS:
            raise ValueError(f"a deck must have at most {MOST_CARDS} cards, not {self.num_cards}")

    def _check_deal(self) -> None:
        if self.central_pile < 0:
            raise ValueError(
                f"a deck of {self.num_cards} cards is too small for {self.num_players} piles of "
                f"{self.pile_size}; it needs at least {self.num_players * self.pile_size} cards"
            )
        if 0 < self.central_pile < self.num_turns:
            raise ValueError(
                f"the central pile of {self.central_pile} cards is too small to turn one up in "
                f"each of {self.num_turns} turns; it must have 0 or at least {self.num_turns} cards"
            )

    def _check_points(self) -> None:
        limit = MOST_COLOURS + 1
        if not self.num_colours < len(self.fours_points) <= limit:
            raise ValueError(
                f"fours_points needs at least {self.num_colours + 1} entries, for 0 to "
                f"{self.num_colours} colours, and at most {limit}, not {len(self.fours_points)}"
            )

    @cached_property
    def num_card_types(self) -> int:
        """C * 4; a card's type is colour * 4 + (value - 1)."""
        return self.num_colours * VALUES

    @cached_property
    def num_cards(self) -> int:
        """D, the size of the deck."""
        return self.num_colours * sum(self.copies)

    @property
    def cards(self) -> npt.NDArray[np.uint8]:
        """The deck's card types in order, shape (D,)."""
        types = np.arange(self.num_card_types, dtype=np.uint8)
        return np.repeat(types, self.copies * self.num_colours)

    @cached_property
    def pile_size(self) -> int:
        """The number of cards of each player, including the opening hand; the final hand size."""
        return self.opening_hand + self.num_turns

    @cached_property
    def central_pile(self) -> int:
        """The number of cards left after dealing, which are turned up in the middle."""
        return self.num_cards - self.num_players * self.pile_size

    @cached_property
    def face_up_first(self) -> int:
        """The number of cards turned up before the first turn; each turn turns up one more."""
        return max(0, self.central_pile - self.num_turns)
