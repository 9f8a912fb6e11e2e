"""The tied network, which shares weights between the entries of an axis.

The ``tied_axes`` of a layout are axes whose entries are of one kind, such as the rows of a tableau
or the seats. For each tied axis, an encoder with the same weights for every entry computes
embeddings. Embeddings of an axis inside another (rows inside seats) are pooled into those of the
outer axis. An encoder also gets the numbers outside its axis, such as the card to be placed in a
row. The logit of an action over tied axes is computed from the embeddings of its entries.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from kododo_env.arrays.dtypes import Int64
from kododo_env.layouts.actions import ActionPiece
from kododo_env.layouts.observation import ObservationLayout
from kododo_env.networks.canonical import Canonical, constant

Embeddings = dict[str, Tensor]
"""Embeddings by axis, (B, n, E) for n entries.

An inner axis has only the embeddings of the first outer entry.
"""


class _TiedAxis(NamedTuple):
    """An axis whose entries are of one kind."""

    axis: str
    outer: str | None  # the axis that contains it
    shape: tuple[int, ...]  # numbers of entries, the outer axis first


class Encoders(nn.Module):
    """The encoders of a layout's tied axes.

    Args:
        layout: The game's observation layout.
        width: E, the length of an embedding.

    Attributes:
        kinds: The tied axes by name, inner axes first.
        columns: The columns of an observation that the encoders take, in order; int64.
        size: The number of inputs of the trunk.

    Raises:
        ValueError: The layout has no tied axes, or one of them is inside several others.
    """

    def __init__(self, layout: ObservationLayout, width: int) -> None:
        super().__init__()
        if not layout.tied_axes:
            raise ValueError("a tied network needs tied axes, but the game's layout has none")
        self.width = width
        self.kinds = _kinds(layout)
        self.layers = nn.ModuleList()
        self.around = nn.ModuleList()
        tables = [_columns(layout, kind, self._inner(kind.axis)) for kind in self.kinds.values()]
        features = {axis: table.shape[1] for axis, table in zip(self.kinds, tables, strict=True)}
        shared_names = [p.name for p in layout.pieces if not set(p.axes) & set(layout.tied_axes)]
        where = np.arange(layout.size)
        tables.append(
            np.concatenate([where[layout.where(name)] for name in shared_names] or [where[:0]])
        )
        for axis, kind in self.kinds.items():
            self.layers.append(_layers(features[axis] + 2 * width * len(self._inner(axis)), width))
            around = tables[-1].size + (features[kind.outer] if kind.outer else 0)
            self.around.append(nn.Linear(around, width, bias=False))
        self._sizes = [table.shape for table in tables]
        self.columns = np.concatenate([table.ravel() for table in tables])
        top = [prod(kind.shape) * width for kind in self.kinds.values() if kind.outer is None]
        self.size = sum(top) + self._sizes[-1][0]

    def _inner(self, axis: str) -> list[str]:
        """Return the axes within an axis."""
        return [kind.axis for kind in self.kinds.values() if kind.outer == axis]

    def forward(self, scaled: Tensor) -> tuple[list[Tensor], Embeddings]:
        """Encode the scaled numbers of ``columns``, (B, len(columns)).

        Returns:
            The parts of the trunk's inputs, ``size`` columns in all: the embeddings of the
            outermost axes and the numbers without a tied axis; and the embeddings by axis.
        """
        numbers, shared = self._numbers(scaled)
        pool = first_and_pooled if torch.compiler.is_exporting() else Pooling.apply
        embeddings: Embeddings = {}
        pooled: dict[str, Tensor] = {}
        for layers, around, kind in zip(self.layers, self.around, self.kinds.values(), strict=True):
            inner = [pooled[axis] for axis in self._inner(kind.axis)]
            inputs = torch.cat([numbers[kind.axis], *inner], dim=2).flatten(0, 1)
            outside = shared
            outer_shape = [1]
            if kind.outer:
                outer = numbers[kind.outer]
                outer_shape = [outer.shape[1], 1]
                wide = shared[:, None].expand(-1, outer.shape[1], -1)
                outside = torch.cat([outer, wide], dim=2).flatten(0, 1)
            assert isinstance(layers, nn.Sequential)
            total = layers[0](inputs).reshape(-1, *kind.shape, self.width)
            total = total + around(outside).reshape(-1, *outer_shape, self.width)
            embedding = layers[1:](total.flatten(0, -2)).reshape(-1, *kind.shape, self.width)
            if kind.outer:
                embedding, pooled[kind.axis] = pool(embedding)
            embeddings[kind.axis] = embedding
        top = [
            embeddings[kind.axis].flatten(1) for kind in self.kinds.values() if kind.outer is None
        ]
        return [*top, shared], embeddings

    def _numbers(self, scaled: Tensor) -> tuple[dict[str, Tensor], Tensor]:
        """Split numbers into those of each axis, (B, entries, features), and the rest, (B, R)."""
        *parts, shared = scaled.split([prod(size) for size in self._sizes], dim=1)
        sizes = zip(self.kinds, parts, self._sizes, strict=False)
        return {axis: part.reshape(-1, *size) for axis, part, size in sizes}, shared


def first_and_pooled(embeddings: Tensor) -> tuple[Tensor, Tensor]:
    """Select the first of m entries and pool over n entries.

    Args:
        embeddings: Shape (B, m, n, E).

    Returns:
        The first of m, (B, n, E), and the scaled sum and the maximum over n, (B, m, 2 * E).
    """
    total = embeddings.sum(dim=2) * embeddings.shape[2] ** -0.5
    return embeddings[:, 0], torch.cat([total, embeddings.amax(dim=2)], dim=2)


class Pooling(torch.autograd.Function):
    """``first_and_pooled`` with a custom gradient.

    If several entries share the maximum, each of them gets the whole gradient.
    """

    @staticmethod
    def forward(ctx: Any, embeddings: Tensor) -> tuple[Tensor, Tensor]:
        """Compute ``first_and_pooled``."""
        first, pooled = first_and_pooled(embeddings)
        ctx.save_for_backward(embeddings, pooled)
        return first.clone(), pooled

    @staticmethod
    def backward(ctx: Any, of_first: Tensor, of_pooled: Tensor) -> Tensor:
        """Compute the gradient of the embeddings, (B, m, n, E), from those of both results."""
        embeddings, pooled = ctx.saved_tensors
        largest = pooled.unsqueeze(2)[..., embeddings.shape[3] :]
        total, top = of_pooled.unsqueeze(2).chunk(2, dim=3)
        total = total * embeddings.shape[2] ** -0.5
        smaller = (embeddings - largest).sign_()  # -1 or 0
        gradient = torch.addcmul(total + top, top, smaller)
        gradient[:, 0] += of_first
        return gradient


def _layers(inputs: int, width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())


def _kinds(layout: ObservationLayout) -> dict[str, _TiedAxis]:
    """Return the tied axes by name, inner axes first.

    An axis is inside another if all its pieces also have the other axis, which has further pieces.
    """
    pieces_of = {
        axis: [piece for piece in layout.pieces if axis in piece.axes] for axis in layout.tied_axes
    }
    kinds = {}
    for axis, pieces in pieces_of.items():
        outer = [
            container
            for container, container_pieces in pieces_of.items()
            if len(container_pieces) > len(pieces)
            and all(piece in container_pieces for piece in pieces)
        ]
        if len(outer) > 1:
            raise ValueError(f"the tied axis {axis!r} is inside several others: {', '.join(outer)}")
        shape = [layout.length(axis_name) for axis_name in (*outer, axis)]
        kinds[axis] = _TiedAxis(axis, outer[0] if outer else None, tuple(shape))
    return dict(sorted(kinds.items(), key=lambda pair: pair[1].outer is None))


def _columns(layout: ObservationLayout, kind: _TiedAxis, inner: list[str]) -> Int64:
    """Return the columns of an observation for each entry's encoder, (entries, features)."""
    axes = (kind.outer, kind.axis) if kind.outer else (kind.axis,)
    columns = layout.views(np.arange(layout.size))
    parts = []
    for piece in layout.pieces:
        if kind.axis in piece.axes and not set(inner) & set(piece.axes):
            places = [piece.axes.index(axis) for axis in axes]
            moved = np.moveaxis(columns[piece.name], places, range(len(places)))
            parts.append(moved.reshape(prod(kind.shape), -1))
    return np.concatenate(parts, axis=1)


