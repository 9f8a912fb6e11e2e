"""The parameters of KADO's rules, its deck, and their checks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
import numpy.typing as npt

from kododo_env.checks.bounds import Bound, check_players, check_settings
from kododo_env.checks.numbers import quote, whole_tuple

GIFTS = ("socks", "cube", "plush", "flowers", "chocolates")
RIBBONS = ("violet", "orange", "green", "blue", "red")
DUEL = 2
MOST_CARDS = 250  # every count of cards fits a uint8
MOST_TYPES = 127  # a card's id fits an int8
MOST_WORTH = 255  # the points of a row by gift fit a uint8
MOST_TURNS = 83  # with at least three cards per turn, 250 cards are enough for 83 turns

Deck = tuple[tuple[tuple[int, ...], ...], ...]

# The values of cards by (ribbon - gift) mod 5, so that every gift and every ribbon has 13 cards.
EVEN_VALUES = ((1, 3, 5), (1, 2, 4), (2, 3, 5), (1, 4), (2, 3))
EVEN_DECK: Deck = tuple(
    tuple(EVEN_VALUES[(ribbon - gift) % 5] for ribbon in range(5)) for gift in range(5)
)


@dataclass(frozen=True)
class Rules:
    """The rules of a game of KADO; the defaults are the real game's.

    All numbers are integers and are stored as Python's int. Within the bounds no array of a game
    overflows its dtype.

    Args:
        num_players: 2 to 4.
        deck: The cards: ``deck[gift][ribbon]`` holds the values, from 1, of the cards with
            this gift and this ribbon. The rulebook does not list the 65 cards; the default
            distributes them as evenly as possible. A deck has at most 250 cards, and gifts times
            ribbons times the highest value is at most 127.
        num_rows: Rows of a finished tableau, 1 to 83.
        num_columns: Columns of a finished tableau, 1 to 83; at most 255 divided by the highest
            value. There are rows times columns turns, at least 2, for which the deck must have
            enough cards.
        perfect_points: Points for a perfect at the end, 0 to 250.
        discards: The number of cards that the dealer may put aside each turn, 0 or 1; None takes
            the rulebook's number, which is 1 in the duel of two players, otherwise 0.

    Raises:
        ValueError: A number is not an integer or out of bounds, or the rules contradict each
            other.
    """

    num_players: int = 3
    deck: Deck = EVEN_DECK
    num_rows: Annotated[int, Bound(1, MOST_TURNS)] = 3
    num_columns: Annotated[int, Bound(1, MOST_TURNS)] = 4
    perfect_points: Annotated[int, Bound(0, 250)] = 2  # so that scores fit an int16
    discards: Annotated[int, Bound(0, 1)] | None = None

    def __post_init__(self) -> None:
        check_players(self, "kado", 2, 4)
        if self.discards is None:
            object.__setattr__(self, "discards", int(self.num_players == DUEL))
        check_settings(self)
        object.__setattr__(self, "deck", _as_deck(self.deck))
        self._check_deck()
        self._check_tableau()
        if self.num_cards < self.cards_needed:
            raise ValueError(
                f"a deck of {self.num_cards} cards is too small for {self.num_turns} turns, which "
                f"may need {self.cards_needed}"
            )

    def _check_deck(self) -> None:
        if len({len(ribbons) for ribbons in self.deck}) != 1 or not self.deck[0]:
            raise ValueError("deck must have the same number of ribbons for each gift")
        if not self.num_cards:
            raise ValueError("deck must have at least one card")
        if self.num_card_types > MOST_TYPES or self.num_cards > MOST_CARDS:
            raise ValueError(
                f"a deck must have at most {MOST_TYPES} types of cards and {MOST_CARDS} cards, "
                f"not {self.num_card_types} and {self.num_cards}"
            )

    def _check_tableau(self) -> None:
        if self.num_turns < 2:
            raise ValueError(
                f"a tableau must have at least two cells, not {self.num_rows} x {self.num_columns}"
            )
        if self.num_columns * self.num_values > MOST_WORTH:
            raise ValueError(
                f"the cards in a row must be worth at most {MOST_WORTH} points, not "
                f"{self.num_columns} times {self.num_values}"
            )

    @cached_property
    def num_gifts(self) -> int:
        """G, the number of gifts."""
        return len(self.deck)

    @cached_property
    def num_ribbons(self) -> int:
        """B, the number of ribbons."""
        return len(self.deck[0])

    @cached_property
    def num_values(self) -> int:
        """V, the highest value."""
        return max(value for ribbons in self.deck for cell in ribbons for value in cell)

    @property
    def num_card_types(self) -> int:
        """G * B * V; a card's id is (gift * B + ribbon) * V + (value - 1)."""
        return self.num_gifts * self.num_ribbons * self.num_values

    @property
    def cards(self) -> npt.NDArray[np.uint8]:
        """The deck's card ids in order, shape (D,)."""
        ids = [
            self.card(gift, ribbon, value)
            for gift, ribbons in enumerate(self.deck)
            for ribbon, cell in enumerate(ribbons)
            for value in sorted(cell)
        ]
        return np.array(ids, np.uint8)

    def card(self, gift: int, ribbon: int, value: int) -> int:
        """Return the id of a card."""
        return (gift * self.num_ribbons + ribbon) * self.num_values + value - 1

    def parts(self, card: int) -> tuple[int, int, int]:
        """Return the gift, ribbon and value of a card, by its id."""
        kind, value = divmod(card, self.num_values)
        return (*divmod(kind, self.num_ribbons), value + 1)

    @cached_property
    def num_cards(self) -> int:
        """D, the size of the deck."""
        return sum(len(cell) for ribbons in self.deck for cell in ribbons)

    @property
    def num_places(self) -> int:
        """D + 1, the number of places of the deck, including an empty one at the end."""
        return self.num_cards + 1

    @cached_property
    def max_copies(self) -> int:
        """The number of copies of the most frequent card; 1 in the default deck."""
        return max(cell.count(value) for cells in self.deck for cell in cells for value in cell)

    @property
    def max_discards(self) -> int:
        """The number of cards that the dealer may put aside each turn."""
        assert self.discards is not None
        return self.discards

    @property
    def num_holders(self) -> int:
        """P + 1: one place for the card of each player, and one for the card put aside."""
        return self.num_players + 1

    @property
    def num_parts(self) -> int:
        """G + B, the number of gifts and ribbons that can be guessed."""
        return self.num_gifts + self.num_ribbons

    @cached_property
    def num_sums(self) -> int:
        """The number of sums of a tableau: by row and gift, by column and ribbon, and by column."""
        return self.board_rows * self.num_gifts + self.board_columns * (self.num_ribbons + 1)

    @cached_property
    def num_turns(self) -> int:
        """The number of turns, one for each cell of the tableau."""
        return self.num_rows * self.num_columns

    @cached_property
    def phase_steps(self) -> tuple[int, int, int]:
        """The number of steps of dealing, challenges and placing."""
        return self.num_players - 1 + self.max_discards, self.num_players - 1, 1

    @property
    def cards_needed(self) -> int:
        """The number of cards needed so that every turn can be dealt in any case.

        In the last turn the pile may run out; then a perfect wins no card.
        """
        return self.num_turns * self.cards_of_turn - 1

    @property
    def cards_of_turn(self) -> int:
        """The maximum number of cards in a turn: the players', one put aside, one for a perfect."""
        return self.num_players + self.max_discards + 1

    @cached_property
    def board_rows(self) -> int:
        """The number of rows of the board, enough for a tableau that grows to any side."""
        return 2 * self.num_rows - 1

    @cached_property
    def board_columns(self) -> int:
        """The number of columns of the board."""
        return 2 * self.num_columns - 1

    @property
    def num_cells(self) -> int:
        """The number of cells of the board."""
        return self.board_rows * self.board_columns

    @property
    def rotates(self) -> bool:
        """Whether the deck stays the same if all gifts and ribbons are shifted by one."""
        moved = tuple(row[-1:] + row[:-1] for row in self.deck[-1:] + self.deck[:-1])
        unchanged = all(
            sorted(cards) == sorted(moved_cards)
            for gift_row, moved_row in zip(self.deck, moved, strict=True)
            for cards, moved_cards in zip(gift_row, moved_row, strict=True)
        )
        return unchanged and self.num_gifts == self.num_ribbons

    @property
    def max_score(self) -> int:
        """An upper bound of a player's points."""
        rows = self.num_rows * self.num_columns * self.num_values
        return rows + self.num_columns * self.num_values + self.num_turns * self.perfect_points


def _as_deck(deck: object) -> Deck:
    """Return a deck as tuples, from tuples or lists."""
    rows = deck if isinstance(deck, tuple | list) else (None,)
    if not all(isinstance(ribbons, tuple | list) for ribbons in rows):
        raise ValueError(f"deck must be a list of values by gift and ribbon, not {quote(deck)}")
    return tuple(
        tuple(whole_tuple(values, "the values in deck", 1, MOST_TYPES) for values in ribbons)
        for ribbons in rows
    )
