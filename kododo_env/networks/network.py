"""The network of the shipped policies, for any game."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from kododo_env.arrays.dtypes import Int64
from kododo_env.layouts.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.layouts.observation import ObservationLayout, Piece
from kododo_env.networks.canonical import Canonical, columns_of, constant
from kododo_env.networks.tied_network import Embeddings, Encoders, Heads, raw_blocks
from kododo_env.policy.onnx_graph import ILLEGAL

LARGEST_LOGIT = 1e7  # with larger ones, an illegal action might be the most probable
# Arguments of GameNetwork apart from the layouts.
SETTINGS = ("width", "depth", "one_hot", "tied")
FEW_NUMBERS = 8  # observation pieces with more numbers are not encoded one-hot


class DivergenceError(ValueError):
    """Training has diverged: the network outputs NaN, infinite or too large values."""


class GameNetwork(nn.Module):
    """A network with a policy head and a value head on a shared trunk of canonical observations.

    An action that plays the card in a slot gets the logit of the card's type. An action that plays
    two slots gets the sum of both logits and a term for the pair of colours. Therefore logits do
    not depend on the order of cards in the slots.

    Args:
        layout: The game's observation layout; its maxima determine the scaling of inputs.
        actions: The game's action layout.
        width: Width of the hidden layers.
        depth: Number of hidden layers.
        one_hot: Observation pieces are also encoded one-hot if they have at most ``FEW_NUMBERS``
            numbers and a maximum from 2 to ``one_hot``. 0 encodes none.
        tied: Whether to share weights between the entries of the layout's ``tied_axes``; see
            ``kododo_env.networks.tied_network``. Embeddings then have length ``width // 4``.
            If False, the trunk gets the whole observation, and the policy head is one layer.
        canonical_input: Whether ``forward`` takes observations in canonical form and returns
            logits of canonical actions (see ``kododo_env.layouts.canonical``).

    Attributes:
        settings: The arguments apart from the layouts, by name.

    Raises:
        ValueError: ``tied`` is True, and the layout has no ``tied_axes`` or one inside several
            others.
    """

    def __init__(
        self,
        layout: ObservationLayout,
        actions: ActionLayout,
        width: int,
        depth: int,
        one_hot: int = 0,
        tied: bool = False,
        canonical_input: bool = False,
    ) -> None:
        super().__init__()
        self.canonical_input = canonical_input
        values = (width, depth, one_hot, tied)
        self.settings: dict[str, Any] = dict(zip(SETTINGS, values, strict=True))
        self.actions = actions
        self.encoders = Encoders(layout, max(1, width // 4)) if tied else None
        level_columns, levels = _levels(layout, one_hot)
        if self.encoders is None:
            inputs = layout.size
            self.canonical = Canonical(layout, actions)
            columns = self.canonical.columns.numpy()
            places = columns.argsort()[level_columns]
        else:
            inputs = self.encoders.size
            columns = self.encoders.columns
            self.canonical = Canonical(layout, actions, np.append(columns, level_columns))
            places = len(columns) + np.arange(len(levels))
        self.scale = constant((1 / np.sqrt(layout.maxima[columns])).astype(np.float32))
        self.level_columns = constant(places)
        self.levels = constant(levels.astype(np.float32))
        sizes = [inputs + len(self.levels)] + [width] * depth
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(sizes):
            layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)
        self.policy_head: nn.Module
        if self.encoders is None:
            self.policy_head = nn.Linear(width, self.canonical.num_outputs)
        else:
            blocks = raw_blocks(self.canonical, actions.pieces)
            self.policy_head = Heads(blocks, self.encoders, width)
        self.value_head = nn.Linear(width, 1)
        self._initialise()

    def _initialise(self) -> None:
        """Use orthogonal weights with a small last layer of the policy, as is usual for PPO."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.orthogonal_(module.weight, 2**0.5)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for module in self._last_layers():
            nn.init.orthogonal_(module.weight, 0.01)
        nn.init.orthogonal_(self.value_head.weight, 1.0)

    def _last_layers(self) -> list[nn.Linear]:
        """Return the last layers of the policy."""
        if isinstance(self.policy_head, Heads):
            return self.policy_head.last_layers()
        assert isinstance(self.policy_head, nn.Linear)
        return [self.policy_head]

    def hidden_matrices(self) -> list[Tensor]:
        """Return all weight matrices except those of the heads' last layers."""
        last = {id(layer.weight) for layer in (*self._last_layers(), self.value_head)}
        return [
            parameter
            for parameter in self.parameters()
            if parameter.ndim == 2 and id(parameter) not in last
        ]

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Compute logits (B, A), also of illegal actions, and values (B,), both float32.

        Args:
            observation: Observations of any dtype, (B, F), canonical with ``canonical_input``.
        """
        return self.from_canonical(*self.canonical(observation, self.canonical_input))

    def from_canonical(
        self, observation: Tensor, entries: Tensor, bfloat16: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Compute logits (B, A) and values (B,), both float32.

        Args:
            observation: Canonical observations from ``self.canonical``, float32.
            entries: The indices in the raw output from ``self.canonical``, int64 (B, K).
            bfloat16: Whether to multiply matrices in bfloat16.
        """
        if bfloat16 and self.encoders is None:
            raw_and_value = self._in_bfloat16(observation)
            return self._logits(raw_and_value, entries), raw_and_value[:, -1]
        with torch.autocast(observation.device.type, torch.bfloat16, enabled=bfloat16):
            inputs, embeddings = self._inputs(observation)
            hidden = self.trunk(inputs)
            raw = self.policy_head(hidden, *embeddings)
        value = self.value_head(hidden.to(torch.float32)).squeeze(1)
        return self._logits(raw.to(torch.float32), entries), value

    def _in_bfloat16(self, observation: Tensor) -> Tensor:
        """Return the raw output and, as its last column, the value; float32 (B, outputs + 1)."""
        hidden = self._inputs(observation)[0].to(torch.bfloat16)
        for layer in self.trunk:
            if isinstance(layer, nn.Linear):  # the other layers are ReLUs
                weight, bias = (
                    parameter.to(torch.bfloat16) for parameter in (layer.weight, layer.bias)
                )
                hidden = functional.linear(hidden, weight).add_(bias).relu_()
        heads = (self.policy_head, self.value_head)
        weight, bias = (
            torch.cat([getattr(head, name) for head in heads]) for name in ("weight", "bias")
        )
        return functional.linear(hidden, weight.to(torch.bfloat16)).to(torch.float32) + bias

    def _inputs(self, observation: Tensor) -> tuple[Tensor, list[Embeddings]]:
        """Return the trunk's inputs, (B, inputs), and the heads' embeddings; float32."""
        embeddings = []
        if self.encoders is None:
            parts = [observation * self.scale]
            level_numbers = columns_of(observation, self.level_columns)
        else:  # the ``level_columns`` are last
            numbers, level_numbers = observation.tensor_split([len(self.scale)], dim=1)
            parts, encoded = self.encoders(numbers * self.scale)
            embeddings.append(encoded)
        if len(self.levels) > 0:
            parts.append((level_numbers == self.levels).to(torch.float32))
        return torch.cat(parts, dim=1), embeddings

    def _logits(self, raw: Tensor, entries: Tensor) -> Tensor:
        """Return the logits of the actions, in their order, from the raw output."""
        first_type = self.canonical.first_type
        logits = raw.gather(1, entries)
        if self.canonical.hand is None:
            return logits
        slots = entries[:, first_type:]
        by_slot = logits[:, first_type:]
        parts = []
        start = 0
        for piece in self.actions.pieces:
            if isinstance(piece, ActionPiece):
                parts.append(logits[:, start : start + piece.size])
                start += piece.size
            elif piece.plays == 1:
                parts.append(by_slot[:, : piece.slots])
            else:
                parts.append(self._pair_logits(piece, raw, slots, by_slot))
        return torch.cat(parts, dim=1)

    def _pair_logits(self, piece: SlotPiece, raw: Tensor, slots: Tensor, by_slot: Tensor) -> Tensor:
        first, second = torch.tensor(piece.choices, device=raw.device).unbind(dim=1)
        logits = by_slot.index_select(1, first) + by_slot.index_select(1, second)
        canonical = self.canonical
        if not canonical.group or canonical.hand is None:
            return logits
        values = canonical.hand.size // canonical.entries
        if torch.compiler.is_exporting():
            ends = torch.tensor(np.eye(slots.shape[1])[list(piece.choices)], dtype=torch.float32)
            first_slot, second_slot = ends.unbind(dim=1)
            colour = ((slots - canonical.first_type).to(torch.float32) / values).floor()
            orders = [
                canonical.entries * first_slot + second_slot,
                canonical.entries * second_slot + first_slot,
            ]
            pair = canonical.first_pair + colour @ torch.cat(orders).T
            forward, back = raw.gather(1, pair.to(torch.int64)).split(len(first_slot), dim=1)
            return by_slot @ (first_slot + second_slot).T + forward + back
        colour = (slots - canonical.first_type) // values
        first_slot = colour.index_select(1, first)
        second_slot = colour.index_select(1, second)
        forward = canonical.first_pair + first_slot * canonical.entries + second_slot
        back = canonical.first_pair + second_slot * canonical.entries + first_slot
        return logits + raw.gather(1, forward) + raw.gather(1, back)


