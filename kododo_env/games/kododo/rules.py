"""The parameters of Kododo's rules, and their checks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from kododo_env.checks.bounds import Bound, check_players, check_settings
from kododo_env.checks.numbers import quote, whole_tuple

KODODO_VALUE = 1
"""The value of the Kododo cards."""
REMOVED = {2: 10, 3: 13, 4: 0, 5: 15}
VARIANTS = ("standard", "long")
MOST_CARDS = 250  # every count of cards fits a uint8
MOST_TYPES = 120  # a card's id fits an int8
MOST_WORTH = 255  # the points of the cards that a player lays in a round fit a uint8
SPARE_DEALS = 50


class CountFields(NamedTuple):
    """The columns of counts of cards, for C colours and T types of cards."""

    laid_by_colour: slice  # C columns: the cards laid in this round
    kododos: slice  # one column: the Kododo cards among them
    points: slice  # C columns: their values, added up by colour; 0 in the row of all players
    laid: slice  # the columns above together
    by_type: slice  # T columns: the cards in hand; of all players, all cards laid in this deal


@dataclass(frozen=True)
class Rules:
    """The rules of a game of Kododo; the defaults are the real game's.

    All numbers are integers and are stored as Python's int. Within the bounds no array of a game
    overflows its dtype, and every game ends: the long variant after at most ``max_deals`` deals.

    Args:
        num_players: 2 to 5.
        variant: ``"standard"``, one deal, or ``"long"``, deals until somebody has
            ``target_score`` points.
        num_colours: C, 1 to 26.
        copies: How many cards of each value 1, 2, ... there are in each colour. Cards
            of value 1 are the Kododo cards. The deck has 1 to 250 cards, of at most 120 types.
        hand_size: Cards in hand at the start of a turn, 1 to 20.
        plays: Cards each player lays in each turn of a round, 1 or 2 per turn; in a round at
            most ``hand_size`` cards, worth at most 255 points.
        kododo_offset: If the number of Kododo cards on the table is exactly P plus this, only
            they score; 1 - P to 250, where 250 disables this rule.
        limit_offset: A colour does not score if its number of cards is P plus this or more;
            2 - P to 250, where 250 disables this rule.
        removed_cards: Cards put aside unseen before each deal, 0 to 248; None takes the
            rulebook's number for the number of players. The draw pile must run out at the
            end of a round.
        target_score: Points that end the long variant, 1 to 1000.

    Raises:
        ValueError: A number is not an integer or out of bounds, or the rules contradict each
            other.
    """

    num_players: int = 4
    variant: str = "standard"
    num_colours: Annotated[int, Bound(1, 26)] = 5
    copies: tuple[int, ...] = (5, 6, 5, 2, 1, 1)
    hand_size: Annotated[int, Bound(1, 20)] = 5
    plays: tuple[int, ...] = (2, 1, 1)
    kododo_offset: Annotated[int, Bound(-4, 250)] = 2
    limit_offset: Annotated[int, Bound(-3, 250)] = 3
    # At least one card must be left for each of two players.
    removed_cards: Annotated[int, Bound(0, MOST_CARDS - 2)] | None = None
    target_score: Annotated[int, Bound(1, 1000)] = 50

    def __post_init__(self) -> None:
        check_players(self, "kododo", 2, 5)
        variant: Any = self.variant
        if not isinstance(variant, str) or variant not in VARIANTS:
            raise ValueError(f"variant must be 'standard' or 'long', not {quote(variant)}")
        object.__setattr__(self, "variant", str(variant))  # numpy's str becomes Python's
        if self.removed_cards is None:
            object.__setattr__(self, "removed_cards", REMOVED[self.num_players])
        check_settings(self)
        if self.variant == "standard" and self.target_score != type(self).target_score:
            raise ValueError("target_score must be left out unless variant is 'long'")
        object.__setattr__(self, "copies", whole_tuple(self.copies, "copies", 0, MOST_CARDS))
        object.__setattr__(self, "plays", whole_tuple(self.plays, "plays", 1, 2))
        self._check_deck()
        self._check_turns()
        self._check_deal()

    def _check_deck(self) -> None:
        if sum(self.copies) == 0:
            raise ValueError(
                f"copies must have at least one card per colour, not {quote(self.copies)}"
            )
        if self.num_card_types > MOST_TYPES or self.num_cards > MOST_CARDS:
            raise ValueError(
                f"a deck must have at most {MOST_TYPES} types of cards and {MOST_CARDS} cards, "
                f"not {self.num_card_types} and {self.num_cards}"
            )

    def _check_turns(self) -> None:
        if not self.plays:
            raise ValueError("plays must have at least one turn, got ()")
        if self.hand_size < self.round_cards:
            raise ValueError(
                f"hand_size must be at least {self.round_cards}, the number of cards laid in a "
                f"round, not {self.hand_size}"
            )
        if self.round_cards * self.num_values > MOST_WORTH:
            raise ValueError(
                f"the cards that a player lays in a round must be worth at most {MOST_WORTH} "
                f"points, not {self.round_cards} times {self.num_values}"
            )
        if self.kododo_number < 1 or self.limit < 2:
            raise ValueError(
                "the Kododo number must be at least 1 and the limit at least 2, "
                f"not {self.kododo_number} and {self.limit}"
            )

    def _check_deal(self) -> None:
        removed = self.removed
        dealt = self.num_players * self.hand_size
        per_round = self.num_players * self.round_cards
        pile = self.num_cards - removed - dealt
        if pile < 0:
            raise ValueError(
                f"a deck of {self.num_cards} cards is too small for {removed} removed and {dealt} "
                "dealt cards"
            )
        if pile % per_round:
            raise ValueError(
                f"the draw pile of {pile} cards must be a multiple of the {per_round} cards drawn "
                f"in a round; remove {pile % per_round} more cards"
            )

    @classmethod
    def tiny(cls) -> Self:
        """Return rules for the smallest game with a decision, of 6 deals, to test algorithms.

        Each of two players holds two of the four cards blue 1, 2 and green 1, 2 and lays one. They
        know each other's hands, but choose simultaneously.
        Environment modules take it as ``**dataclasses.asdict(Rules.tiny())``.
        """
        return cls(
            num_players=2, num_colours=2, copies=(1, 1), hand_size=2, plays=(1,),
            kododo_offset=0, limit_offset=1, removed_cards=0,
        )  # fmt: skip

    @classmethod
    def small(cls) -> Self:
        """Return rules for a game of 220 deals, which can still be solved; see ``tiny``.

        Each of two players holds three cards and lays two, one after the other. Two of the
        eight cards (1, 2, 3, 3 in two colours) are removed unseen.
        """
        return cls(
            num_players=2, num_colours=2, copies=(1, 1, 2), hand_size=3, plays=(1, 1),
            kododo_offset=0, limit_offset=1, removed_cards=2,
        )  # fmt: skip

    @classmethod
    def mixed(cls) -> Self:
        """Return rules for a game of 186 deals in which optimal strategies are mixed.

        Each of two players holds four of nine cards (1, 2, 2 in three colours) and lays two, one
        after the other; the ninth is removed unseen. See ``tiny``.
        """
        return cls(
            num_players=2, num_colours=3, copies=(1, 2), hand_size=4, plays=(1, 1),
            kododo_offset=0, limit_offset=1, removed_cards=1,
        )  # fmt: skip

    @property
    def removed(self) -> int:
        """The number of cards put aside before each deal."""
        assert self.removed_cards is not None
        return self.removed_cards

    @cached_property
    def num_values(self) -> int:
        """V, the number of values."""
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
        """The number of cards that each player lays in a round."""
        return sum(self.plays)

    @cached_property
    def laid_before(self) -> tuple[int, ...]:
        """The number of cards laid by each player before each turn, and in the whole round."""
        return tuple(accumulate(self.plays, initial=0))

    @cached_property
    def count_fields(self) -> CountFields:
        """The columns of the counts of cards."""
        colours = self.num_colours
        return CountFields(
            laid_by_colour=slice(0, colours),
            kododos=slice(colours, colours + 1),
            points=slice(colours + 1, 2 * colours + 1),
            laid=slice(0, 2 * colours + 1),
            by_type=slice(2 * colours + 1, self.count_columns),
        )

    @property
    def count_columns(self) -> int:
        """The number of columns of the counts of cards, see ``CountFields``."""
        return 2 * self.num_colours + 1 + self.num_card_types

    @property
    def count_rows(self) -> int:
        """P + 1: a row of counts for each player, and the last one for all players together."""
        return self.num_players + 1

    @cached_property
    def num_turns(self) -> int:
        """The number of turns of a round."""
        return len(self.plays)

    @cached_property
    def draw_pile(self) -> int:
        """The number of cards left to draw after dealing."""
        return self.num_cards - self.removed - self.num_players * self.hand_size

    @cached_property
    def num_rounds(self) -> int:
        """The number of rounds of a deal, including the last, in which nobody draws."""
        return self.draw_pile // (self.num_players * self.round_cards) + 1

    def draws(self, round_index: int) -> bool:
        """Return whether the players draw in a round: in all but the last round of a deal."""
        return round_index < self.num_rounds - 1

    def held(self, round_index: int, turn: int) -> int:
        """Return the number of cards in each hand before a turn."""
        return self.hand_size - (0 if self.draws(round_index) else self.laid_before[turn])

    def drawn(self, round_index: int, turn: int) -> int:
        """Return the number of cards dealt to or drawn by all players before a turn."""
        if not self.draws(round_index):
            return self.num_players * self.hand_size + self.draw_pile
        per_player = self.hand_size + round_index * self.round_cards + self.laid_before[turn]
        return self.num_players * per_player

    @cached_property
    def kododo_number(self) -> int:
        """The number of Kododo cards on the table with which only they score."""
        return self.num_players + self.kododo_offset

    @cached_property
    def limit(self) -> int:
        """The smallest number of cards on the table with which a colour does not score."""
        return self.num_players + self.limit_offset

    @cached_property
    def max_deal_score(self) -> int:
        """An upper bound of a player's points in a deal: the sum of the best cards."""
        values = np.repeat(np.arange(1, self.num_values + 1), self.copies)
        best = np.sort(np.tile(values, self.num_colours))[::-1]
        return int(best[: self.num_rounds * self.round_cards].sum())

    @property
    def max_deals(self) -> int:
        """The number of deals after which a game ends even if nobody has reached the target.

        Without this bound a game of the long variant might never end, because the players, or the
        rules, may prevent everybody from scoring. It is more than a leader needs who scores one
        point per deal; random players score 50 points in two to four deals.
        """
        return self.target_score + SPARE_DEALS if self.variant == "long" else 1

    @property
    def max_score(self) -> int:
        """An upper bound of a player's points, which may exceed the target of the long variant."""
        before = self.target_score - 1 if self.variant == "long" else 0
        return before + self.max_deal_score
