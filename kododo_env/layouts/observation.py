"""The layout of an observation: consecutive named pieces of small integers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Array, Int64, Intp
from kododo_env.checks.numbers import quote, whole_number, whole_tuple
from kododo_env.system.digests import digest

# With this many games or more the arrays exceed the cache, and copying row by row is faster.
MANY_NUMBERS = 1 << 16
CACHED = 42_000  # numbers transposed at once, so that they stay in the first-level cache
# Games transposed at once; at powers of two all numbers of a column compete for one cache line.
GAMES_AT_A_TIME = 224

LARGEST = 2**63 - 1  # the largest int64, the dtype of ``maxima``
GROUPS = ("permutations", "rotations")

Knowledge = dict[str, Array]
"""Arrays of shape (..., N) by name; each has rows of N numbers, one for each game."""


@dataclass(frozen=True)
class Piece:
    """One named part of an observation.

    Attributes:
        name: Unique within the layout.
        shape: Shape of the piece, without the batch; ``()`` for a single number.
        maximum: Largest value that can occur; the smallest is 0.
        description: The meaning of the numbers, for the documentation.
        axes: A name for each axis of ``shape`` (``"colour"``, ``"seat"``, ...), so that a
            network knows which pieces share an axis.
    """

    name: str
    shape: tuple[int, ...]
    maximum: int
    description: str
    axes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        label = f"piece {self.name!r}"
        object.__setattr__(self, "shape", whole_tuple(self.shape, f"the shape of {label}", 1))
        maximum = whole_number(self.maximum, f"the maximum of {label}", 1)
        whole_number(maximum, f"the maximum of {label}", highest=LARGEST)
        object.__setattr__(self, "maximum", maximum)
        if len(self.axes) != len(self.shape):
            raise ValueError(
                f"piece {self.name!r} has {len(self.shape)} axes {self.shape} "
                f"but {len(self.axes)} axis names: {self.axes}"
            )

    @property
    def size(self) -> int:
        """The number of entries of the piece in an observation."""
        return prod(self.shape)


def over_axes(
    lengths: Mapping[str, int], name: str, maximum: int, description: str, *axes: str
) -> Piece:
    """Return a piece over axes of these lengths; a maximum of 0, of numbers always 0, becomes 1."""
    shape = tuple(lengths[axis] for axis in axes)
    return Piece(name, shape, max(1, maximum), description, axes)


@dataclass(frozen=True)
class Symmetry:
    """Axes whose entries may be renamed without changing the game.

    Attributes:
        axes: The axes that are renamed together, all of the same length.
        group: ``"permutations"`` for every renaming, or ``"rotations"`` for cyclic shifts.
        keys: Names of the pieces that determine the canonical order, most important first.
            Each piece has one of ``axes``. On a seat axis only the player's own entry counts;
            the piece is summed over its other axes.
    """

    axes: tuple[str, ...]
    group: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class ObservationLayout:
    """All pieces of an observation in order, and their symmetry.

    Args:
        pieces: The pieces, with unique names.
        symmetry: The interchangeable axes, if the game has any.
        tied_axes: Names of axes along which a network may share its weights, because all entries
            are of the same kind, such as seats and rows (but not card values).

    Raises:
        ValueError: ``pieces`` is empty or has two equal names, or ``symmetry`` or ``tied_axes``
            names an axis or piece that does not exist.
    """

    pieces: tuple[Piece, ...]
    symmetry: Symmetry | None = None
    tied_axes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.pieces:
            raise ValueError("an observation layout needs at least one piece")
        for name, count in Counter(piece.name for piece in self.pieces).items():
            if count > 1:
                raise ValueError(f"two pieces are named {name!r}")
        for axis in self.tied_axes:
            self.length(axis)  # raises ValueError if there is no such axis
        self._check_symmetry()

    def _check_symmetry(self) -> None:
        """Raise ValueError if the symmetry names axes or pieces that the layout does not have."""
        if (symmetry := self.symmetry) is None:
            return
        if symmetry.group not in GROUPS:
            raise ValueError(
                f"a symmetry's group must be {' or '.join(GROUPS)}, not {quote(symmetry.group)}"
            )
        if not symmetry.axes or len({self.length(axis) for axis in symmetry.axes}) != 1:
            raise ValueError(f"the axes {symmetry.axes} of a symmetry must all have one length")
        for name in symmetry.keys:
            if not any(p.name == name and {*p.axes} & {*symmetry.axes} for p in self.pieces):
                raise ValueError(
                    f"a symmetry's key must be a piece with one of the axes {symmetry.axes}, "
                    f"got {name!r}"
                )

    @cached_property
    def size(self) -> int:
        """F, the length of an observation."""
        return sum(piece.size for piece in self.pieces)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The smallest unsigned integer type that holds every piece's maximum."""
        return np.min_scalar_type(max(piece.maximum for piece in self.pieces))

    @cached_property
    def _slices(self) -> dict[str, slice]:
        stops = accumulate(piece.size for piece in self.pieces)
        return {
            piece.name: slice(stop - piece.size, stop)
            for piece, stop in zip(self.pieces, stops, strict=True)
        }

    @property
    def maxima(self) -> Int64:
        """The largest value of each number of an observation, shape (F,)."""
        return np.repeat([p.maximum for p in self.pieces], [p.size for p in self.pieces])

    def length(self, axis: str) -> int:
        """Return the length of an axis.

        Raises:
            ValueError: No piece has this axis, or its length differs between pieces.
        """
        lengths = {p.shape[p.axes.index(axis)] for p in self.pieces if axis in p.axes}
        if len(lengths) != 1:
            raise ValueError(f"the axis {axis!r} must have one length, not {sorted(lengths)}")
        return lengths.pop()

    def piece(self, name: str) -> Piece:
        """Return the piece of that name.

        Raises:
            KeyError: There is no such piece.
        """
        for piece in self.pieces:
            if piece.name == name:
                return piece
        raise KeyError(f"unknown piece {name!r}; choose from {', '.join(self._slices)}")

    def where(self, name: str) -> slice:
        """Return the slice of a piece in the observation."""
        return self._slices[self.piece(name).name]

    def views(self, observation: Array) -> dict[str, Array]:
        """Return the pieces of an observation by name.

        Args:
            observation: Any shape (..., F).

        Returns:
            For each piece an array of shape (..., \\*piece.shape), without a copy if possible.

        Raises:
            ValueError: The last axis is not F.
        """
        *batch, numbers = observation.shape
        if numbers != self.size:
            raise ValueError(f"expected observations of {self.size} numbers, got {numbers}")
        return {
            piece.name: observation[..., self._slices[piece.name]].reshape((*batch, *piece.shape))
            for piece in self.pieces
        }

    def rows(self, sources: Mapping[str, Any], num_players: int) -> Intp:
        """Return the row that each number of each player's observation comes from, (P, F).

        Args:
            sources: For each piece the rows of its numbers, in the order of its shape. P times as
                many rows are those of each player. Otherwise they are the same for all players; if
                the first axis is the seat, player p sees seat p first, then the others in order.
            num_players: P.
        """
        rows = np.empty((num_players, self.size), np.intp)
        for piece, numbers in zip(self.pieces, self.views(rows).values(), strict=True):
            source = np.asarray(sources[piece.name])
            if source.size == piece.size and piece.axes[:1] == ("seat",):
                source = source.reshape(piece.shape)[from_own_seat(num_players)]
            numbers[:] = source.reshape(-1, *piece.shape)
        return rows

    def fingerprint(self) -> str:
        """Return a hash of names, shapes, maxima and axes; equal for compatible layouts."""
        facts: Sequence[Any] = [(p.name, p.shape, p.maximum, p.axes) for p in self.pieces]
        return digest(json.dumps(facts), 16)