def inputs_of(layout: ObservationLayout, one_hot: int) -> int:
    """Return the number of inputs of the trunk without ``tied``, including one-hot inputs."""
    pieces = [piece for piece in layout.pieces if _is_one_hot(piece, one_hot)]
    return layout.size + sum(piece.size * (piece.maximum + 1) for piece in pieces)


def _levels(layout: ObservationLayout, one_hot: int) -> tuple[Int64, Int64]:
    """Return the column and the number that each one-hot input stands for; both (L,)."""
    level_inputs = [
        (column, level)
        for piece in layout.pieces
        if _is_one_hot(piece, one_hot)
        for column in range(layout.size)[layout.where(piece.name)]
        for level in range(piece.maximum + 1)
    ]
    columns, levels = np.array(level_inputs, np.int64).reshape(-1, 2).T
    return columns, levels


def _is_one_hot(piece: Piece, one_hot: int) -> bool:
    return piece.size <= FEW_NUMBERS and 1 < piece.maximum <= one_hot


def masked(logits: Tensor, action_mask: Tensor) -> Tensor:
    """Return logits (B, A) with those of illegal actions, by a mask (B, A), set to ``ILLEGAL``."""
    # Not compared with 0: onnxruntime below 1.21 cannot compare int8.
    return torch.where(action_mask.to(torch.bool), logits, ILLEGAL)


