"""Transposing arrays between games first and games last."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env.core.rows import GAMES_AT_A_TIME, games_last


@pytest.mark.parametrize("num", [1, GAMES_AT_A_TIME, GAMES_AT_A_TIME + 1, 2 * GAMES_AT_A_TIME + 5])
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_every_row_becomes_a_game(num: int, shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).integers(0, 200, (num, *shape)).astype(np.uint8)
    out = games_last(array)
    assert out.flags.c_contiguous
    assert np.array_equal(out, np.moveaxis(array, 0, -1))
