"""Export one network for all numbers of players as a policy file for each number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from kododo_env.all_tables import all_tables, padding_of
from kododo_env.core.batch_game import BatchGame
from kododo_env.export.policy_export import SUFFIX, export
from kododo_env.export.torch_models import CanonicalInputs, ExportedNetwork
from kododo_env.layouts.padding import Padding
from kododo_env.networks.canonical import constant
from kododo_env.wrappers.spaces import MaskPlace, ObservationFormat


def export_tables(
    network: nn.Module,
    game: BatchGame,
    folder: str | Path,
    *,
    temperature: float = 0.0,
    normalize: bool = False,
    observation_dtype: npt.DTypeLike | None = None,
    action_mask: MaskPlace = "info",
    canonical: bool = False,
    training: dict[str, Any] | None = None,
) -> dict[int, Path]:
    """Write a network trained with ``padded=True`` as one policy file per number of players.

    Each file takes plain observations, without padding, for its number of players.

    Args:
        network: From padded observations (B, F), or padded observations and masks (B, A), to
            logits (B, A), or logits and values (B,) or (B, 1).
        game: A batch of the game with any number of players; its other rules apply to all files.
        folder: The folder of the files ``kododo-2p.onnx``, ``kododo-3p.onnx``, ...
        temperature: The playing temperature, as in ``export``.
        normalize: Whether the network was trained with ``normalize=True``.
        observation_dtype: The dtype of observations in training; None means that of the game.
        action_mask: Where the mask was in training; see ``export``.
        canonical: Whether the network was also trained with ``canonical=True``.
        training: How the network was trained, for the metadata.

    Returns:
        The files by number of players.

    Raises:
        ValueError: The network or an argument is invalid; see ``export``.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    facts = {"model": type(network).__name__, **(training or {})}
    files = {}
    for players, table in all_tables(game).items():
        form = ObservationFormat(
            table, observation_dtype, normalize, action_mask, canonical, padded=True
        )
        path = folder / f"{game.name}-{players}p{SUFFIX}"
        at_table = TableNetwork(network, padding_of(table), form)
        files[players] = export(at_table, table, path, temperature=temperature, training=facts)
    return files


class TableNetwork(nn.Module):
    """An adapter of a network of padded observations to plain ones of one number of players.

    Args:
        network: The network, which is copied.
        padding: The padding for this number of players.
        form: The format of the network's padded observations.
    """

    def __init__(self, network: nn.Module, padding: Padding, form: ObservationFormat) -> None:
        super().__init__()
        self.network = ExportedNetwork(network, form)
        self._dtype = getattr(torch, form.dtype.name)
        self._normalize = form.normalize
        self._canonical = CanonicalInputs(form.layouts) if form.layouts.canonical else None
        source, exists = _gathered(padding.columns, padding.layout.size)
        mask_source, mask_exists = _gathered(padding.numbers, padding.actions.size)
        self.source = constant(source)
        self.exists = constant(exists)
        self.mask_source = constant(mask_source)
        self.mask_exists = constant(mask_exists)
        self.numbers = constant(padding.numbers)
        self.maxima = constant(padding.layout.maxima.astype(np.float32))

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, ...]:
        """Return logits (B, A) and, if the network has them, values (B,) of plain observations."""
        padded = observation.to(torch.float32)[:, self.source] * self.exists
        mask = action_mask.to(torch.float32)[:, self.mask_source] * self.mask_exists
        places: Tensor | None = None
        if self._canonical is not None:
            padded, mask, places = self._canonical(padded, mask)
        if self._normalize:
            padded = padded / self.maxima
        logits, *values = self.network(padded.to(self._dtype), mask)
        if places is not None:
            logits = logits.gather(1, places)
        return logits[:, self.numbers], *values


def _gathered(
    places: npt.NDArray[np.intp], size: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return for each of ``size`` padded columns its source column, and 1 if it has one, else 0."""
    source = np.zeros(size, np.int64)
    source[places] = np.arange(len(places))
    exists = np.zeros(size, np.float32)
    exists[places] = 1
    return source, exists
