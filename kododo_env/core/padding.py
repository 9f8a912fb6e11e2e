"""One form of observations, masks and actions for all tables of a game.

A table for fewer players has fewer numbers in an observation, and perhaps fewer actions. The common
layouts have all pieces of all tables, each as large as it is at the largest one. A table's own
numbers keep their places within their pieces, such as a seat its number, and the rest is 0: seats
that do not exist hold nothing, and actions that do not exist are illegal. So one policy can play at
all tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from kododo_env.core.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.core.arrays import Array, Int64, Integer, Intp
from kododo_env.core.observation import ObservationLayout, Piece, Symmetry

Named = TypeVar("Named", Piece, ActionPiece, SlotPiece, ActionPiece | SlotPiece)


class Layouts(NamedTuple):
    """The layouts of a table.

    Attributes:
        observation: That of the observations.
        actions: That of the actions.
    """

    observation: ObservationLayout
    actions: ActionLayout


def common_layouts(tables: Sequence[Layouts]) -> Layouts:
    """The layouts in which the observations and actions of all tables have a place.

    A piece is as large along each axis, and its maximum as large, as at any table. Pieces come in
    the order of the largest table, and those that it lacks come last.

    Args:
        tables: The layouts of some tables of one game, at least one.

    Raises:
        ValueError: The tables have not the same symmetry, or pieces of one name have other axes.
    """
    tables = sorted(tables, key=lambda table: table.observation.size, reverse=True)
    layouts = [table.observation for table in tables]
    pieces = _by_name([piece for layout in layouts for piece in layout.pieces])
    actions = _by_name([piece for table in tables for piece in table.actions.pieces])
    alike_axes = dict.fromkeys(axis for layout in layouts for axis in layout.alike)
    observation = ObservationLayout(
        tuple(_largest(namesakes) for namesakes in pieces.values()),
        _symmetry(layouts),
        tuple(alike_axes),
    )
    return Layouts(observation, ActionLayout(tuple(map(_largest_block, actions.values()))))


class Padding:
    """Brings the observations, masks and actions of one table into common layouts, and back.

    Args:
        table: The layouts of the table.
        common: The common layouts, of which the table is one.

    Attributes:
        layout: The common layout of observations.
        actions: The common layout of actions.
        columns: The place of each of the table's numbers in a common observation, (F,).
        numbers: The common number of each of the table's actions, (A,).

    Raises:
        ValueError: The table has a piece that the common layouts lack, or that is larger.
    """

    def __init__(self, table: Layouts, common: Layouts) -> None:
        self.layout = common.observation
        self.actions = common.actions
        self.columns: Intp = np.concatenate(
            [
                _places(piece, _named(self.layout.pieces, piece.name))
                + self.layout.where(piece.name).start
                for piece in table.observation.pieces
            ]
        )
        self.numbers: Intp = np.concatenate(
            [
                _places(piece, _named(self.actions.pieces, piece.name))
                + self.actions.where(piece.name).start
                for piece in table.actions.pieces
            ]
        )
        self._own_number = np.full(self.actions.size, -1)
        self._own_number[self.numbers] = np.arange(len(self.numbers))

    def observations(self, observations: Array) -> Array:
        """Common observations (..., F'), of the common layout's dtype, of own ones (..., F)."""
        padded = np.zeros((*observations.shape[:-1], self.layout.size), self.layout.dtype)
        padded[..., self.columns] = observations
        return padded

    def masks(self, masks: Array) -> Array:
        """Common masks (..., A'), in their own dtype, of own ones (..., A)."""
        padded = np.zeros((*masks.shape[:-1], self.actions.size), masks.dtype)
        padded[..., self.numbers] = masks
        return padded

    def own_actions(self, actions: Integer) -> Int64:
        """The table's own actions of common ones, in the same shape.

        Raises:
            ValueError: One is no action, or none of this table.
        """
        actions = np.asarray(actions)
        if ((actions < 0) | (actions >= self.actions.size)).any():
            raise ValueError(f"actions must be 0 to {self.actions.size - 1}")
        table_actions: Int64 = self._own_number[actions].astype(np.int64)
        if (table_actions < 0).any():
            missing = int(actions[table_actions < 0].flat[0])
            raise ValueError(f"there is no action {missing} at this table: its mask forbids it")
        return table_actions


# --- pieces -------------------------------------------------------------------------------


def _by_name(pieces: Sequence[Named]) -> dict[str, list[Named]]:
    pieces_by_name: dict[str, list[Named]] = {}
    for piece in pieces:
        pieces_by_name.setdefault(piece.name, []).append(piece)
    return pieces_by_name


def _largest_shape(pieces: Sequence[Piece | ActionPiece]) -> tuple[int, ...]:
    """The length of each axis at the table where it is longest."""
    if len({piece.axes for piece in pieces}) > 1:
        raise ValueError(f"{pieces[0].name!r} has not the same axes at all tables")
    return tuple(map(max, zip(*(piece.shape for piece in pieces), strict=True)))


def _largest(pieces: Sequence[Piece]) -> Piece:
    return replace(
        pieces[0], shape=_largest_shape(pieces), maximum=max(piece.maximum for piece in pieces)
    )


def _largest_block(pieces: Sequence[ActionPiece | SlotPiece]) -> ActionPiece | SlotPiece:
    blocks = [piece for piece in pieces if isinstance(piece, ActionPiece)]
    slots = [piece for piece in pieces if isinstance(piece, SlotPiece)]
    if (blocks and slots) or len({(piece.hand, piece.plays) for piece in slots}) > 1:
        raise ValueError(f"the actions {pieces[0].name!r} are not the same at all tables")
    if slots:
        return max(slots, key=lambda piece: piece.slots)
    return replace(blocks[0], shape=_largest_shape(blocks))


def _symmetry(layouts: Sequence[ObservationLayout]) -> Symmetry | None:
    """The symmetry that all layouts have, with the keys of any of them."""
    symmetries = [layout.symmetry for layout in layouts]
    present = [symmetry for symmetry in symmetries if symmetry is not None]
    if not present:
        return None
    first = present[0]
    if len(present) < len(symmetries) or any(
        (symmetry_of_table.axes, symmetry_of_table.group) != (first.axes, first.group)
        for symmetry_of_table in present
    ):
        raise ValueError("the tables have not the same symmetry")
    if len({layout.length(first.axes[0]) for layout in layouts}) > 1:
        raise ValueError(f"the axes {first.axes} have not the same length at all tables")
    keys = dict.fromkeys(key for symmetry_of_table in present for key in symmetry_of_table.keys)
    return replace(first, keys=tuple(keys))


def _named(pieces: Sequence[Named], name: str) -> Named:
    for piece in pieces:
        if piece.name == name:
            return piece
    raise ValueError(f"the common layouts have no {name!r}")


def _places(piece: Piece | ActionPiece | SlotPiece, common: object) -> Intp:
    """The place within the common piece of each number of a table's own piece."""
    if isinstance(piece, SlotPiece):
        if not isinstance(common, SlotPiece) or common.slots < piece.slots:
            raise ValueError(f"the common layouts have no place for all of {piece.name!r}")
        numbers = {slots: number for number, slots in enumerate(common.choices)}
        return np.array([numbers[slots] for slots in piece.choices], np.intp)
    if (
        not isinstance(common, type(piece))
        or common.axes != piece.axes
        or any(map(int.__lt__, common.shape, piece.shape))
    ):
        raise ValueError(f"the common layouts have no place for all of {piece.name!r}")
    whole = np.arange(common.size).reshape(common.shape)
    places: Intp = whole[tuple(map(slice, piece.shape))].ravel()
    return places
