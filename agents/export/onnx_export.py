"""Writing a policy as one ONNX file that runs without torch, and proving that it is the same."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from agents.export.metadata_file import write_metadata
from agents.export.policy_graph import policy_bytes
from agents.networks.network import GameNetwork, masked
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.arrays import Array, Int8
from kododo_env.core.batch_game import BatchGame
from kododo_env.policy.metadata import describe
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.onnx_graph import OPSET
from kododo_env.system.files import written_whole

POSITIONS = 10_000  # at least this many are compared
STEPS = 100  # are played for them, more than our longest game takes
TOLERANCE = 1e-4  # of logits and values, absolute and relative


class _Graph(nn.Module):
    """The exported graph: observation and mask in, masked logits and value out."""

    def __init__(self, network: GameNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        logits, value = self.network(observation)
        return masked(logits, action_mask), value


def export_policy(
    network: GameNetwork,
    game: BatchGame,
    path: str | Path,
    *,
    temperature: float = 0.0,
    training: dict[str, Any] | None = None,
    results: dict[str, Any] | None = None,
) -> Path:
    """Write a network as a policy file, after comparing it with the network.

    The file's inputs are ``observation`` (B, F) in the layout's dtype and ``action_mask``
    (B, A) int8; its outputs ``logits`` (B, A), illegal ones -1e8, and ``value`` (B,).
    Its metadata are written beside it as JSON, too.

    Args:
        network: The network.
        game: A batch of the game that it plays; used for its description only.
        path: The file to write, which is returned; it appears whole or not at all.
        temperature: At which the policy is meant to be played.
        training: How it was trained, for the metadata.
        results: How it fared, for the metadata.

    Raises:
        ValueError: The exported graph disagrees with the network.
    """
    path = Path(path)
    metadata = replace(
        describe(game),
        network=network.settings,
        temperature=temperature,
        training=training or {},
        results=results or {},
    )
    content = policy_bytes(_to_onnx(network, game), metadata)
    with written_whole(path) as aside:
        aside.write_bytes(content)
        check_parity(network, OnnxAgent(aside), game)
    write_metadata(path)
    return path


def _to_onnx(network: GameNetwork, game: BatchGame) -> onnx.ModelProto:
    observation, mask = positions(game, 64)
    batch = torch.export.Dim("batch", min=1)
    with _quiet(), torch.no_grad():
        program = torch.onnx.export(
            _Graph(network).eval(),
            (torch.from_numpy(observation[:2]), torch.from_numpy(mask[:2])),
            input_names=["observation", "action_mask"],
            output_names=["logits", "value"],
            dynamic_shapes={"observation": {0: batch}, "action_mask": {0: batch}},
            dynamo=True,
            opset_version=OPSET,
            verbose=False,
        )
    assert program is not None
    model: onnx.ModelProto = program.model_proto
    for node in model.graph.node:  # the exporter's notes: file names and stack traces
        del node.metadata_props[:]
        node.doc_string = ""
    return model


@contextmanager
def _quiet() -> Iterator[None]:
    """Inside, the exporter says nothing: its warnings are about its own parts."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        logging.disable(level)


def positions(game: BatchGame, least: int, seed: int = 0) -> tuple[Array, Int8]:
    """At least this many positions of random legal play: observations (n, F), masks (n, A) int8."""
    rng = np.random.default_rng(seed)
    num_envs = max(1, min(512, least // (STEPS * game.num_players)))
    play = game.fresh(num_envs, seed)
    observations: list[Array] = []
    masks: list[Int8] = []
    while sum(map(len, masks)) < least:
        mask = play.legal_action_mask()
        observations.append(play.observe().reshape(-1, game.layout.size))
        masks.append(mask.reshape(-1, game.num_actions).astype(np.int8))
        play.step(random_legal_actions(mask, rng))
        if play.terminated.all():
            play.restart_finished()
    return np.concatenate(observations), np.concatenate(masks)


def check_parity(network: GameNetwork, agent: OnnxAgent, game: BatchGame) -> None:
    """Raise ValueError if a file disagrees with the network in any of ``POSITIONS`` positions."""
    observation, mask = positions(game, POSITIONS, seed=1)
    with torch.no_grad():
        logits, value = network(torch.from_numpy(observation))
        wanted = masked(logits, torch.from_numpy(mask)).numpy(), value.numpy()
    answers = zip(("logits", "values"), wanted, agent.evaluate(observation, mask), strict=True)
    for name, want, got in answers:
        if not np.allclose(got, want, TOLERANCE, TOLERANCE):
            raise ValueError(
                f"the exported policy disagrees with the network: {name} differ by up to "
                f"{np.nanmax(np.abs(want - got)):.2g}; nothing is written"
            )
