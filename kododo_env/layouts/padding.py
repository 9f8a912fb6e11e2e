"""Padding of observations, masks and actions: one policy can play with any number of players.

A table is a game with a fixed number of players. With fewer players an observation has fewer
numbers, and there may be fewer actions. The common layouts have all pieces of all tables, each as
large as at the largest table. A table's numbers keep their positions within their pieces, and the
other numbers are 0: missing seats have no cards, and missing actions are illegal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from kododo_env.arrays.dtypes import Array, Int64, Integer, Intp
from kododo_env.layouts.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.layouts.observation import ObservationLayout, Piece, Symmetry

Named = TypeVar("Named", Piece, ActionPiece, SlotPiece, ActionPiece | SlotPiece)


class Layouts(NamedTuple):
    """The layouts of a table.

    Attributes:
        observation: The layout of observations.
        actions: The layout of actions.
    """

    observation: ObservationLayout
    actions: ActionLayout


def common_layouts(tables: Sequence[Layouts]) -> Layouts:
    """Return the smallest layouts that hold the observations and actions of all tables.

    The length of each axis and the maximum of each piece are the largest of all tables. Pieces
    have the order of the largest table, followed by pieces that it lacks.

    Args:
        tables: The layouts of at least one table of a game.

    Raises:
        ValueError: The tables have different symmetries, or a piece has different axes.
    """
    tables = sorted(tables, key=lambda table: table.observation.size, reverse=True)
    layouts = [table.observation for table in tables]
    pieces = _by_name([piece for layout in layouts for piece in layout.pieces])
    actions = _by_name([piece for table in tables for piece in table.actions.pieces])
    tied_axes = dict.fromkeys(axis for layout in layouts for axis in layout.tied_axes)
    observation = ObservationLayout(
        tuple(_largest(namesakes) for namesakes in pieces.values()),
        _symmetry(layouts),
        tuple(tied_axes),
    )
    return Layouts(observation, ActionLayout(tuple(map(_largest_block, actions.values()))))


class Padding:
    """A converter of a table's observations and masks to common layouts, and of actions back.

    Args:
        table: The layouts of the table.
        common: Common layouts that include the table's.

    Attributes:
        layout: The common layout of observations.
        actions: The common layout of actions.
        columns: The position of each of the table's numbers in a common observation, (F,).
        numbers: The common number of each of the table's actions, (A,).
    """

    def __init__(self, table: Layouts, common: Layouts) -> None:
        self.layout = common.observation
        self.actions = common.actions
        self.columns = _common_places(table.observation, self.layout)
        self.numbers = _common_places(table.actions, self.actions)
        self._own_number = np.full(self.actions.size, -1)
        self._own_number[self.numbers] = np.arange(len(self.numbers))

    def observations(self, observations: Array) -> Array:
        """Pad the table's observations (..., F) to common ones (..., F')."""
        padded = np.zeros((*observations.shape[:-1], self.layout.size), self.layout.dtype)
        padded[..., self.columns] = observations
        return padded

    def masks(self, masks: Array) -> Array:
        """Pad the table's masks (..., A) to common ones (..., A') of the same dtype."""
        padded = np.zeros((*masks.shape[:-1], self.actions.size), masks.dtype)
        padded[..., self.numbers] = masks
        return padded

    def own_actions(self, actions: Integer) -> Int64:
        """Convert actions of the common layout to the table's own, in an array of the same shape.

        Raises:
            ValueError: An action does not exist in the common layout, or not at this table.
        """
        actions = np.asarray(actions)
        if ((actions < 0) | (actions >= self.actions.size)).any():
            raise ValueError(f"actions must be 0 to {self.actions.size - 1}")
        table_actions: Int64 = self._own_number[actions].astype(np.int64)
        if (table_actions < 0).any():
            missing = int(actions[table_actions < 0].flat[0])
            raise ValueError(f"action {missing} does not exist at this table and is never legal")
        return table_actions


# --- pieces -------------------------------------------------------------------------------


def _by_name(pieces: Sequence[Named]) -> dict[str, list[Named]]:
    pieces_by_name: dict[str, list[Named]] = {}
    for piece in pieces:
        pieces_by_name.setdefault(piece.name, []).append(piece)
    return pieces_by_name


def _largest_shape(pieces: Sequence[Piece | ActionPiece]) -> tuple[int, ...]:
    """The largest length of each axis at any table."""
    if len({piece.axes for piece in pieces}) > 1:
        raise ValueError(f"the axes of {pieces[0].name!r} differ between tables")
    return tuple(map(max, zip(*(piece.shape for piece in pieces), strict=True)))


def _largest(pieces: Sequence[Piece]) -> Piece:
    return replace(
        pieces[0], shape=_largest_shape(pieces), maximum=max(piece.maximum for piece in pieces)
    )


def _largest_block(pieces: Sequence[ActionPiece | SlotPiece]) -> ActionPiece | SlotPiece:
    blocks = [piece for piece in pieces if isinstance(piece, ActionPiece)]
    slots = [piece for piece in pieces if isinstance(piece, SlotPiece)]
    if (blocks and slots) or len({(piece.hand, piece.plays) for piece in slots}) > 1:
        raise ValueError(f"the actions {pieces[0].name!r} differ between tables")
    if slots:
        return max(slots, key=lambda piece: piece.slots)
    return replace(blocks[0], shape=_largest_shape(blocks))


def _symmetry(layouts: Sequence[ObservationLayout]) -> Symmetry | None:
    """The common symmetry of all layouts, with the keys of all of them."""
    symmetries = [layout.symmetry for layout in layouts]
    present = [symmetry for symmetry in symmetries if symmetry is not None]
    if not present:
        return None
    first = present[0]
    if len(present) < len(symmetries) or any(
        (symmetry_of_table.axes, symmetry_of_table.group) != (first.axes, first.group)
        for symmetry_of_table in present
    ):
        raise ValueError("the tables do not have the same symmetry")
    if len({layout.length(first.axes[0]) for layout in layouts}) > 1:
        raise ValueError(f"the length of the axes {first.axes} differs between tables")
    keys = dict.fromkeys(key for symmetry_of_table in present for key in symmetry_of_table.keys)
    return replace(first, keys=tuple(keys))


def _common_places(
    table: ObservationLayout | ActionLayout, common: ObservationLayout | ActionLayout
) -> Intp:
    """The position in the common layout of each number of a table's layout."""
    common_pieces = {piece.name: piece for piece in common.pieces}
    places = [
        common.where(piece.name).start + _places(piece, common_pieces[piece.name])
        for piece in table.pieces
    ]
    return np.concatenate(places)


def _places(piece: Piece | ActionPiece | SlotPiece, common: Any) -> Intp:
    """The position in the common piece of each number of a table's piece."""
    if isinstance(piece, SlotPiece):
        numbers = {slots: number for number, slots in enumerate(common.choices)}
        return np.array([numbers[slots] for slots in piece.choices], np.intp)
    whole = np.arange(common.size).reshape(common.shape)
    return whole[tuple(map(slice, piece.shape))].ravel()
