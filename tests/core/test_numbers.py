"""One rule says what a whole number and a finite number are, wherever somebody gives one."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env.core.numbers import (
    finite_number,
    shown,
    whole_indices,
    whole_number,
    whole_numbers,
    whole_seed,
    whole_tuple,
)


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_an_integer_of_any_library_is_a_whole_number(value: object) -> None:
    found = whole_number(value, "seat", 0, 3)
    assert type(found) is int
    assert found == 3


@pytest.mark.parametrize(
    "value", [True, np.True_, np.array(True), 1.0, np.float64(1), "1", None, [1], np.array([1, 2])]
)
def test_what_only_looks_like_a_whole_number_is_none(value: object) -> None:
    with pytest.raises(ValueError, match="seat must be a whole number, not ") as error:
        whole_number(value, "seat")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("lowest", "highest", "words"),
    [(5, None, "5 or more"), (None, 3, "3 or less"), (0, 3, "0 to 3"), (5, 9, "5 to 9")],
)
def test_out_of_range_says_the_range(lowest: int | None, highest: int | None, words: str) -> None:
    with pytest.raises(ValueError, match=f"seat must be {words}, not 4"):
        whole_number(4, "seat", lowest, highest)


def test_the_ends_of_a_range_are_in_it() -> None:
    assert [whole_number(n, "n", 0, 2) for n in (0, 2)] == [0, 2]
    assert [finite_number(x, "x", 0, 2) for x in (0, 2.0)] == [0.0, 2.0]


@pytest.mark.parametrize("value", [float("inf"), float("nan"), -np.inf, "1", None, True, 10**400])
def test_no_infinity_and_no_nan_is_a_finite_number(value: object) -> None:
    with pytest.raises(ValueError, match="rate must be a finite number, not "):
        finite_number(value, "rate")


def test_above_leaves_the_lowest_out() -> None:
    with pytest.raises(ValueError, match="rate must be above 0 and at most 1, not 0"):
        finite_number(0, "rate", 0, 1, above=True)
    assert finite_number(np.float32(0.5), "rate", 0, 1, above=True) == 0.5


def test_a_message_does_not_repeat_a_megabyte() -> None:
    assert len(shown("x" * 1_000_000)) < 70
    assert shown(10**10_000) == "int too long to show"
    assert shown("two\nlines") == r"'two\nlines'"


@pytest.mark.parametrize("value", [None, 0, np.int64(5), 2**70])
def test_a_seed_is_none_or_a_whole_number_from_0(value: object) -> None:
    assert whole_seed(value) == value
    assert type(whole_seed(value)) in (int, type(None))


@pytest.mark.parametrize("value", [-1, True, 1.0, "1", (1, 2)])
def test_what_is_no_seed_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"seed must be (0 or more|a whole number), not "):
        whole_seed(value)


def test_an_array_of_integers_is_taken_as_it_is() -> None:
    array = np.array([[1, 2], [3, 4]], np.uint8)
    assert whole_numbers(array, "actions") is array
    for same in (array.tolist(), tuple(map(tuple, array.tolist())), list(array)):
        assert np.array_equal(whole_numbers(same, "actions"), array)


@pytest.mark.parametrize(
    "values", [[1, True], [np.False_, 2], [[1], [np.True_]], [np.array([True]), np.array([1])]]
)
def test_a_truth_value_among_numbers_is_found(values: object) -> None:
    with pytest.raises(ValueError, match="actions must be integers, not bool"):
        whole_numbers(values, "actions")


@pytest.mark.parametrize("values", [1.0, [1, 2.0], ["1"], None, {1}, [10**400], [[1], [1, 2]]])
def test_what_is_no_array_of_integers_is_refused(values: object) -> None:
    with pytest.raises(ValueError, match=r"actions must be (an array of )?integers, not ") as error:
        whole_numbers(values, "actions")
    assert "\n" not in str(error.value)


def test_indices_are_of_things_that_there_are() -> None:
    assert whole_indices([2, 0, 2], "games", 3).tolist() == [2, 0, 2]
    for wrong in ([3], [-1], [[1]], 1, np.zeros(0, int)):
        with pytest.raises(ValueError, match="games must be one or more of 0 to 2, not "):
            whole_indices(wrong, "games", 3)


def test_a_tuple_of_whole_numbers_is_pythons() -> None:
    for given in ((1, 2), [1, np.uint8(2)], np.array([1, 2])):
        found = whole_tuple(given, "copies", 0, 9)
        assert found == (1, 2)
        assert {type(each) for each in found} == {int}
    nested: list[object] = []
    for _ in range(100):
        nested = [nested]
    with pytest.raises(ValueError, match=r"each of copies must be a whole number, not \[\[\["):
        whole_tuple(nested, "copies")
    for wrong in (1, np.array(1), "12", {1, 2}, iter([1, 2]), None):
        with pytest.raises(ValueError, match="copies must be a tuple of whole numbers, not "):
            whole_tuple(wrong, "copies")
    with pytest.raises(ValueError, match="each of copies must be 0 to 9, not 10"):
        whole_tuple((1, 10), "copies", 0, 9)
    with pytest.raises(ValueError, match="each of copies must be a whole number, not True"):
        whole_tuple((1, True), "copies", 0, 9)
    for uneven in ([1, ["x"]], (1, [1, 2]), [[1], [1, 2]]):  # numpy had its own words for these
        with pytest.raises(ValueError, match="each of copies must be a whole number, not "):
            whole_tuple(uneven, "copies", 0, 9)
