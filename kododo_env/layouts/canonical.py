"""The canonical form of observations, masks and actions.

If the colours of a game are interchangeable, renaming the colours of a position gives an equivalent
position. All equivalent positions have the same canonical form, in which the entries of the
interchangeable axes are sorted by a key, and the slots of the hand by the canonical order of their
cards. The form is derived from the layouts that a game declares.
"""

from __future__ import annotations

from itertools import permutations
from math import factorial
from typing import NamedTuple

import numpy as np

from kododo_env.arrays.dtypes import Array, Float64, Int64, Intp
from kododo_env.layouts.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.layouts.observation import ObservationLayout, Piece, Symmetry

EXACT = 1 << 53  # keys are float64, which adds integers up to this without rounding
FINE = (99_991, 9_973, 997, 97, 13)  # bounds of the tie-breaking coefficients, tried in order
NO_SYMMETRY = Symmetry((), "", ())
MOST_ARRANGEMENTS = 720  # the largest table of arrangements: all permutations of 6 entries
CHUNK = 1024  # rows whose indices stay in the processor's cache


class CanonicalRows(NamedTuple):
    """Observations and masks in canonical form, and the map from canonical to plain actions.

    Attributes:
        observations: Shape (B, F), dtype as in the plain observations.
        masks: The legal canonical actions, (B, A), dtype as in the plain masks.
        actions: The plain action of each canonical action, (B, A) intp.
    """

    observations: Array
    masks: Array
    actions: Intp


class _Arrangements(NamedTuple):
    """The effect of K orders of the entries on columns, actions and types of card."""

    columns: Intp  # the plain column of each canonical column, (K, F)
    actions: Intp  # the plain action of each canonical action in blocks without slots, (K, A)
    types: Intp  # the canonical type of each plain type of card, (K, types)


class CanonicalForm:
    """A converter of a game's observations, masks and actions to canonical form.

    Args:
        layout: The game's observations.
        actions: The game's actions.

    Raises:
        ValueError: Cards are played from several hands, or a piece has more than two
            interchangeable axes.
    """

    def __init__(self, layout: ObservationLayout, actions: ActionLayout) -> None:
        self._layout = layout
        self._actions = actions
        self._symmetry = layout.symmetry or NO_SYMMETRY
        self._entries = num_entries(layout)
        self._hand = hand_piece(layout, actions)
        self._key = key_matrix(layout)
        self._target = np.concatenate(
            [
                places_of(piece, self._symmetry, layout.where(piece.name).start, self._entries)
                for piece in layout.pieces
            ],
            axis=1,
        )
        self._slot_pieces = [piece for piece in actions.pieces if isinstance(piece, SlotPiece)]
        self._num_slots = max((piece.slots for piece in self._slot_pieces), default=0)
        self._choices = {piece.name: np.array(piece.choices) for piece in self._slot_pieces}
        self._pairs = {
            piece.name: _pair_numbers(piece) for piece in self._slot_pieces if piece.plays == 2
        }
        orders = _orders(self._symmetry.group, self._entries)
        self._table = None if orders is None else self._arrangements(orders)
        self._number_of_code = None
        if orders is not None and self._symmetry.group == "permutations":
            self._number_of_code = _numbers_of_codes(orders)

    def __call__(self, observations: Array, masks: Array) -> CanonicalRows:
        """Return rows in canonical form.

        Args:
            observations: Shape (B, F), contiguous rows of the layout's numbers.
            masks: The legal actions, shape (B, A), bool or int8.
        """
        parts = [
            self._rows(observations[start : start + CHUNK], masks[start : start + CHUNK])
            for start in range(0, max(1, len(observations)), CHUNK)
        ]
        if len(parts) == 1:
            return parts[0]
        return CanonicalRows(*map(np.concatenate, zip(*parts, strict=True)))

    def _rows(self, observations: Array, masks: Array) -> CanonicalRows:
        key = np.ascontiguousarray((observations.astype(np.float64) @ self._key).T)
        if self._table is None:
            arrangements = self._arrangements(_descending_places(key))
            numbers = np.arange(len(observations))
        else:
            arrangements = self._table
            numbers = self._numbers(key)
        actions = arrangements.actions.take(numbers, axis=0)
        if self._hand is not None:
            order = self._slot_order(observations, arrangements.types, numbers)
            self._fill_slot_actions(actions, order)
        columns = arrangements.columns.take(numbers, axis=0)
        return CanonicalRows(
            _take_columns(observations, columns),
            np.take_along_axis(masks, actions, axis=1),
            actions,
        )

    def _numbers(self, key: Float64) -> Intp:
        """Return the index of each row's arrangement in the table, (B,), from keys (C, B)."""
        if self._number_of_code is None:
            return key.argmax(axis=0)
        return self._number_of_code.take(_code(key))

    def _arrangements(self, orders: Intp) -> _Arrangements:
        """Return the arrangements of orders (K, C), each of which has the place of every entry."""
        size = self._actions.size
        actions = np.tile(np.arange(size), (len(orders), 1))
        start = 0
        for piece in self._actions.pieces:
            if isinstance(piece, ActionPiece):
                table = places_of(piece, self._symmetry, start, self._entries)
                actions[:, start : start + piece.size] = start + _inverse(
                    _applied(table, orders) - start
                )
            start += piece.size
        types = np.zeros((len(orders), 0), np.intp)
        if self._hand is not None:
            types = _applied(places_of(self._hand, self._symmetry, 0, self._entries), orders)
        return _Arrangements(_inverse(_applied(self._target, orders)), actions, types)

    def _fill_slot_actions(self, actions: Intp, order: Intp) -> None:
        """Fill in the plain action of each canonical action that plays from slots, (B, A).

        ``order`` is the plain slot of each canonical slot, (slots, B).
        """
        for piece in self._slot_pieces:
            first = self._actions.where(piece.name).start
            slots = order[self._choices[piece.name].T]
            numbers = slots[0] if piece.plays == 1 else self._pairs[piece.name][tuple(slots)]
            actions[:, first : first + piece.size] = first + numbers.T

    def _slot_order(self, observations: Array, types: Intp, numbers: Intp) -> Intp:
        """Return the plain slot of each canonical slot, (slots, B); empty slots are last."""
        assert self._hand is not None
        hand = np.ascontiguousarray(observations[:, self._layout.where(self._hand.name)].T)
        counted = np.cumsum(hand, axis=0, dtype=hand.dtype)
        slots = range(self._num_slots)
        number = np.min_scalar_type(len(hand))
        # Slot s holds the first type whose running count exceeds s.
        cards = [np.add.reduce(counted <= slot, axis=0, dtype=number) for slot in slots]
        empty = types.shape[1]
        types = np.concatenate([types, np.full((len(types), 1), empty)], axis=1)
        keys = [types[numbers, card] for card in cards]
        rows = np.arange(len(observations))
        order = np.empty((self._num_slots, len(observations)), np.intp)
        for slot in slots:
            place = np.zeros(len(observations), np.uint8)  # there are at most 255 slots
            for rival in slots:
                if rival < slot:
                    place += keys[rival] <= keys[slot]
                elif rival > slot:
                    place += keys[rival] < keys[slot]
            order[place, rows] = slot
        return order


