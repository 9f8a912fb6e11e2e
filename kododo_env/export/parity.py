"""Compare a policy file with the model that it was exported from."""

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

POSITIONS = 10_000  # the minimum compared
ROWS = 64  # at a time: even a small transformer needs megabytes per row
STEPS = 100  # of play, more than the longest game takes
TOLERANCE = 1e-4  # of logits and values, absolute and relative

Answers = Callable[[Array, Int8], tuple[Float32, Float32 | None]]
"""A model as a function: from observations (n, F), in the format of its training, and masks (n, A)
to logits (n, A), also of illegal actions, and values (n,) or None."""


def positions(game: BatchGame, minimum: int, seed: int = 0) -> tuple[Array, Int8]:
    """Sample positions from random legal play.

    Args:
        game: A batch of the game.
        minimum: How many positions to sample at least.
        seed: Seeds the deals and the actions.

    Returns:
        Observations (n, F) and masks (n, A) int8, with n at least ``minimum``.
    """
    rng = np.random.default_rng(seed)
    num_envs = max(1, min(512, minimum // (STEPS * game.num_players)))
    play = game.fresh(num_envs, seed)
    observations: list[Array] = []
    masks: list[Int8] = []
    while sum(map(len, masks)) < minimum:
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
    """Compare a file with its model, which gets observations in the format of its training.

    Raises:
        ValueError: They disagree in one of ``POSITIONS`` positions, the model fails there, or it
            outputs probabilities instead of logits.
    """
    observation, mask = positions(game, POSITIONS, seed=1)
    blocks = [slice(start, start + ROWS) for start in range(0, len(mask), ROWS)]
    model = [_ask_model(answers, form.of_rows(observation[block]), mask[block]) for block in blocks]
    file = [agent.evaluate(observation[block], mask[block]) for block in blocks]
    logits = np.concatenate([logits for logits, _ in model])
    if (logits >= 0).all() and np.allclose(logits.sum(axis=1), 1, atol=1e-3):
        raise ValueError(
            "the model outputs probabilities, which add up to 1: remove its softmax so that it "
            "outputs logits"
        )
    file_logits = np.concatenate([logits for logits, _ in file])
    pairs = [("logits", np.where(mask == 1, logits, ILLEGAL), file_logits)]
    values = [values for _, values in model if values is not None]
    if values:
        file_values = np.concatenate([values for _, values in file])
        pairs.append(("values", np.concatenate(values), file_values))
    for name, expected, outputs in pairs:
        if not np.allclose(outputs, expected, TOLERANCE, TOLERANCE):
            raise ValueError(
                f"the exported policy disagrees with the network: {name} differ by up to "
                f"{np.nanmax(np.abs(expected - outputs)):.2g}; nothing is written"
            )


def _ask_model(answers: Answers, numbers: Array, mask: Int8) -> tuple[Float32, Float32 | None]:
    """Call a model, and raise ValueError for anything that it raises."""
    try:
        return answers(numbers, mask)
    except ValueError:
        raise
    except MemoryError as error:
        raise ValueError(f"not enough memory to run the model on {len(mask)} positions") from error
    except Exception as error:
        raise ValueError(f"the model fails on {len(mask)} positions: {plain(error)}") from error