class Heads(nn.Module):
    """The policy head, with a module for each block of the raw output.

    Args:
        blocks: The blocks; see ``raw_blocks``.
        encoders: The encoders, whose embeddings the head takes.
        hidden: The width of the trunk.
    """

    def __init__(self, blocks: list[ActionPiece], encoders: Encoders, hidden: int) -> None:
        super().__init__()
        kinds = encoders.kinds
        width = encoders.width
        self.blocks = nn.ModuleList(
            _TiedBlock(block, kinds, width, hidden)
            if set(block.axes) & set(kinds)
            else _PlainBlock(block, hidden)
            for block in blocks
        )

    def forward(self, hidden: Tensor, embeddings: Embeddings) -> Tensor:
        """Return the raw output, (B, sum of the blocks' sizes)."""
        return torch.cat([block(hidden, embeddings) for block in self.blocks], dim=1)

    def last_layers(self) -> list[nn.Linear]:
        """Return the layers whose outputs make up the raw output."""
        layers = (module for name, module in self.named_modules() if name.endswith(".last"))
        return [layer for layer in layers if isinstance(layer, nn.Linear)]


class _PlainBlock(nn.Module):
    """A head on the trunk: a term for each action and, with several axes, for each entry."""

    def __init__(self, block: ActionPiece, hidden: int) -> None:
        super().__init__()
        terms = [np.eye(block.size, dtype=np.float32)]
        for axis, entry in enumerate(np.indices(block.shape)) if len(block.shape) > 1 else ():
            terms.append(np.eye(block.shape[axis], dtype=np.float32)[:, entry.ravel()])
        self.spread = constant(np.concatenate(terms))
        self.last = nn.Linear(hidden, len(self.spread))
        self._alone = len(terms) == 1

    def forward(self, hidden: Tensor, embeddings: Embeddings) -> Tensor:
        out: Tensor = self.last(hidden)
        return out if self._alone else out @ self.spread


