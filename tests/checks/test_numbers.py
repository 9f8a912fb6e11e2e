"""Checks of integers and finite numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from kododo_env.checks.bounds import Bound, check_settings
from kododo_env.checks.numbers import (
    SHOWN,
    finite_number,
    quote,
    whole_indices,
    whole_number,
    whole_numbers,
    whole_seed,
    whole_tuple,
)
from tests.helpers import nested


@dataclass(frozen=True)
class Bounds:
    """Settings with bounds."""

    low: Annotated[Any, Bound(1, 5)] = 1
    high: Annotated[Any, Bound(5, 9)] = 9

    def __post_init__(self) -> None:
        check_settings(self)


class Truth:
    """A bool of a library that supports ``__index__``."""

    dtype = "library.bool"

    def __index__(self) -> int:
        return 1


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_an_integer_of_any_library_is_a_whole_number(value: Any) -> None:
    results = (whole_number(value, "seat", 0, 3), whole_seed(value), Bounds(low=value).low)
    assert results == (3, 3, 3)
    assert {type(result) for result in results} == {int}


def test_the_ends_of_a_range_are_in_it() -> None:
    assert [whole_number(n, "n", 0, 2) for n in (0, 2)] == [0, 2]
    assert (whole_seed(None), whole_seed(0), whole_seed(2**70)) == (None, 0, 2**70)
    assert (Bounds(low=5).low, Bounds(high=5).high, Bounds(high=9).high) == (5, 5, 9)
    assert [finite_number(x, "x", 0, 2) for x in (0, 2.0)] == [0.0, 2.0]
    assert (finite_number(5, "x", highest=5), finite_number(2, "x", lowest=2)) == (5, 2)
    assert finite_number(-9.5, "x") == -9.5
    assert finite_number(2.5, "x", 2, above=True) == 2.5
    assert finite_number(np.float32(0.5), "x", 0, 1, above=True) == 0.5
    assert finite_number(-1e300, "x", highest=0.0) == -1e300


@pytest.mark.parametrize(
    ("wrong", "call", "words"),
    [
        (
            [True, np.True_, np.array(True), 1.0, np.float64(1), "1", None, [1], np.array([1, 2])],
            lambda value: whole_number(value, "n"),
            r"n .*integer",
        ),
        ([Truth()], lambda value: whole_number(value, "n"), r"n .*integer"),
        ([0.5], lambda value: whole_number(value, "n"), r"n .*integer.*0\.5"),
        ([4], lambda value: whole_number(value, "n", 5), r"n .*at least 5.*4"),
        ([4], lambda value: whole_number(value, "n", None, 3), r"n .*at most 3.*4"),
        ([4], lambda value: whole_number(value, "n", 0, 3), r"n .*0 to 3.*4"),
        ([4], lambda value: whole_number(value, "n", 5, 9), r"n .*5 to 9.*4"),
        ([-1], whole_seed, r"seed .*at least 0.*-1"),
        ([True, 1.0, "1", (1, 2)], whole_seed, r"seed .*integer"),
        ([0, 6], lambda value: Bounds(low=value), r"low .*1 to 5"),
        ([4, 10], lambda value: Bounds(high=value), r"high .*5 to 9"),
        (["9"], lambda value: Bounds(high=value), r"high .*integer.*'9'"),
        (
            [
                [1, True],
                (1, True),
                [np.False_, 2],
                [[1], [np.True_]],
                [np.array([True]), np.array([1])],
            ],
            lambda values: whole_numbers(values, "n"),
            r"n .*integers.*bool",
        ),
        (
            [1.0, [1, 2.0], ["1"], None, {1}, [10**400]],
            lambda values: whole_numbers(values, "n"),
            r"n .*integers",
        ),
        (
            [[[1], [1, 2]]],
            lambda values: whole_numbers(values, "n"),
            r"n .*array of integers.*\[\[1\], \[1, 2\]\]",
        ),
        (
            [[3], [-1], [[1]], 1, np.zeros(0, int), []],
            lambda values: whole_indices(values, "games", 3),
            r"games .*0 to 2",
        ),
        (
            [[3]],
            lambda values: whole_indices(values, "games", 3),
            r"games .*0 to 2.*\[3\]",
        ),
        (
            [1, np.array(1), "12", {1, 2}, iter([1, 2]), None],
            lambda values: whole_tuple(values, "n"),
            r"n .*tuple of integers",
        ),
        ([(1, 10)], lambda values: whole_tuple(values, "n", 0, 9), r"n .*0 to 9"),
        (  # numpy raised its own message for rows of unequal length
            [(1, True), [1, ["x"]], (1, [1, 2]), [[1], [1, 2]]],
            lambda values: whole_tuple(values, "n", 0, 9),
            r"n .*integer",
        ),
        (
            [nested(100)],
            lambda values: whole_tuple(values, "n"),
            r"n .*integer.*\[\[\[",
        ),
        (
            [float("inf"), float("nan"), -np.inf, "1", None, True, 10**400],
            lambda value: finite_number(value, "x"),
            r"x .*finite",
        ),
        (["1"], lambda value: finite_number(value, "x"), r"x .*finite.*'1'"),
        ([6], lambda value: finite_number(value, "x", highest=5), r"x .*at most 5.*6\.0"),
        ([6], lambda value: finite_number(value, "x", 7), r"x .*at least 7.*6\.0"),
        ([6], lambda value: finite_number(value, "x", 6, above=True), r"x .*above 6.*6\.0"),
        (
            [6, 9],
            lambda value: finite_number(value, "x", 6, 8, above=True),
            r"x .*above 6.*at most 8",
        ),
        ([5], lambda value: finite_number(value, "x", 6, 8), r"x .*6 to 8.*5\.0"),
    ],
)
def test_another_value_is_refused(wrong: list[Any], call: Callable[[Any], Any], words: str) -> None:
    for value in wrong:
        with pytest.raises(ValueError, match=rf"\A[^\n]*{words}[^\n]*\Z"):
            call(value)


def test_a_message_does_not_repeat_a_megabyte() -> None:
    assert quote("x" * (SHOWN - 2)) == repr("x" * (SHOWN - 2))
    assert quote("x" * (SHOWN - 1)) == "'" + "x" * (SHOWN - 1) + "…"
    assert len(quote("x" * 1_000_000)) < 70
    assert quote(10**10_000) == "int that cannot be shown"
    assert quote("two\nlines") == r"'two\nlines'"


def test_an_array_of_integers_is_taken_as_it_is() -> None:
    array = np.array([[1, 2], [3, 4]], np.uint8)
    assert whole_numbers(array, "actions") is array
    for values in (array.tolist(), tuple(map(tuple, array.tolist())), list(array)):
        assert np.array_equal(whole_numbers(values, "actions"), array)
    assert whole_indices([2, 0, 2], "games", 3).tolist() == [2, 0, 2]


def test_a_tuple_of_whole_numbers_is_pythons() -> None:
    for values in ((1, 2), [1, np.uint8(2)], np.array([1, 2])):
        integers = whole_tuple(values, "copies", 0, 9)
        assert integers == (1, 2)
        assert {type(integer) for integer in integers} == {int}
