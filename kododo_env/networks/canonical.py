"""Canonical form in torch, for policy files and GPUs.

``kododo_env.layouts.canonical`` explains canonical form and is the reference implementation. The
modules here also find the entry of a network's raw output for each action. They have no learned
weights.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from kododo_env.arrays.dtypes import Array, Float32, Int64
from kododo_env.layouts.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.layouts.canonical import (
    NO_SYMMETRY,
    hand_piece,
    interchangeable,
    key_matrix,
    num_entries,
    places_of,
)
from kododo_env.layouts.observation import ObservationLayout, Piece, Symmetry


class Canonical(nn.Module):
    """A module that converts observations to canonical form and locates actions in a raw output.

    A network's raw output has one number for each action of the ``ActionPiece`` blocks. If cards
    are played by slot, one number for each type of card follows; and if the layout also has a
    symmetry, one number for each pair of its interchangeable entries.

    Args:
        layout: The game's observation layout.
        actions: The game's action layout.
        columns: The columns of an observation to return, as indices, which may repeat. None returns
            all columns, in an internal order.

    Attributes:
        columns: The columns of a canonical observation that are returned, in order; int64.
    """

    def __init__(
        self, layout: ObservationLayout, actions: ActionLayout, columns: Int64 | None = None
    ) -> None:
        super().__init__()
        symmetry = layout.symmetry or NO_SYMMETRY
        self.layout = layout
        self.group = symmetry.group
        self.entries = num_entries(layout)
        slots = [piece for piece in actions.pieces if isinstance(piece, SlotPiece)]
        self.hand = hand_piece(layout, actions)
        self.num_slots = max((piece.slots for piece in slots), default=0)
        targets = [np.zeros((1 + self.entries, 0), np.float32)]
        for piece in actions.pieces:
            if isinstance(piece, ActionPiece):
                first = sum(table.shape[1] for table in targets)
                targets.append(_places(piece, symmetry, first, self.entries))
        target = np.concatenate(targets, axis=1)
        self.first_type = target.shape[1]
        self.first_pair = self.first_type + (self.hand.size if self.hand else 0)
        self.num_outputs = self.first_pair + (self.entries**2 if self.hand and self.group else 0)
        blocks = _blocks(layout, symmetry)
        self.blocks = [(axes, len(block_columns)) for axes, block_columns in blocks]
        by_block = np.concatenate([block_columns for _, block_columns in blocks])
        self.selects = columns is not None
        columns = by_block if columns is None else columns
        self.by_block = constant(by_block)
        self.columns = constant(columns)
        self.chosen = constant(by_block.argsort()[columns])
        self.target = constant(target)
        self.key = constant(key_matrix(layout).T.copy())
        if self.hand:
            type_target = _places(self.hand, symmetry, self.first_type, self.entries)
            self.type_target = constant(type_target)
        if self.group == "rotations":
            self._register_turns()

    def _register_turns(self) -> None:
        """Tabulate each rotation by the entry that it puts first."""
        entries = np.arange(self.entries)
        turns = torch.from_numpy((entries - entries[:, None]) % self.entries)
        columns = np.tile(np.arange(self.layout.size, dtype=np.float32), (self.entries, 1))
        turned = self._in_order(torch.from_numpy(columns), arrangement(turns)).to(torch.int64)
        self.turns = nn.Buffer(turns, persistent=False)
        self.turned = nn.Buffer(turned, persistent=False)
        self.turned_target = nn.Buffer(_apply(self.target, turns), persistent=False)

    def forward(self, observation: Tensor, canonical: bool = False) -> tuple[Tensor, Tensor]:
        """Convert observations (B, F).

        Args:
            observation: Observations of any dtype, (B, F).
            canonical: Whether observations and actions are in canonical form already.

        Returns:
            Canonical observations, float32, with a column for each of ``columns``; and the indices
            in the raw output, int64 (B, K), of the K actions of ``ActionPiece`` blocks and slots of
            the hand.
        """
        numbers = observation.to(torch.float32)
        if canonical:
            return self._unchanged(numbers)
        key = (self.key @ numbers.to(torch.float64).T).T
        if self.group == "rotations":  # few enough to tabulate
            first = key.argmax(dim=1)
            tables = self.turns, self.turned_target, self.turned
            rank, entries, turned = (table.index_select(0, first) for table in tables)
            ordered = numbers.gather(1, turned)
        else:
            rank = descending_places(key)
            entries = _apply(self.target, rank)
            ordered = self._in_order(numbers, arrangement(rank))
        if self.hand is not None:
            entries = torch.cat([entries, self._slots(numbers, rank)], dim=1)
        return ordered, entries

    def _unchanged(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """Compute ``forward`` for observations in canonical form."""
        places = torch.arange(self.entries, device=numbers.device).expand(numbers.shape[0], -1)
        entries = _apply(self.target, places)
        if self.hand is not None:
            entries = torch.cat([entries, self._slots(numbers, places)], dim=1)
        return columns_of(numbers, self.columns), entries

    def _in_order(self, numbers: Tensor, by: Tensor) -> Tensor:
        """Return the numbers in the order of ``columns``, with entries in canonical places."""
        entries = self.entries
        numbers = columns_of(numbers, self.by_block)
        parts = []
        start = 0
        for axes, width in self.blocks:
            part = numbers[:, start : start + width]
            for _ in range(axes):  # the interchangeable axis comes first
                part = arranged(part.reshape(-1, width // entries), by)
                if axes == 2:  # for the second axis; the second transpose restores the order
                    part = part.reshape(-1, entries, entries, width // entries**2).transpose(1, 2)
            parts.append(part.reshape(-1, width))
            start += width
        ordered = torch.cat(parts, dim=1)
        return columns_of(ordered, self.chosen) if self.selects else ordered

    def _slots(self, numbers: Tensor, rank: Tensor) -> Tensor:
        """Return the entry of the raw output for the card in each slot, (B, slots)."""
        assert self.hand is not None
        passed = numbers[:, self.layout.where(self.hand.name)].cumsum(dim=1)
        slots = torch.arange(self.num_slots, device=passed.device, dtype=passed.dtype)
        # Slot s holds the first type up to which more than s cards have been counted.
        card = count_not_above(passed, slots).clamp(
            max=self.hand.size - 1
        )  # any card for empty slots
        return _apply(self.type_target, rank).gather(1, card)


def constant(numbers: Array) -> nn.Buffer:
    """Return numbers as a part of a module that moves with it, but is not among its weights."""
    return nn.Buffer(torch.from_numpy(numbers), persistent=False)


def _places(piece: Piece | ActionPiece, symmetry: Symmetry, first: int, entries: int) -> Float32:
    """Return ``places_of`` in float32, which is exact for these numbers, for matrix products."""
    return places_of(piece, symmetry, first, entries).astype(np.float32)


def _apply(table: Tensor, places: Tensor) -> Tensor:
    """Compute canonical places (B, size) from a table of ``places_of`` and the entries' places."""
    return torch.addmm(table[0], places.to(torch.float32), table[1:]).to(torch.int64)


