"""The numbers of Combi-Combo's rules, and which of them go together."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from kododo_env.core.numbers import is_whole

COLOURS = ("blue", "green", "yellow", "orange", "violet", "red")
VALUES = 4  # each value has its own line in the score, so there are four of them


@dataclass(frozen=True)
class Rules:
    """The rules of a game of Combi-Combo; the defaults are the real game's.

    Args:
        num_players: 4 or 5.
        num_colours: C.
        copies: How many cards of the values 1, 2, 3 and 4 there are in each colour.
        opening_hand: Cards in hand before the first turn.
        num_turns: Turns; in each one everybody draws a card and passes one.
        ones_points: Points for strictly more 1s than every other player.
        sequence_points: Points for each colour held in all four values.
        twos_points: Points for each series of 2s.
        twos_in_series: How many 2s make a series.
        threes_par: So many 3s are worth nothing; each one more or less is a point.
        fours_points: Points for 4s of 0, 1, 2, ... different colours, one entry at
            least for each number up to ``num_colours``.

    Raises:
        ValueError: The numbers cannot be played together.
    """

    num_players: int = 4
    num_colours: int = 6
    copies: tuple[int, ...] = (1, 2, 3, 4)
    opening_hand: int = 4
    num_turns: int = 8
    ones_points: int = 3
    sequence_points: int = 4
    twos_points: int = 3
    twos_in_series: int = 3
    threes_par: int = 4
    fours_points: tuple[int, ...] = (0, 0, 0, 1, 2, 4, 5)

    def __post_init__(self) -> None:
        if not is_whole(self.num_players) or self.num_players not in (4, 5):
            raise ValueError(f"Combi-Combo is for 4 or 5 players, not {self.num_players!r}")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("copies", "fours_points"):
                self._check_numbers(field.name, value)
            elif not is_whole(value):
                raise ValueError(f"{field.name} must be a whole number, not {value!r}")
        self._check_deck()
        self._check_deal()
        self._check_points()

    def _check_numbers(self, name: str, value: object) -> None:
        """Check a tuple of whole numbers; a list will do, but rules hold tuples."""
        if not isinstance(value, tuple | list) or not all(map(is_whole, value)):
            raise ValueError(f"{name} must be a tuple of whole numbers, not {value!r}")
        object.__setattr__(self, name, tuple(value))

    def _check_deck(self) -> None:
        if not 1 <= self.num_colours <= 26:
            raise ValueError(f"num_colours must be 1 to 26, not {self.num_colours}")
        if len(self.copies) != VALUES or min(self.copies) < 0 or sum(self.copies) == 0:
            raise ValueError(
                f"copies must count the cards of the values 1 to 4 in a colour, not {self.copies}"
            )
        if self.num_cards > 250:
            raise ValueError(f"a deck has at most 250 cards, not {self.num_cards}")

    def _check_deal(self) -> None:
        if self.opening_hand < 0 or self.num_turns < 1:
            raise ValueError(
                "a game has an opening hand of 0 cards or more and at least 1 turn, not "
                f"{self.opening_hand} and {self.num_turns}"
            )
        if self.central_pile < 0:
            raise ValueError(
                f"{self.num_cards} cards do not reach for {self.num_players} piles of "
                f"{self.pile_size}; num_cards must be at least {self.num_players * self.pile_size}"
            )
        if 0 < self.central_pile < self.num_turns:
            raise ValueError(
                f"{self.central_pile} cards are left over, too few to turn one up in each of "
                f"{self.num_turns} turns; leave none, or {self.num_turns} at least"
            )

    def _check_points(self) -> None:
        if self.twos_in_series < 1:
            raise ValueError(f"twos_in_series must be at least 1, not {self.twos_in_series}")
        points = self.ones_points, self.sequence_points, self.twos_points, *self.fours_points
        if max(map(abs, (*points, self.threes_par))) > 100:
            raise ValueError("no line of the score may give more than 100 points at once")
        if len(self.fours_points) <= self.num_colours:
            raise ValueError(
                f"fours_points needs {self.num_colours + 1} entries, for 0 to "
                f"{self.num_colours} colours, not {len(self.fours_points)}"
            )

    @property
    def num_card_types(self) -> int:
        """C * 4; a card's type is colour * 4 + (value - 1)."""
        return self.num_colours * VALUES

    @property
    def num_cards(self) -> int:
        """D, the size of the deck."""
        return self.num_colours * sum(self.copies)

    @property
    def cards(self) -> npt.NDArray[np.uint8]:
        """The deck's card types in order, shape (D,)."""
        types = np.arange(self.num_card_types, dtype=np.uint8)
        return np.repeat(types, self.copies * self.num_colours)

    @property
    def pile_size(self) -> int:
        """Cards dealt to each player, the opening hand included; also the last hand's size."""
        return self.opening_hand + self.num_turns

    @property
    def central_pile(self) -> int:
        """Cards left over after dealing, which are turned up in the middle."""
        return self.num_cards - self.num_players * self.pile_size

    @property
    def face_up_first(self) -> int:
        """Cards turned up before the first turn; then follows one at the start of each turn."""
        return max(0, self.central_pile - self.num_turns)
