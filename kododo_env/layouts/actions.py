"""The layout of a game's actions: named blocks of consecutive action numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Annotated

import numpy as np

from kododo_env.checks.bounds import Bound, check_settings
from kododo_env.checks.numbers import whole_number, whole_tuple

MOST_SLOTS = 255  # slots are counted in uint8


@dataclass(frozen=True)
class ActionPiece:
    """A block of actions that runs over named axes, in C order.

    Attributes:
        name: Unique within the layout.
        shape: ``()`` for a single action.
        axes: A name for each axis, the same names as in the observation's layout.
    """

    name: str
    shape: tuple[int, ...] = ()
    axes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        label = f"the shape of actions {self.name!r}"
        object.__setattr__(self, "shape", whole_tuple(self.shape, label, 1))
        if len(self.axes) != len(self.shape):
            raise ValueError(
                f"actions {self.name!r} have {len(self.shape)} axes {self.shape} "
                f"but {len(self.axes)} axis names: {self.axes}"
            )

    @property
    def size(self) -> int:
        """The number of actions in the block."""
        return prod(self.shape)


@dataclass(frozen=True)
class SlotPiece:
    """A block of actions that play cards by their position in the sorted hand.

    Attributes:
        name: Unique within the layout.
        hand: The piece of the observation that counts the cards in hand by type. Slot s
            holds the s-th card when the cards are listed in the order of the types.
        slots: The number of slots of a hand, 1 to 255.
        plays: The number of cards that one action plays: 1, or 2 for all pairs of slots
            in lexicographic order.
    """

    name: str
    hand: str
    slots: Annotated[int, Bound(1, MOST_SLOTS)]
    plays: Annotated[int, Bound(1, 2)]

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def choices(self) -> tuple[tuple[int, ...], ...]:
        """The slots that each action of the block plays."""
        return tuple(combinations(range(self.slots), self.plays))

    @property
    def size(self) -> int:
        """The number of actions in the block."""
        return len(self.choices)


@dataclass(frozen=True)
class ActionLayout:
    """All blocks of actions in the order of their numbers.

    Raises:
        ValueError: ``pieces`` is empty, or two blocks have the same name.
    """

    pieces: tuple[ActionPiece | SlotPiece, ...]

    def __post_init__(self) -> None:
        names = [piece.name for piece in self.pieces]
        if not names:
            raise ValueError("an action layout needs at least one block of actions")
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two blocks of actions are named {name!r}")

    @property
    def size(self) -> int:
        """A, the number of actions."""
        return sum(piece.size for piece in self.pieces)

    def locate(self, action: int) -> tuple[ActionPiece | SlotPiece, tuple[int, ...]]:
        """Return the block of an action, and its index on each axis of the block, or its slots.

        Raises:
            ValueError: There is no such action.
        """
        place = whole_number(action, "action", 0, self.size - 1)
        for piece in self.pieces:
            if place < piece.size:
                break
            place -= piece.size
        if isinstance(piece, SlotPiece):
            return piece, piece.choices[place]
        return piece, tuple(map(int, np.unravel_index(place, piece.shape)))

    def describe(self, action: int) -> str:
        """Return an action as its block and its place there, such as "guess gift=0 ribbon=4".

        Raises:
            ValueError: There is no such action.
        """
        piece, index = self.locate(action)
        axes = ("slot",) * piece.plays if isinstance(piece, SlotPiece) else piece.axes
        places = (f"{axis}={number}" for axis, number in zip(axes, index, strict=True))
        return " ".join((piece.name, *places))

    def where(self, name: str) -> slice:
        """Return the range of action numbers of a block.

        Raises:
            KeyError: There is no block of that name.
        """
        start = 0
        for piece in self.pieces:
            if piece.name == name:
                return slice(start, start + piece.size)
            start += piece.size
        names = ", ".join(piece.name for piece in self.pieces)
        raise KeyError(f"unknown block of actions {name!r}; choose from {names}")