def log_probabilities(logits: Tensor, action_mask: Tensor) -> Tensor:
    """Return log-probabilities of actions, about ``ILLEGAL`` if illegal; all arrays are (B, A)."""
    legal = masked(logits, action_mask)
    return legal - legal.logsumexp(dim=1, keepdim=True)


def drawn(log_probs: Tensor) -> Tensor:
    """Sample actions, int64 (B,), from log-probabilities (B, A).

    The cumulative distribution is inverted, with one number per row from torch's default generator.
    """
    sums = log_probs.exp().cumsum(dim=1)
    threshold = torch.rand(len(sums), 1).to(sums.device) * sums[:, -1:]
    return (sums <= threshold).sum(dim=1)


def check_answers(*answers: Tensor) -> None:
    """Raise DivergenceError if logits or values are NaN, or not below ``LARGEST_LOGIT``."""
    check_finite(*answers, below=LARGEST_LOGIT)


def check_finite(*numbers: Tensor, below: float = float("inf")) -> None:
    """Raise DivergenceError if a number is NaN or its absolute value is not below a bound."""
    if not all(bool((tensor.abs() < below).all()) for tensor in numbers):
        raise DivergenceError(
            "the network outputs NaN or infinite values: training has diverged; try lower rates "
            "(--learning-rate, --imitation-learning-rate, --muon)"
        )
