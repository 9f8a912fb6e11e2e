"""The comparison of a file with its model, in batches of positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.agent_registry import load
from kododo_env.arrays.dtypes import Array, Float32, Int8
from kododo_env.export.parity import POSITIONS, ROWS, check_parity
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.wrappers.spaces import ObservationFormat

GAME = registry.batch_game("kododo", 1, num_players=3)
FORM = ObservationFormat(GAME, action_mask="info")


def shipped() -> OnnxAgent:
    agent = load("kododo-3p")
    assert isinstance(agent, OnnxAgent)
    return agent


def test_few_positions_are_compared_at_a_time() -> None:
    """In one batch, a small transformer took more than 9 GB."""
    sizes: list[int] = []
    agent = shipped()

    def answers(numbers: Array, mask: Int8) -> tuple[Float32, Float32]:
        sizes.append(len(mask))
        return agent.evaluate(numbers, mask)

    check_parity(answers, agent, GAME, FORM)
    assert max(sizes) <= ROWS
    assert sum(sizes) >= POSITIONS


def test_a_difference_in_the_last_position_is_found() -> None:
    agent = shipped()

    def answers(numbers: Array, mask: Int8) -> tuple[Float32, Float32]:
        logits, values = agent.evaluate(numbers, mask)
        if len(mask) < ROWS:
            logits[-1] += 1
        return logits, values

    with pytest.raises(ValueError, match="logits differ by up to 1"):
        check_parity(answers, agent, GAME, FORM)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "not enough memory"),
        (RuntimeError("can't allocate\nmemory: 9 bytes"), "can't allocate memory: 9 bytes"),
        (KeyError("x"), "fails on 64 positions"),
    ],
)
def test_a_model_that_fails_gives_a_one_line_error(error: Exception, words: str) -> None:
    """A MemoryError was a traceback."""

    def answers(*_: Any) -> Any:
        raise error

    with pytest.raises(ValueError, match=rf"\A[^\n]*{words}[^\n]*\Z"):
        check_parity(answers, shipped(), GAME, FORM)


def test_probabilities_in_every_position_are_no_logits() -> None:
    agent = shipped()

    def answers(numbers: Array, mask: Int8) -> tuple[Float32, None]:
        return np.full(mask.shape, 1 / mask.shape[1], np.float32), None

    with pytest.raises(ValueError, match="outputs probabilities"):
        check_parity(answers, agent, GAME, FORM)
