"""Compare a policy file with the model that it was exported from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kododo_env.arrays.dtypes import Array, Float32, Int8, Intp
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.layouts.canonical import CanonicalForm
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.onnx_graph import ILLEGAL
from kododo_env.policy.plain_text import plain
from kododo_env.wrappers.spaces import ObservationFormat

POSITIONS = 10_000  # the least number that is compared
ROWS = 64  # positions at a time: even a small transformer needs megabytes for each
STEPS = 100  # more than the longest game has
TOLERANCE = 1e-4  # of logits and values, absolute and relative

Answers = Callable[[Array, Int8], tuple[Float32, Float32 | None]]
"""A model as a function of numpy arrays.

It maps observations (n, F) and masks (n, A), in the format of training, to logits (n, A), also of
illegal actions, and values (n,), or None if the model has no values.
"""


def positions(game: BatchGame, minimum: int, seed: int = 0) -> tuple[Array, Int8]:
    """Sample positions from random legal play.

    Args:
        game: A batch of the game.
        minimum: The least number of positions.
        seed: Seeds the deals and the actions.

    Returns:
        Plain observations (n, F) and int8 masks (n, A), with n at least ``minimum``.
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
    """Check that a policy file has the same outputs as its model in ``POSITIONS`` positions.

    Args:
        answers: The model.
        agent: The policy file.
        game: A batch of the game, for the positions.
        form: The format of the model's observations.

    Raises:
        ValueError: Logits or values differ by more than ``TOLERANCE``, the model fails, or it
            outputs probabilities instead of logits.
    """
    observation, mask = positions(game, POSITIONS, seed=1)
    blocks = [slice(start, start + ROWS) for start in range(0, len(mask), ROWS)]
    layouts = form.layouts
    canonical = CanonicalForm(layouts.observation, layouts.actions) if layouts.canonical else None
    model = [
        _plain_answers(answers, form, canonical, observation[block], mask[block])
        for block in blocks
    ]
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
                f"{np.nanmax(np.abs(expected - outputs)):.2g}; no file is written"
            )


def _plain_answers(
    answers: Answers,
    form: ObservationFormat,
    canonical: CanonicalForm | None,
    observation: Array,
    mask: Int8,
) -> tuple[Float32, Float32 | None]:
    """Return a model's logits of plain actions, and values, for plain observations.

    Exceptions of the model are converted to ValueError.
    """
    actions: Intp | None = None
    if canonical is not None:
        observation, mask, actions = canonical(observation, mask)
    try:
        logits, values = answers(form.of_rows(observation), mask)
    except ValueError:
        raise
    except MemoryError as error:
        raise ValueError(f"not enough memory to run the model on {len(mask)} positions") from error
    except Exception as error:
        raise ValueError(f"the model fails on {len(mask)} positions: {plain(error)}") from error
    if actions is None:
        return logits, values
    plain_logits = np.empty_like(logits)
    np.put_along_axis(plain_logits, actions, logits, axis=1)
    return plain_logits, values
