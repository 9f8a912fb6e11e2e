"""One rule says what a whole number and a finite number are, wherever somebody gives one."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env.core.numbers import finite_number, shown, whole_number


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
