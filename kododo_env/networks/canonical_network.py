"""A network over canonical observations as one over plain observations, in tensor operations."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from kododo_env.core.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.core.observation import ObservationLayout
from kododo_env.networks.canonical import Canonical


class CanonicalNetwork(nn.Module):
    """Gives a network canonical observations, and its logits back to the game's own actions.

    With it a network that learned with ``canonical=True`` takes plain observations, and so can be
    exported; and one that learns behind it from plain observations is given canonical ones.

    Args:
        network: From canonical observations (B, F) float32 to the logits of canonical actions
            (B, A), or to these and values.
        layout: The game's observations.
        actions: The game's actions.
    """

    offsets: Tensor
    earlier: Tensor
    pairs: Tensor

    def __init__(
        self, network: nn.Module, layout: ObservationLayout, actions: ActionLayout
    ) -> None:
        super().__init__()
        self.network = network
        self.actions = actions
        self.canonical = Canonical(layout, actions, np.arange(layout.size))
        slots = self.canonical.num_slots
        pairs = np.zeros((slots, slots), np.int64)
        for piece in actions.pieces:
            if isinstance(piece, SlotPiece) and piece.plays == 2:
                for number, (lower, higher) in enumerate(piece.choices):
                    pairs[[lower, higher], [higher, lower]] = number
        tables = {
            "offsets": _offsets(actions),
            "earlier": np.tril(np.ones((slots, slots), np.int64), -1),
            "pairs": pairs.ravel(),
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table), persistent=False)

    def forward(self, observation: Tensor) -> tuple[Tensor, ...]:
        """Logits (B, A) of the game's own actions and, if the network gives any, values."""
        ordered, entries = self.canonical(observation)
        answers = self.network(ordered)
        logits, *values = answers if isinstance(answers, tuple | list) else (answers,)
        return logits.gather(1, self.numbers(observation, entries)), *values

    def numbers(self, observation: Tensor, entries: Tensor) -> Tensor:
        """The canonical number of each action, int64 (B, A).

        Args:
            observation: Plain observations, (B, F).
            entries: The entries of ``Canonical`` for them.
        """
        first_type = self.canonical.first_type
        by_axis = entries[:, :first_type] + self.offsets
        places = self._slots(observation, entries[:, first_type:] - first_type)
        parts = []
        column, first = 0, 0
        for piece in self.actions.pieces:
            if isinstance(piece, ActionPiece):
                parts.append(by_axis[:, column : column + piece.size])
                column += piece.size
            elif piece.plays == 1:
                parts.append(first + places[:, : piece.slots])
            else:
                lower, higher = np.array(piece.choices).T.tolist()
                pair = places[:, lower] * self.canonical.num_slots + places[:, higher]
                parts.append(first + self.pairs[pair])
            first += piece.size
        return torch.cat(parts, dim=1)

    def _slots(self, observation: Tensor, types: Tensor) -> Tensor:
        """The canonical slot of each slot, (B, slots), by the canonical types of their cards.

        Empty slots come last, and equal cards keep their order.
        """
        hand = self.canonical.hand
        if hand is None:
            return types
        held = observation[:, self.canonical.layout.where(hand.name)].to(torch.int64)
        slots = torch.arange(self.canonical.num_slots, device=types.device)
        empty = slots >= held.sum(dim=1, keepdim=True)
        keys = torch.where(empty, torch.full_like(types, hand.size), types)
        before = keys[:, None, :] < keys[:, :, None] + self.earlier
        return before.to(torch.int64).sum(dim=2)


def _offsets(actions: ActionLayout) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """What an action's number is above its place among the actions without slots."""
    found: list[int] = []
    first = 0
    for piece in actions.pieces:
        if isinstance(piece, ActionPiece):
            found += [first - len(found)] * piece.size
        first += piece.size
    return np.array(found, np.int64)
