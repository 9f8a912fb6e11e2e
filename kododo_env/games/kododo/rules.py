"""The numbers of Kododo's rules, and which of them go together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
import numpy.typing as npt

from kododo_env.core.numbers import is_whole

KODODO_VALUE = 1
REMOVED = {2: 10, 3: 13, 4: 0, 5: 15}
VARIANTS = ("standard", "long")


@dataclass(frozen=True)
class Rules:
    """The rules of a game of Kododo; the defaults are the real game's.

    Args:
        num_players: 2 to 5.
        variant: ``"standard"``, one deal, or ``"long"``, deals until somebody has
            ``target_score`` points.
        num_colours: C.
        copies: How many cards of each value 1, 2, ... there are in each colour. Cards
            of value 1 are the Kododo cards.
        hand_size: Cards in hand at the start of a turn.
        plays: Cards each player lays in each turn of a round, 1 or 2 a turn.
        kododo_offset: With P plus this many Kododo cards on the table only those score.
        limit_offset: A colour with P plus this many cards or more does not score.
        removed_cards: Cards put aside unseen before each deal; None takes the
            rulebook's number for the number of players.
        target_score: Points that end the long variant.

    Raises:
        ValueError: The numbers cannot be played together.
    """

    num_players: int = 4
    variant: str = "standard"
    num_colours: int = 5
    copies: tuple[int, ...] = (5, 6, 5, 2, 1, 1)
    hand_size: int = 5
    plays: tuple[int, ...] = (2, 1, 1)
    kododo_offset: int = 2
    limit_offset: int = 3
    removed_cards: int | None = None
    target_score: int = 50

    def __post_init__(self) -> None:
        self._check_types()
        if self.num_players not in REMOVED:
            raise ValueError(f"Kododo is for 2 to 5 players, not {self.num_players}")
        if self.variant not in VARIANTS:
            raise ValueError(f"variant must be 'standard' or 'long', not {self.variant!r}")
        if self.removed_cards is None:
            object.__setattr__(self, "removed_cards", REMOVED[self.num_players])
        self._check_deck()
        self._check_turns()
        self._check_deal()

    def _check_types(self) -> None:
        for name in ("copies", "plays"):
            value = getattr(self, name)
            if not isinstance(value, Iterable) or not all(map(is_whole, value)):
                raise ValueError(f"{name} must be whole numbers in a tuple, not {value!r}")
            object.__setattr__(self, name, tuple(value))
        for name in ("num_colours", "hand_size", "kododo_offset", "limit_offset", "target_score"):
            if not is_whole(getattr(self, name)):
                raise ValueError(f"{name} must be a whole number, not {getattr(self, name)!r}")
        if not is_whole(self.num_players):
            raise ValueError(f"num_players must be a whole number, not {self.num_players!r}")
        if self.removed_cards is not None and not is_whole(self.removed_cards):
            raise ValueError(f"removed_cards must be a whole number, not {self.removed_cards!r}")

    def _check_deck(self) -> None:
        if not 1 <= self.num_colours <= 26:
            raise ValueError(f"num_colours must be 1 to 26, not {self.num_colours}")
        if not self.copies or min(self.copies) < 0 or sum(self.copies) == 0:
            raise ValueError(f"copies must count at least one card a colour, not {self.copies}")
        if self.num_card_types > 120 or self.num_cards > 250:
            raise ValueError(
                f"a deck has at most 120 types of cards and 250 cards, not "
                f"{self.num_card_types} and {self.num_cards}"
            )
        if self.target_score < 1:
            raise ValueError(f"target_score must be at least 1, not {self.target_score}")

    def _check_turns(self) -> None:
        if not self.plays or not set(self.plays) <= {1, 2}:
            raise ValueError(f"a turn lays 1 or 2 cards; plays cannot be {self.plays}")
        if self.hand_size < self.round_cards:
            raise ValueError(
                f"a hand of {self.hand_size} cannot lay the {self.round_cards} cards of the "
                f"last round; hand_size must be at least {self.round_cards}"
            )
        if self.round_cards * self.num_values > 255:
            raise ValueError("the cards a player lays in a round may be worth 255 at most")
        if self.kododo_number < 1 or self.limit < 2:
            raise ValueError(
                "the Kododo number must be at least 1 and the limit at least 2, "
                f"not {self.kododo_number} and {self.limit}"
            )

    def _check_deal(self) -> None:
        removed, dealt = self.removed, self.num_players * self.hand_size
        per_round = self.num_players * self.round_cards
        left = self.num_cards - removed - dealt
        if removed < 0 or left < 0:
            raise ValueError(
                f"{self.num_cards} cards do not reach for {removed} removed and {dealt} dealt"
            )
        if left % per_round:
            raise ValueError(
                f"the draw pile of {left} cards does not run out at the end of a round, in "
                f"which {per_round} are drawn; remove {left % per_round} more cards"
            )

    @property
    def removed(self) -> int:
        """Cards put aside before each deal."""
        assert self.removed_cards is not None
        return self.removed_cards

    @property
    def num_values(self) -> int:
        """V, how many values there are."""
        return len(self.copies)

    @cached_property
    def num_card_types(self) -> int:
        """C * V; a card's id is colour * V + (value - 1)."""
        return self.num_colours * self.num_values

    @cached_property
    def num_cards(self) -> int:
        """D, the size of the deck."""
        return self.num_colours * sum(self.copies)

    @property
    def cards(self) -> npt.NDArray[np.uint8]:
        """The deck's card ids in order, shape (D,)."""
        types = np.arange(self.num_card_types, dtype=np.uint8)
        return np.repeat(types, self.copies * self.num_colours)

    @cached_property
    def round_cards(self) -> int:
        """Cards each player lays in a round."""
        return sum(self.plays)

    @cached_property
    def num_turns(self) -> int:
        """Turns of a round."""
        return len(self.plays)

    @cached_property
    def draw_pile(self) -> int:
        """Cards left to draw after dealing."""
        return self.num_cards - self.removed - self.num_players * self.hand_size

    @cached_property
    def num_rounds(self) -> int:
        """Rounds of a deal, the last round from the hand included."""
        return self.draw_pile // (self.num_players * self.round_cards) + 1

    @cached_property
    def kododo_number(self) -> int:
        """With exactly so many Kododo cards on the table only those score."""
        return self.num_players + self.kododo_offset

    @cached_property
    def limit(self) -> int:
        """A colour with so many cards on the table, or more, does not score."""
        return self.num_players + self.limit_offset

    @property
    def num_actions(self) -> int:
        """One for each slot of the hand and one for each pair of slots."""
        return self.hand_size + comb(self.hand_size, 2)

    @cached_property
    def max_deal_score(self) -> int:
        """No player can score more than this in a deal: the best cards he could ever lay."""
        values = np.repeat(np.arange(1, self.num_values + 1), self.copies)
        best = np.sort(np.tile(values, self.num_colours))[::-1]
        return int(best[: self.num_rounds * self.round_cards].sum())

    @property
    def max_score(self) -> int:
        """No player can have more points than this; the long variant deals on below the target."""
        before = self.target_score - 1 if self.variant == "long" else 0
        return before + self.max_deal_score