def _blocks(layout: ObservationLayout, symmetry: Symmetry) -> list[tuple[int, Int64]]:
    """Group the columns by number of interchangeable axes, which become the first axes."""
    parts_by_axes: list[list[Int64]] = [[], [], []]
    columns = layout.views(np.arange(layout.size))
    for piece in layout.pieces:
        axes = interchangeable(piece, symmetry)
        moved = np.moveaxis(columns[piece.name], axes, range(len(axes)))
        parts_by_axes[len(axes)].append(moved.reshape(*moved.shape[: len(axes)], -1))
    return [
        (num_axes, np.concatenate(parts, -1).ravel())
        for num_axes, parts in enumerate(parts_by_axes)
        if parts
    ]


# --- places in an order -------------------------------------------------------------------
# During export, these functions use only operators that policy files may contain.


def descending_places(key: Tensor) -> Tensor:
    """Return the place of each entry in descending order of keys; equal keys keep their order.

    Args:
        key: The keys of C entries, integers of any dtype, (B, C).

    Returns:
        The places from 0, int64 (B, C).
    """
    entries = key.shape[1]
    entry_key = key[:, :, None]
    rival_key = key[:, None, :]
    # Keys are whole: with 1 added, a later entry precedes only if its key is strictly larger.
    before = rival_key >= entry_key + torch.ones(entries, entries, device=key.device).triu()
    return before.sum(dim=2)