def numbered(knowledge: Knowledge) -> dict[str, Intp]:
    """Return the numbers of the rows of each array, consecutive from 0 through all arrays."""
    rows = {}
    start = 0
    for name, array in knowledge.items():
        shape = array.shape[:-1]
        rows[name] = np.arange(start, start + prod(shape)).reshape(shape)
        start += prod(shape)
    return rows


def gathered(
    knowledge: Knowledge, rows: Intp, dtype: np.dtype[Any], out: Array | None = None
) -> Array:
    """Build observations by gathering rows of arrays, which is faster than piece by piece.

    Args:
        knowledge: Arrays (..., N), whose rows have the numbers that ``numbered`` returns.
        rows: The row that each number of each player's observation comes from, (P, F).
        dtype: The dtype of the result, which can hold all numbers of the rows.
        out: An array (P, F, N) to fill, in any memory order and of any dtype that can hold the
            numbers; None creates a new one.

    Returns:
        Shape (P, F, N).
    """
    arrays = [*knowledge.values()]
    num = arrays[0].shape[-1]
    if num == 1 and out is None:  # a fast path
        flat = np.concatenate([array.ravel() for array in arrays], dtype=dtype, casting="unsafe")
        return flat[rows][..., None]
    parts = [array if array.ndim == 2 else array.reshape(-1, num) for array in arrays]
    if out is not None and not (out.flags.c_contiguous and out.dtype == dtype):
        _gather_in_blocks(parts, rows, dtype, out)
        return out
    if num < MANY_NUMBERS:
        flat = np.concatenate(parts, dtype=dtype, casting="unsafe")
        # Other modes copy through a buffer.
        return flat.take(rows, axis=0, out=out, mode="clip")
    observations = np.empty((*rows.shape, num), dtype) if out is None else out
    single = [row for part in parts for row in part]
    for to, row in zip(observations.reshape(-1, num), rows.ravel().tolist(), strict=True):
        to[:] = single[row]
    return observations


def _gather_in_blocks(parts: Sequence[Array], rows: Intp, dtype: np.dtype[Any], out: Array) -> None:
    """Gather rows of arrays (..., N) into an array (P, F, N) of any memory order and dtype.

    If the games come first in memory, blocks that fit into the cache are faster than numpy's copy.
    """
    num = out.shape[-1]
    if out.size <= CACHED:
        flat = np.concatenate(parts, dtype=dtype, casting="unsafe")
        out[...] = flat.take(rows, axis=0)
        return
    if out.dtype != dtype:  # transposing narrow numbers is faster
        narrow = np.empty((num, *rows.shape), dtype).transpose(1, 2, 0)
        _gather_in_blocks(parts, rows, dtype, narrow)
        out[...] = narrow
        return
    columns_at_a_time = max(1, CACHED // (len(rows) * GAMES_AT_A_TIME))
    for start in range(0, num, GAMES_AT_A_TIME):
        games = slice(start, start + GAMES_AT_A_TIME)
        flat = np.concatenate([part[:, games] for part in parts], dtype=dtype, casting="unsafe")
        for first in range(0, rows.shape[1], columns_at_a_time):
            columns = slice(first, first + columns_at_a_time)
            out[:, columns, games] = flat.take(rows[:, columns], axis=0)


@cache
def from_own_seat(num_players: int) -> Intp:
    """Return the order in which each player sees the seats: their own first, then in turn order.

    Returns:
        Shape (P, P), the same array each time: an index that turns an array by player,
        (P, ...), into the array that each player sees, (P, P, ...), where seat k of player p is
        player (p + k) % P.
    """
    players = np.arange(num_players)
    return (players[:, None] + players) % num_players
