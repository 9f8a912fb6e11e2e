"""One order for opponents where it does not matter who of them sits where."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents.networks.places import EXACT, columns_of, descending_places, inverse
from kododo_env.core.observation import ObservationLayout


class OpponentOrder(nn.Module):
    """Puts the opponents' entries of every piece with seats in order, by descending key.

    The key is what the layout declares (``ObservationLayout.opponent_keys``), the first piece
    before the second and so on, each summed over its other axes. Opponents with equal keys
    keep their order around the table. One's own seat, the first, stays.

    Args:
        layout: The game's observations.

    Raises:
        ValueError: The layout declares no keys.
    """

    deciding: Tensor
    key: Tensor
    seats: Tensor
    rest: Tensor
    back: Tensor

    def __init__(self, layout: ObservationLayout) -> None:
        super().__init__()
        if not layout.opponent_keys:
            raise ValueError("opponents cannot be sorted: this game does not declare by what")
        names = [piece.name for piece in layout.pieces if "seat" in piece.axes]
        by_seat = np.concatenate([_by_seat(layout, name) for name in names], axis=1)[1:]
        rest = np.setdiff1d(np.arange(layout.size), by_seat)
        back = np.argsort(np.concatenate([rest, by_seat.ravel()]))
        key = _key_matrix(layout, len(by_seat))
        deciding = np.flatnonzero(key.any(axis=1))
        tables = {"deciding": deciding, "key": key[deciding]}
        tables |= {"seats": by_seat, "rest": rest, "back": back}
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table), persistent=False)

    def forward(self, numbers: Tensor) -> Tensor:
        """The observations, float32 (B, F), with the opponents in order."""
        deciding = columns_of(numbers, self.deciding).to(torch.float64)
        order = inverse(descending_places(deciding @ self.key))
        seats = self.seats.index_select(0, order.flatten()).view(numbers.shape[0], -1)
        sorted_ = torch.cat([columns_of(numbers, self.rest), numbers.gather(1, seats)], dim=1)
        return columns_of(sorted_, self.back)


def _by_seat(layout: ObservationLayout, name: str) -> npt.NDArray[np.int64]:
    """The columns of a piece, by seat: (P, all else)."""
    columns = layout.views(np.arange(layout.size))[name]
    seats_first = np.moveaxis(columns, layout.piece(name).axes.index("seat"), 0)
    return seats_first.reshape(len(seats_first), -1)


def _key_matrix(layout: ObservationLayout, opponents: int) -> npt.NDArray[np.float64]:
    """What each number of an observation adds to the key of each opponent; (F, P - 1)."""
    key = np.zeros((layout.size, opponents))
    scale = 1  # more than all the pieces that come after can add up to
    for name in reversed(layout.opponent_keys):
        columns = _by_seat(layout, name)
        for opponent in range(opponents):
            key[columns[opponent + 1], opponent] = scale
        scale *= 1 + layout.piece(name).maximum * columns.shape[1]
    if scale > EXACT:
        raise ValueError(f"the keys {layout.opponent_keys} are too large to be added exactly")
    return key
