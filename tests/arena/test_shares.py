"""The share of a function of observations and masks."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env.arena.head_to_head import Match
from kododo_env.arena.shares import share
from kododo_env.arrays.dtypes import Array


def first(observation: Array, mask: Array) -> Array:
    assert observation.dtype == np.uint8
    return mask.argmax(axis=1)


def test_a_function_is_measured_as_the_agent_that_plays_alike() -> None:
    estimate = share(first, "kododo", 3, games=300, seed=1)
    assert estimate == Match("first", "random", "kododo", 3, 300, seed=1).play().share


def test_it_sees_what_it_learned_with_and_keeps_it() -> None:
    """Normalised like the environment modules' observations, in arrays of its own that torch
    takes."""

    def choose(observation: Array, mask: Array) -> Array:
        assert observation.dtype == np.float32
        assert observation.max() <= 1
        observation[:] = 0
        return mask.argmax(axis=1)

    share(choose, "kado", 2, normalize=True, games=10)


def test_an_illegal_action_is_refused() -> None:
    with pytest.raises(ValueError, match="illegal action in combi_combo"):
        share(lambda observation, mask: mask.argmin(axis=1), "combi_combo", 4, games=4)