# --- derived from the layouts -------------------------------------------------------------


def num_entries(layout: ObservationLayout) -> int:
    """Return C, the length of the interchangeable axes; 1 without a symmetry."""
    if layout.symmetry is None or not layout.symmetry.axes:
        return 1
    return layout.length(layout.symmetry.axes[0])


def hand_piece(layout: ObservationLayout, actions: ActionLayout) -> Piece | None:
    """Return the piece that counts the cards played by slot; None without such actions.

    Raises:
        ValueError: There are several such pieces.
    """
    hands = {piece.hand for piece in actions.pieces if isinstance(piece, SlotPiece)}
    if len(hands) > 1:
        raise ValueError(f"cards can be played from one hand only, not from {sorted(hands)}")
    return layout.piece(hands.pop()) if hands else None


def interchangeable(piece: Piece | ActionPiece, symmetry: Symmetry) -> list[int]:
    """Return the indices of the interchangeable axes of a piece.

    Raises:
        ValueError: There are more than two.
    """
    axes = [number for number, axis in enumerate(piece.axes) if axis in symmetry.axes]
    if len(axes) > 2:
        raise ValueError(f"{piece.name!r} has more than two interchangeable axes")
    return axes


def places_of(piece: Piece | ActionPiece, symmetry: Symmetry, first: int, entries: int) -> Int64:
    """Return how the canonical position of each number depends on the ranks of the C entries.

    The position is linear in the ranks of the entries along the interchangeable axes.

    Returns:
        Coefficients, shape (1 + C, size). Row 0 is the constant term, from ``first`` and the axes
        that are not interchangeable; row 1 + c has the factors of the rank of entry c.
    """
    table = np.zeros((1 + entries, piece.size), np.int64)
    table[0] = first
    for axis, index in enumerate(np.indices(piece.shape)):
        stride = int(np.prod(piece.shape[axis + 1 :]))
        if axis in interchangeable(piece, symmetry):
            table[1 + index.ravel(), np.arange(piece.size)] += stride
        else:
            table[0] += stride * index.ravel()
    return table