class _TiedBlock(nn.Module):
    """A head on the sum of the trunk and each entry's embedding, with a ReLU.

    Of an inner axis, it takes only the entries in the first outer entry, which is the player's own.
    """

    def __init__(
        self, block: ActionPiece, kinds: dict[str, _TiedAxis], width: int, hidden: int
    ) -> None:
        super().__init__()
        tied_axes = [place for place, axis in enumerate(block.axes) if axis in kinds]
        free_axes = [place for place, axis in enumerate(block.axes) if axis not in kinds]
        self.kinds = [kinds[block.axes[place]] for place in tied_axes]
        self.width = width
        self.order = [1 + place for place in (*tied_axes, *free_axes)]
        self.shape = [block.shape[place] for place in (*tied_axes, *free_axes)]
        self.trunk = nn.Linear(hidden, width)
        self.entries = nn.ModuleList(nn.Linear(width, width) for _ in tied_axes)
        self.last = nn.Linear(width, prod(block.shape[place] for place in free_axes))

    def forward(self, hidden: Tensor, embeddings: Embeddings) -> Tensor:
        total: Tensor = self.trunk(hidden).reshape(-1, *[1] * len(self.kinds), self.width)
        for axis, (kind, layer) in enumerate(zip(self.kinds, self.entries, strict=True)):
            shape = [1] * len(self.kinds)
            shape[axis] = kind.shape[-1]
            term = layer(embeddings[kind.axis].flatten(0, 1))
            total = total + term.reshape(-1, *shape, self.width)
        out: Tensor = self.last(torch.relu(total).flatten(0, -2))
        return (
            out.reshape(-1, *self.shape)
            .movedim(list(range(1, 1 + len(self.order))), self.order)
            .flatten(1)
        )


def raw_blocks(canonical: Canonical, pieces: tuple[object, ...]) -> list[ActionPiece]:
    """Return the blocks of the raw output; see ``Canonical``."""
    blocks = [piece for piece in pieces if isinstance(piece, ActionPiece)]
    hand = canonical.hand
    symmetry = canonical.layout.symmetry
    if hand is not None:
        blocks.append(ActionPiece(hand.name, hand.shape, hand.axes))
        if symmetry and symmetry.group:
            axis = next(axis for axis in hand.axes if axis in symmetry.axes)
            blocks.append(ActionPiece("pairs", (canonical.entries,) * 2, (axis, axis)))
    return blocks
