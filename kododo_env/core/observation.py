"""The layout of an observation: named pieces of small integers, one after the other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any

import numpy as np

from kododo_env.core.arrays import Array, Int64, Intp
from kododo_env.core.numbers import shown, whole_number, whole_tuple
from kododo_env.core.rows import into_any

# From this many games on memory counts: fetched again each time, and more than the cache holds. Put
# together row by row an observation takes .8 of the time then, and 2 times as long with 4,096.
MANY_NUMBERS = 1 << 16

LARGEST = 2**63 - 1  # of int64, which ``maxima`` are
GROUPS = ("permutations", "rotations")

Knowledge = tuple[Sequence[Array], Intp]
"""What there is to know, (..., N) each, and where in it stands each number of an observation.

Rows of N numbers are counted through all arrays; the second is (P, F).
"""


@dataclass(frozen=True)
class Piece:
    """One named part of an observation.

    Attributes:
        name: Unique within the layout.
        shape: Shape of the piece, without the batch; ``()`` for a single number.
        maximum: Largest value that can occur; the smallest is 0.
        description: The things that the numbers count, for the documentation.
        axes: A name for each axis of ``shape``, so that a network can tell which
            pieces run over the same thing (``"colour"``, ``"seat"``, ...).
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
                f"but {len(self.axes)} names for them: {self.axes}"
            )

    @property
    def size(self) -> int:
        """How many numbers the piece takes in the observation."""
        return prod(self.shape)


@dataclass(frozen=True)
class Symmetry:
    """Axes whose entries may be renamed without changing the game.

    Attributes:
        axes: The axes that are renamed together, all of the same length.
        group: ``"permutations"``, every renaming, or ``"rotations"``, cyclic shifts only.
        keys: Names of pieces by which a canonical naming is chosen, the most
            important first. They have one of ``axes``; of the seats only one's own counts,
            and over what other axes they have they are summed.
    """

    axes: tuple[str, ...]
    group: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class ObservationLayout:
    """All pieces of an observation in their order, and which symmetry they have.

    Args:
        pieces: The pieces; their names are unique.
        symmetry: The interchangeable axes, if the game has any.
        alike: Names of axes whose entries are things of one kind, as seats and rows are and
            values are not: a network may share its weights among them.

    Raises:
        ValueError: There are no pieces, two have one name, or the symmetry or ``alike`` names what
            they do not have.
    """

    pieces: tuple[Piece, ...]
    symmetry: Symmetry | None = None
    alike: tuple[str, ...] = ()
    _slices: dict[str, slice] = field(init=False, repr=False, compare=False)
    _dtype: np.dtype[Any] = field(init=False, repr=False)
    _size: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.pieces:
            raise ValueError("a layout has one piece at least")
        slices: dict[str, slice] = {}
        start = 0
        for piece in self.pieces:
            if piece.name in slices:
                raise ValueError(f"two pieces are called {piece.name!r}")
            slices[piece.name] = slice(start, start + piece.size)
            start += piece.size
        for axis in self.alike:
            self.length(axis)  # raises
        self._check_symmetry()
        largest = max(piece.maximum for piece in self.pieces)
        for name, value in (
            ("_slices", slices),
            ("_dtype", np.min_scalar_type(largest)),
            ("_size", start),
        ):
            object.__setattr__(self, name, value)

    def _check_symmetry(self) -> None:
        """Raise ValueError if the symmetry is of axes or pieces that the layout does not have."""
        if (symmetry := self.symmetry) is None:
            return
        if symmetry.group not in GROUPS:
            raise ValueError(f"a symmetry is of {' or '.join(GROUPS)}, not {shown(symmetry.group)}")
        if not symmetry.axes or len({self.length(axis) for axis in symmetry.axes}) != 1:
            raise ValueError(f"the axes {symmetry.axes} of a symmetry must have one length")
        for name in symmetry.keys:
            if not any(p.name == name and {*p.axes} & {*symmetry.axes} for p in self.pieces):
                raise ValueError(f"no piece {name!r} with one of the axes {symmetry.axes} is a key")

    @property
    def size(self) -> int:
        """F, the length of an observation."""
        return self._size

    @property
    def dtype(self) -> np.dtype[Any]:
        """The smallest unsigned integer type that holds every piece's maximum."""
        return self._dtype

    @property
    def maxima(self) -> Int64:
        """The largest value of each number of an observation, shape (F,)."""
        return np.repeat([p.maximum for p in self.pieces], [p.size for p in self.pieces])

    def length(self, axis: str) -> int:
        """How many entries an axis has; ValueError if there is none, or not the same in all."""
        lengths = {p.shape[p.axes.index(axis)] for p in self.pieces if axis in p.axes}
        if len(lengths) != 1:
            raise ValueError(f"the axis {axis!r} must have one length, not {sorted(lengths)}")
        return lengths.pop()

    def piece(self, name: str) -> Piece:
        """The piece of that name; KeyError if there is none."""
        for piece in self.pieces:
            if piece.name == name:
                return piece
        raise KeyError(f"no piece {name!r}; there are {', '.join(self._slices)}")

    def where(self, name: str) -> slice:
        """Where a piece lies in the observation."""
        return self._slices[self.piece(name).name]

    def views(self, observation: Array) -> dict[str, Array]:
        """The pieces of an observation by name.

        Args:
            observation: Any shape (..., F).

        Returns:
            For each piece an array of shape (..., \\*piece.shape); a view where
            numpy can make one.

        Raises:
            ValueError: It has another F.
        """
        *batch, numbers = observation.shape
        if numbers != self.size:
            raise ValueError(f"an observation has {self.size} numbers here, not {numbers}")
        return {
            piece.name: observation[..., self._slices[piece.name]].reshape((*batch, *piece.shape))
            for piece in self.pieces
        }

    def filled(self, pieces: Mapping[str, Any], num_players: int) -> Intp:
        """Observations of these pieces, each (P, \\*piece.shape) or the same for all; (P, F)."""
        flat = np.empty((num_players, self.size), np.intp)
        for name, piece in self.views(flat).items():
            piece[:] = pieces[name]
        return flat

    def fingerprint(self) -> str:
        """A hash of names, shapes and maxima: equal for layouts that can be exchanged."""
        facts: Sequence[Any] = [(p.name, p.shape, p.maximum, p.axes) for p in self.pieces]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]

    def table(self) -> str:
        """The layout as a Markdown table, for the documentation."""
        lines = ["| index | piece | shape | axes | values | meaning |", "|---|---|---|---|---|---|"]
        for piece in self.pieces:
            where = self._slices[piece.name]
            index = f"{where.start}" if piece.size == 1 else f"{where.start}–{where.stop - 1}"
            shape = " × ".join(map(str, piece.shape)) or "1"
            axes = ", ".join(piece.axes) or "–"
            lines.append(
                f"| {index} | `{piece.name}` | {shape} | {axes} "
                f"| 0–{piece.maximum} | {piece.description} |"
            )
        return "\n".join(lines)


