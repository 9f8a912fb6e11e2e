"""Proving that a policy file says the same as the model that it was made from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kododo_env.core.agent import random_legal_actions
from kododo_env.core.arrays import Array, Float32, Int8
from kododo_env.core.batch_game import BatchGame
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.onnx_graph import ILLEGAL
from kododo_env.policy.plain_text import plain
from kododo_env.wrappers.spaces import ObservationFormat

POSITIONS = 10_000  # at least this many are compared
ROWS = 64  # at a time: a small transformer takes megabytes for each
STEPS = 100  # are played for them, more than our longest game takes
TOLERANCE = 1e-4  # of logits and values, absolute and relative

Answers = Callable[[Array, Int8], tuple[Float32, Float32 | None]]
"""A model's logits (n, A), legal or not, and values (n,), if it has any, of observations (n, F), as
they were given to it when it learned, and masks (n, A)."""


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


def check_parity(
    answers: Answers, agent: OnnxAgent, game: BatchGame, form: ObservationFormat
) -> None:
    """Compare a file with its model, to whom observations are given as they are in training.

    Raises:
        ValueError: They disagree in one of ``POSITIONS`` positions, the model fails there, or it
            gives probabilities in place of logits.
    """
    observation, mask = positions(game, POSITIONS, seed=1)
    blocks = [slice(start, start + ROWS) for start in range(0, len(mask), ROWS)]
    model = [_ask_model(answers, form.of_rows(observation[block]), mask[block]) for block in blocks]
    file = [agent.evaluate(observation[block], mask[block]) for block in blocks]
    logits = np.concatenate([logits for logits, _ in model])
    if (logits >= 0).all() and np.allclose(logits.sum(axis=1), 1, atol=1e-3):
        raise ValueError(
            "the model gives probabilities, which add up to 1: leave its softmax out, so that it "
            "gives logits"
        )
    found = np.concatenate([logits for logits, _ in file])
    pairs = [("logits", np.where(mask == 1, logits, ILLEGAL), found)]
    values = [values for _, values in model if values is not None]
    if values:
        worth = np.concatenate([values for _, values in file])
        pairs.append(("values", np.concatenate(values), worth))
    for name, want, got in pairs:
        if not np.allclose(got, want, TOLERANCE, TOLERANCE):
            raise ValueError(
                f"the exported policy disagrees with the network: {name} differ by up to "
                f"{np.nanmax(np.abs(want - got)):.2g}; nothing is written"
            )


def _ask_model(answers: Answers, numbers: Array, mask: Int8) -> tuple[Float32, Float32 | None]:
    """A model's answers; ValueError if it fails, since it may raise anything."""
    try:
        return answers(numbers, mask)
    except ValueError:
        raise
    except MemoryError as error:
        raise ValueError(
            f"there is not enough memory for what the model computes in {len(mask)} positions"
        ) from error
    except Exception as error:
        raise ValueError(f"the model fails on {len(mask)} positions: {plain(error)}") from error