def arrangement(places: Tensor) -> Tensor:
    """Convert the places of entries, int64 (B, C), to the argument ``by`` of ``arranged``."""
    batch, entries = (torch.arange(length, device=places.device) for length in places.shape)
    if torch.compiler.is_exporting():  # products with 0 and 1 are exact
        return (places[:, None, :] == entries[:, None]).to(torch.float32)
    order = torch.empty_like(places).scatter_(1, places, entries.expand_as(places))
    return (batch[:, None] * len(entries) + order).flatten()


def arranged(rows: Tensor, by: Tensor) -> Tensor:
    """Sort the rows of entries, (B * C, W), by the entries' places.

    Args:
        rows: One row per entry.
        by: The result of ``arrangement``.
    """
    if torch.compiler.is_exporting():
        return (by @ rows.reshape(-1, by.shape[1], rows.shape[1])).flatten(0, 1)
    return rows.index_select(0, by)


def count_not_above(ascending: Tensor, bounds: Tensor) -> Tensor:
    """Count the numbers of each row that are at most each bound.

    Args:
        ascending: Sorted rows, (B, F).
        bounds: The bounds, (K,).

    Returns:
        The counts, int64 (B, K).
    """
    if torch.compiler.is_exporting():
        not_above = ascending[:, None, :] <= bounds[None, :, None]
        return not_above.to(torch.float32).sum(dim=2).to(torch.int64)
    bounds = bounds.expand(len(ascending), -1).contiguous()
    return torch.searchsorted(ascending, bounds, right=True)


def columns_of(numbers: Tensor, columns: Tensor) -> Tensor:
    """Return ``numbers[:, columns]``, except during export by ``index_select``."""
    if torch.compiler.is_exporting():
        return numbers[:, columns]
    return numbers.index_select(1, columns)


class CanonicalActions(nn.Module):
    """A module that converts observations and the numbers of actions to canonical form.

    Args:
        layout: The game's observation layout.
        actions: The game's action layout.
    """

    def __init__(self, layout: ObservationLayout, actions: ActionLayout) -> None:
        super().__init__()
        self.actions = actions
        self.canonical = Canonical(layout, actions, np.arange(layout.size))

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Convert observations (B, F).

        Returns:
            Canonical observations, float32 (B, F), in the layout's order; and for each action the
            number of its canonical action, int64 (B, A). ``logits.gather(1, numbers)`` converts
            the logits of canonical actions to logits of the game's actions.
        """
        ordered, entries = self.canonical(observation)
        parts = []
        entry = 0
        start = 0
        for piece in self.actions.pieces:
            if isinstance(piece, ActionPiece):
                parts.append(entries[:, entry : entry + piece.size] + (start - entry))
                entry += piece.size
            else:
                places = self._slot_places(observation, entries[:, self.canonical.first_type :])
                parts.append(start + self._played(piece, places[:, : piece.slots]))
            start += piece.size
        return ordered, torch.cat(parts, dim=1)

    def _slot_places(self, observation: Tensor, types: Tensor) -> Tensor:
        """Return the canonical place of each slot of the hand, (B, slots); empty slots are last."""
        hand = self.canonical.hand
        assert hand is not None
        cards = observation[:, self.canonical.layout.where(hand.name)].to(torch.float32)
        slots = torch.arange(types.shape[1], device=types.device, dtype=torch.float32)
        empty = (slots >= cards.sum(dim=1, keepdim=True)).to(torch.float32)
        # Equal cards keep their order: no two slots have the same key.
        last_type = self.canonical.first_type + hand.size
        keys = (types.to(torch.float32) + empty * last_type) * types.shape[1] + slots
        return (keys[:, None, :] < keys[:, :, None]).to(torch.float32).sum(dim=2)

    def _played(self, piece: SlotPiece, places: Tensor) -> Tensor:
        """Return the action, within its block, that plays the slots at these places; int64."""
        if piece.plays == 1:
            return places.to(torch.int64)
        first, second = np.array(piece.choices).T
        ends = [columns_of(places, torch.from_numpy(end)) for end in (first, second)]
        lower = torch.minimum(*ends)
        higher = torch.maximum(*ends)
        # Count the pairs that begin before ``lower``, then those that begin with it.
        before = lower * (2 * piece.slots - lower - 1) / 2
        return (before + higher - lower - 1).to(torch.int64)