def key_matrix(layout: ObservationLayout) -> Float64:
    """Return the weight of each number of an observation in the key of each entry; shape (F, C).

    The declared key pieces decide first. All other pieces break ties through coefficients that
    differ but do not depend on the entry, so that entries with equal keys are equivalent.
    All weights are integers, small enough that float64 adds them exactly in any order.

    Raises:
        ValueError: The weights are too large to be added exactly.
    """
    symmetry = layout.symmetry or NO_SYMMETRY

    def largest(key: Int64) -> int:
        return int((key * layout.maxima[:, None]).sum(axis=0).max())

    for fine in FINE:
        rng = np.random.default_rng(0)
        key = np.zeros((layout.size, num_entries(layout)), np.int64)
        for piece in layout.pieces:
            axes = interchangeable(piece, symmetry)
            lengths = [1 if axis in axes else length for axis, length in enumerate(piece.shape)]
            for axis in axes:
                coefficients = rng.integers(1, fine + 1, lengths)
                key[layout.where(piece.name)] += _by_entry(piece, axis, coefficients)
        for name in reversed(symmetry.keys):
            piece = layout.piece(name)
            scale = 1 + largest(key)
            # On a seat axis only the first entry, the player's own, counts.
            decides = np.ones((), np.int64)
            if "seat" in piece.axes:
                decides = (np.indices(piece.shape)[piece.axes.index("seat")] == 0).astype(np.int64)
            axis = interchangeable(piece, symmetry)[0]
            key[layout.where(name)] += scale * _by_entry(piece, axis, decides)
        if largest(key) < EXACT:
            return key.astype(np.float64)
    raise ValueError(f"the values of the keys {symmetry.keys} are too large to be sorted exactly")


def _by_entry(piece: Piece, axis: int, numbers: Int64) -> Int64:
    """Put a number for each place of a piece into the column of the place's entry: (size, C)."""
    entry = np.indices(piece.shape)[axis].reshape(-1, 1)
    number = np.broadcast_to(numbers, piece.shape).reshape(-1, 1)
    return np.where(entry == np.arange(piece.shape[axis]), number, 0)


# --- orders of the entries ------------------------------------------------------------------


def _orders(group: str, entries: int) -> Intp | None:
    """Return all orders that a symmetry allows, (K, C), each the place of every entry.

    None if there are too many for a table.
    """
    if group == "rotations":
        first = np.arange(entries)[:, None]
        return (np.arange(entries) - first) % entries
    if group == "permutations" and factorial(entries) > MOST_ARRANGEMENTS:
        return None
    if group == "permutations":
        return np.array(list(permutations(range(entries))))
    return np.zeros((1, 1), np.intp)


def _descending_places(key: Float64) -> Intp:
    """Return the place of each entry by descending key, (B, C), for keys (C, B); stable."""
    order = np.argsort(-key, axis=0, kind="stable")
    return _inverse(order.T)


def _code(key: Float64) -> Intp:
    """Encode the pairwise comparisons of the keys of each row, (C, B), as a number: (B,)."""
    code = np.zeros(key.shape[1], np.intp)
    for later in range(len(key)):
        for earlier in range(later):
            code += code
            code += key[earlier] >= key[later]
    return code


def _numbers_of_codes(orders: Intp) -> Intp:
    """Return the index of the order of each code; 0 for codes without an order."""
    codes = _code(-orders.T.astype(np.float64))
    numbers = np.zeros(codes.max() + 1, np.intp)
    numbers[codes] = np.arange(len(orders))
    return numbers


def _applied(table: Int64, orders: Intp) -> Intp:
    """Apply a table of ``places_of`` to orders (K, C): canonical places (K, size)."""
    return table[0] + orders @ table[1:]


def _inverse(places: Intp) -> Intp:
    """Invert each row, a permutation."""
    inverse = np.empty_like(places)
    np.put_along_axis(inverse, places, np.arange(places.shape[1])[None], axis=1)
    return inverse


def _pair_numbers(piece: SlotPiece) -> Intp:
    """Return the number of each pair of slots within its block, (slots, slots)."""
    numbers = np.zeros((piece.slots, piece.slots), np.intp)
    for number, (lower, higher) in enumerate(piece.choices):
        numbers[lower, higher] = number
        numbers[higher, lower] = number
    return numbers


def _take_columns(rows: Array, columns: Intp) -> Array:
    """Take columns (B, F) from rows (B, F); overwrites ``columns``."""
    columns += np.arange(0, rows.size, rows.shape[1])[:, None]
    return np.ascontiguousarray(rows).ravel().take(columns)
