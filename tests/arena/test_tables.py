"""Rows as a table."""

from __future__ import annotations

from kododo_env.arena.text_table import table

ROWS = [("agent", "share", "95 %"), ("random", "*0.100", "unknown"), ("a", "1.500", "0 to 1")]


def test_columns_are_aligned_and_numbers_left_as_they_are_written() -> None:
    assert table(ROWS).splitlines() == [
        "agent      share     95 %",
        "random    *0.100  unknown",
        "a          1.500   0 to 1",
    ]
