"""Transposing arrays between games first and games last."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env.core.rows import (
    CACHED,
    FEW_GAMES,
    GAMES_AT_A_TIME,
    LONG,
    MANY_GAMES,
    games_last,
    into_any,
)


@pytest.mark.parametrize("num", [1, FEW_GAMES, FEW_GAMES + 1, MANY_GAMES, 2 * MANY_GAMES + 5])
@pytest.mark.parametrize("shape", [(3, 4), (2, 100), (2, LONG)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_every_game_becomes_a_row(num: int, shape: tuple[int, int], dtype: type) -> None:
    array = np.random.default_rng(0).integers(0, 200, (*shape, num)).astype(np.uint8)
    out = np.full((num, *shape), 99, dtype)
    rows = np.arange(array[..., 0].size).reshape(shape)
    into_any([array], out.transpose(1, 2, 0), array.dtype, rows)
    assert np.array_equal(out, array.transpose(2, 0, 1))


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_some_rows_go_into_an_array_of_any_order(dtype: type) -> None:
    rng = np.random.default_rng(0)
    array = rng.integers(0, 200, (300, MANY_GAMES)).astype(np.uint8)
    rows = rng.integers(0, 300, (3, 200))
    out = np.full((3, MANY_GAMES, 200), 99, dtype)  # no view of it is (600, N)
    assert out.size > CACHED
    into_any([array], out.transpose(0, 2, 1), array.dtype, rows)
    assert np.array_equal(out, array[rows].transpose(0, 2, 1))


def test_whole_numbers_of_any_type_go_into_a_type_that_can_hold_them() -> None:
    out = np.zeros((3, 2), np.int8)
    numbers = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    into_any([numbers], out.T, out.dtype, np.arange(2))
    assert out.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize("num", [1, GAMES_AT_A_TIME, GAMES_AT_A_TIME + 1, 2 * GAMES_AT_A_TIME + 5])
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_every_row_becomes_a_game(num: int, shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).integers(0, 200, (num, *shape)).astype(np.uint8)
    out = games_last(array)
    assert out.flags.c_contiguous
    assert np.array_equal(out, np.moveaxis(array, 0, -1))