def numbered(**shapes: tuple[int, ...]) -> dict[str, Intp]:
    """Whole numbers from 0 on, each once, in arrays of these shapes: the rows of ``gathered``."""
    rows = {}
    start = 0
    for name, shape in shapes.items():
        rows[name] = np.arange(start, start + prod(shape)).reshape(shape)
        start += prod(shape)
    return rows


def gathered(
    arrays: Sequence[Array],
    rows: Intp,
    dtype: np.dtype[Any],
    out: Array | None = None,
) -> Array:
    """Observations put together from what there is to know, each number by where it stands.

    Two calls, whatever there is in an observation: written piece by piece it takes 2 to 4 times as
    long.

    Args:
        arrays: Arrays (..., N), whose rows of N numbers are counted through.
        rows: Where each number stands, (P, F).
        dtype: The dtype of the result, which holds all numbers of the rows.
        out: An array (P, F, N) to fill, in any order and of any dtype that can hold the numbers;
            None makes a fresh one.

    Returns:
        Shape (P, F, N).
    """
    num = arrays[0].shape[-1]
    if num == 1 and out is None:  # in half the time
        flat = np.concatenate([array.ravel() for array in arrays], dtype=dtype, casting="unsafe")
        return flat[rows][..., None]
    if out is not None and not (out.flags.c_contiguous and out.dtype == dtype):
        into_any(arrays, out, dtype, rows)
        return out
    if num < MANY_NUMBERS:
        as_rows = [array if array.ndim == 2 else array.reshape(-1, num) for array in arrays]
        flat = np.concatenate(as_rows, dtype=dtype, casting="unsafe")
        # With another mode what is taken goes through a buffer.
        return flat.take(rows, axis=0, out=out, mode="clip")
    observations = np.empty((*rows.shape, num), dtype) if out is None else out
    single = [row for array in arrays for row in array.reshape(-1, num)]
    for to, row in zip(observations.reshape(-1, num), rows.ravel().tolist(), strict=True):
        to[:] = single[row]
    return observations


@cache
def from_own_seat(num_players: int) -> Intp:
    """Whom each player sees where: themselves first, then the next ones in turn.

    Returns:
        Shape (P, P), the same array each time: the index that turns an array by player,
        (P, ...), into what each player sees, (P, P, ...), seat k being player (p + k) % P.
    """
    players = np.arange(num_players)
    seats: Intp = (players[:, None] + players) % num_players
    return seats
