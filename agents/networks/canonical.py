"""One naming for all that a game's symmetry makes alike, as tensor operations.

If the colours of a game are interchangeable, a position has as many twins as there are ways
to name them. ``Canonical`` renames every observation so that the network sees one of the
twins only, and tells which entry of the network's output belongs to which action. If asked, it
puts opponents in order as well. All of it follows from the layouts that the game declares; it
holds no weights that are learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents.networks.opponent_order import OpponentOrder
from agents.networks.places import EXACT, descending_places, inverse
from kododo_env.core.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.core.observation import ObservationLayout, Piece, Symmetry

FINE = (99_991, 9_973, 997, 97, 13)  # bounds of the tie-breaking coefficients, to try


class Canonical(nn.Module):
    """Renames observations canonically and finds each action's entry in the raw output.

    The raw output is: one number for each action of the ``ActionPiece`` blocks, then, if
    cards are played by slot, one for each type of card, then, if there is a symmetry, one
    for each pair of its entries.

    Args:
        layout: The game's observations.
        actions: The game's actions.
        sort_opponents: Whether opponents are put in order; see ``OpponentOrder``.
    """

    def __init__(
        self, layout: ObservationLayout, actions: ActionLayout, sort_opponents: bool = False
    ) -> None:
        super().__init__()
        self.columns: Tensor
        self.target: Tensor
        self.key: Tensor
        self.type_target: Tensor
        self.layout = layout
        self.actions = actions
        symmetry = layout.symmetry
        self.group = symmetry.group if symmetry else ""
        self.entries = _entries(layout, symmetry) if symmetry else 1
        hands = {piece.hand for piece in actions.pieces if isinstance(piece, SlotPiece)}
        if len(hands) > 1:
            raise ValueError(f"cards can be played from one hand only, not from {sorted(hands)}")
        self.hand = layout.piece(hands.pop()) if hands else None
        self._number_outputs()
        self.blocks = _blocks(layout, symmetry)
        self.opponent_order = OpponentOrder(layout) if sort_opponents else None
        self._register("columns", np.concatenate([block.columns for block in self.blocks]))
        self._register("target", self._target_table(symmetry))
        if symmetry:
            self._register("key", _key_matrix(layout, symmetry))
        if self.hand is not None:
            self._register("type_target", _where_to(self.hand, symmetry, self.first_type))

    def _number_outputs(self) -> None:
        """Where the parts of the raw output begin, and how long it is."""
        pieces = self.actions.pieces
        self.first_type = sum(p.size for p in pieces if isinstance(p, ActionPiece))
        self.first_pair = self.first_type + (self.hand.size if self.hand else 0)
        pairs = self.entries**2 if self.hand and self.group else 0
        self.num_outputs = self.first_pair + pairs
        self.num_slots = max([p.slots for p in pieces if isinstance(p, SlotPiece)], default=0)

    def _register(self, name: str, table: npt.NDArray[Any]) -> None:
        self.register_buffer(name, torch.from_numpy(table), persistent=False)

    def _target_table(self, symmetry: Symmetry | None) -> npt.NDArray[Any]:
        """``_where_to`` for all actions that do not play from slots, one after the other."""
        tables = [np.zeros((5, 0), np.int64)]
        for piece in self.actions.pieces:
            if isinstance(piece, ActionPiece):
                tables.append(_where_to(piece, symmetry, sum(t.shape[1] for t in tables)))
        return np.concatenate(tables, axis=1)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Rename.

        Args:
            observation: Shape (B, F), any dtype.

        Returns:
            The renamed observation, float32 (B, F), its columns in the order ``columns``,
            and entries of the raw output, int64: (B, actions that do not play from slots +
            slots of the hand).
        """
        numbers = observation.to(torch.float32)
        if self.opponent_order is not None:
            numbers = self.opponent_order(numbers)
        if self.group:
            rank = self._rank(numbers.to(torch.float64) @ self.key)
        else:
            rank = torch.zeros_like(numbers[:, :1], dtype=torch.int64)
        renamed = self._rename(numbers, inverse(rank))
        entries = _apply(self.target, rank)
        if self.hand is not None:
            entries = torch.cat([entries, self._slots(numbers, rank)], dim=1)
        return renamed, entries

    def _rename(self, numbers: Tensor, order: Tensor) -> Tensor:
        """The numbers, column by column as in ``columns``, every entry in its canonical place."""
        entries = self.entries
        batch = torch.arange(numbers.shape[0], device=numbers.device)
        row = (batch[:, None] * entries + order).flatten()
        sorted_columns = numbers[:, self.columns]
        parts, start = [], 0
        for block in self.blocks:
            width = len(block.columns)
            part = sorted_columns[:, start : start + width]
            start += width
            for _ in range(block.axes):  # the interchangeable axis comes first
                part = part.reshape(-1, width // entries).index_select(0, row)
                if block.axes == 2:  # then the other one's turn; two turns restore the order
                    part = part.reshape(-1, entries, entries, width // entries**2).transpose(1, 2)
            parts.append(part.reshape(-1, width))
        return torch.cat(parts, dim=1)

    def _rank(self, key: Tensor) -> Tensor:
        """The canonical place of each interchangeable entry, (B, C), by descending key."""
        if self.group == "rotations":
            places = torch.arange(self.entries, device=key.device)
            return (places - key.argmax(dim=1, keepdim=True)) % self.entries
        return descending_places(key)

    def _slots(self, numbers: Tensor, rank: Tensor) -> Tensor:
        """The raw output's entry for the card in each slot, (B, slots)."""
        assert self.hand is not None
        cards = numbers[:, self.layout.where(self.hand.name)]
        slots = torch.arange(self.num_slots, device=cards.device, dtype=cards.dtype)
        # Slot s holds the first type up to which more than s cards have been counted.
        passed = cards.cumsum(dim=1)[:, None, :] <= slots[None, :, None]
        card = passed.sum(dim=2).clamp(max=self.hand.size - 1)  # empty slots: any, they're illegal
        return _apply(self.type_target, rank).gather(1, card)


def _entries(layout: ObservationLayout, symmetry: Symmetry) -> int:
    lengths = {
        length
        for piece in layout.pieces
        for axis, length in zip(piece.axes, piece.shape, strict=True)
        if axis in symmetry.axes
    }
    if len(lengths) != 1:
        raise ValueError(f"the axes {symmetry.axes} must all have one length, not {lengths}")
    return lengths.pop()


def _where_to(
    piece: Piece | ActionPiece, symmetry: Symmetry | None, first: int
) -> npt.NDArray[Any]:
    """How the place of each number of a piece depends on the names of what is interchangeable.

    Returns:
        Rows base, stride, axis entry, stride, axis entry; shape (5, size): the place is
        base + stride * name[entry] + stride * name[entry]. An axis that is not
        interchangeable is part of the base.
    """
    table = np.zeros((5, piece.size), np.int64)
    table[0] = first
    if not piece.shape:
        return table
    indices = np.indices(piece.shape).reshape(len(piece.shape), -1)
    strides = [int(np.prod(piece.shape[axis + 1 :])) for axis in range(len(piece.shape))]
    row = 1
    for axis, index, stride in zip(piece.axes, indices, strides, strict=True):
        if symmetry is None or axis not in symmetry.axes:
            table[0] += index * stride
        elif row > 3:
            raise ValueError(f"{piece.name!r} has more than two interchangeable axes")
        else:
            table[row], table[row + 1] = stride, index
            row += 2
    return table


@dataclass(frozen=True)
class _Block:
    """Columns of the observation that are renamed alike.

    ``columns`` run over the interchangeable axes first (``axes`` of them: 0, 1 or 2).
    """

    columns: npt.NDArray[np.int64]
    axes: int


def _blocks(layout: ObservationLayout, symmetry: Symmetry | None) -> list[_Block]:
    """The columns without, with one, and with two interchangeable axes; empty blocks left out."""
    found: list[list[npt.NDArray[np.int64]]] = [[], [], []]
    columns = layout.views(np.arange(layout.size))
    for piece in layout.pieces:
        mine = [k for k, axis in enumerate(piece.axes) if symmetry and axis in symmetry.axes]
        moved = np.moveaxis(columns[piece.name], mine, range(len(mine)))
        found[len(mine)].append(moved.reshape(*moved.shape[: len(mine)], -1))
    return [
        _Block(np.concatenate(parts, axis=-1).ravel(), axes)
        for axes, parts in enumerate(found)
        if parts
    ]


def _key_matrix(layout: ObservationLayout, symmetry: Symmetry) -> npt.NDArray[Any]:
    """What each number of an observation adds to the key of each entry; shape (F, C).

    The declared pieces decide first; then everything else does, through coefficients that
    differ but do not depend on the entry, so that entries with equal keys are alike.
    All are whole numbers, small enough that float64 adds them exactly in any order.
    """
    for fine in FINE:
        key = _keys_with(layout, symmetry, fine)
        if _largest(key, layout) < EXACT:
            return key.astype(np.float64)
    raise ValueError(f"the keys {symmetry.keys} are too large to be added exactly")


def _keys_with(layout: ObservationLayout, symmetry: Symmetry, fine: int) -> npt.NDArray[np.int64]:
    """The key matrix with tie-breaking coefficients up to ``fine``."""
    rng = np.random.default_rng(0)
    key = np.zeros((layout.size, _entries(layout, symmetry)), np.int64)
    for piece in layout.pieces:
        for axis in (a for a in piece.axes if a in symmetry.axes):
            key[layout.where(piece.name)] += _coefficients(piece, axis, symmetry, rng, fine)
    for name in reversed(symmetry.keys):
        piece, scale = layout.piece(name), 1 + _largest(key, layout)
        axis = next(a for a in piece.axes if a in symmetry.axes)
        declared = _coefficients(piece, axis, symmetry, rng, 1)
        if "seat" in piece.axes:  # only one's own seat, the first, decides
            seat = np.indices(piece.shape)[piece.axes.index("seat")].ravel()
            declared[seat > 0] = 0
        key[layout.where(name)] += scale * declared
    return key


def _largest(key: npt.NDArray[Any], layout: ObservationLayout) -> int:
    return int((key * layout.maxima[:, None]).sum(axis=0).max())


def _coefficients(
    piece: Piece, axis: str, symmetry: Symmetry, rng: np.random.Generator, most: int
) -> npt.NDArray[np.int64]:
    """A number for each place on the other axes, in the column of the entry meant: (size, C)."""
    shape = [1 if a in symmetry.axes else n for a, n in zip(piece.axes, piece.shape, strict=True)]
    drawn = np.broadcast_to(rng.integers(1, most + 1, shape), piece.shape)
    position = piece.axes.index(axis)
    entry = np.indices(piece.shape)[position].reshape(-1, 1)
    here: npt.NDArray[np.bool_] = entry == np.arange(piece.shape[position])
    return np.where(here, drawn.reshape(-1, 1), 0)


def _apply(table: Tensor, names: Tensor) -> Tensor:
    """The places (B, size) that a table of ``_where_to`` gives for names (B, C)."""
    base, stride, entry, stride2, entry2 = table
    places: Tensor = base + stride * names[:, entry] + stride2 * names[:, entry2]
    return places
